if PLUGIN_FORMAT_PYTEST_BENCHMARK
plugins += formats/pytest-benchmark/perun-format-pytest-benchmark.la
formats_pytest_benchmark_perun_format_pytest_benchmark_la_SOURCES = formats/pytest-benchmark/plugin.c
formats_pytest_benchmark_perun_format_pytest_benchmark_la_CFLAGS = $(plugin_cflags)
formats_pytest_benchmark_perun_format_pytest_benchmark_la_LDFLAGS = $(plugin_ldflags)
formats_pytest_benchmark_perun_format_pytest_benchmark_la_LIBADD = $(benchmark_libs)
man_MANS += formats/pytest-benchmark/perun-format-pytest-benchmark.7
endif
EXTRA_DIST += formats/pytest-benchmark/perun-format-pytest-benchmark.7
