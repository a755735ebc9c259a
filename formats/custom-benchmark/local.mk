if PLUGIN_FORMAT_CUSTOM_BENCHMARK
plugins += formats/custom-benchmark/perun-format-custom-benchmark.la
formats_custom_benchmark_perun_format_custom_benchmark_la_SOURCES = formats/custom-benchmark/plugin.c
formats_custom_benchmark_perun_format_custom_benchmark_la_CFLAGS = $(plugin_cflags)
formats_custom_benchmark_perun_format_custom_benchmark_la_LDFLAGS = $(plugin_ldflags)
formats_custom_benchmark_perun_format_custom_benchmark_la_LIBADD = $(benchmark_libs)
man_MANS += formats/custom-benchmark/perun-format-custom-benchmark.7
endif
EXTRA_DIST += formats/custom-benchmark/perun-format-custom-benchmark.7
