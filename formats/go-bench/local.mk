if PLUGIN_FORMAT_GO_BENCH
plugins += formats/go-bench/perun-format-go-bench.la
formats_go_bench_perun_format_go_bench_la_SOURCES = formats/go-bench/events.c formats/go-bench/events.h formats/go-bench/plugin.c
formats_go_bench_perun_format_go_bench_la_CFLAGS = $(plugin_cflags)
formats_go_bench_perun_format_go_bench_la_LDFLAGS = $(plugin_ldflags)
formats_go_bench_perun_format_go_bench_la_LIBADD = $(benchmark_libs)
man_MANS += formats/go-bench/perun-format-go-bench.7
endif
EXTRA_DIST += formats/go-bench/perun-format-go-bench.7
