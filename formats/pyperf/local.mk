if PLUGIN_FORMAT_PYPERF
plugins += formats/pyperf/perun-format-pyperf.la
formats_pyperf_perun_format_pyperf_la_SOURCES = formats/pyperf/plugin.c
formats_pyperf_perun_format_pyperf_la_CFLAGS = $(plugin_cflags)
formats_pyperf_perun_format_pyperf_la_LDFLAGS = $(plugin_ldflags)
formats_pyperf_perun_format_pyperf_la_LIBADD = $(benchmark_libs)
man_MANS += formats/pyperf/perun-format-pyperf.7
endif
EXTRA_DIST += formats/pyperf/perun-format-pyperf.7
