if PLUGIN_FORMAT_BENCHMARKJS
plugins += formats/benchmarkjs/perun-format-benchmarkjs.la
formats_benchmarkjs_perun_format_benchmarkjs_la_SOURCES = formats/benchmarkjs/plugin.c
formats_benchmarkjs_perun_format_benchmarkjs_la_CFLAGS = $(plugin_cflags)
formats_benchmarkjs_perun_format_benchmarkjs_la_LDFLAGS = $(plugin_ldflags)
formats_benchmarkjs_perun_format_benchmarkjs_la_LIBADD = $(benchmark_libs)
man_MANS += formats/benchmarkjs/perun-format-benchmarkjs.7
endif
EXTRA_DIST += formats/benchmarkjs/perun-format-benchmarkjs.7
