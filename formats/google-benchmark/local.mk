if PLUGIN_FORMAT_GOOGLE_BENCHMARK
plugins += formats/google-benchmark/perun-format-google-benchmark.la
formats_google_benchmark_perun_format_google_benchmark_la_SOURCES = formats/google-benchmark/plugin.c
formats_google_benchmark_perun_format_google_benchmark_la_CFLAGS = $(plugin_cflags)
formats_google_benchmark_perun_format_google_benchmark_la_LDFLAGS = $(plugin_ldflags)
formats_google_benchmark_perun_format_google_benchmark_la_LIBADD = $(benchmark_libs)
man_MANS += formats/google-benchmark/perun-format-google-benchmark.7
endif
EXTRA_DIST += formats/google-benchmark/perun-format-google-benchmark.7
