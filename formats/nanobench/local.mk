if PLUGIN_FORMAT_NANOBENCH
plugins += formats/nanobench/perun-format-nanobench.la
formats_nanobench_perun_format_nanobench_la_SOURCES = formats/nanobench/plugin.c
formats_nanobench_perun_format_nanobench_la_CFLAGS = $(plugin_cflags)
formats_nanobench_perun_format_nanobench_la_LDFLAGS = $(plugin_ldflags)
formats_nanobench_perun_format_nanobench_la_LIBADD = $(benchmark_libs)
man_MANS += formats/nanobench/perun-format-nanobench.7
endif
EXTRA_DIST += formats/nanobench/perun-format-nanobench.7
