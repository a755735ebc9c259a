if PLUGIN_FORMAT_CARGO_BENCH
plugins += formats/cargo-bench/perun-format-cargo-bench.la
formats_cargo_bench_perun_format_cargo_bench_la_SOURCES = formats/cargo-bench/plugin.c
formats_cargo_bench_perun_format_cargo_bench_la_CFLAGS = $(plugin_cflags)
formats_cargo_bench_perun_format_cargo_bench_la_LDFLAGS = $(plugin_ldflags)
formats_cargo_bench_perun_format_cargo_bench_la_LIBADD = $(benchmark_libs)
man_MANS += formats/cargo-bench/perun-format-cargo-bench.7
endif
EXTRA_DIST += formats/cargo-bench/perun-format-cargo-bench.7
