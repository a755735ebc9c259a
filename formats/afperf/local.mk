if PLUGIN_FORMAT_AFPERF
plugins += formats/afperf/perun-format-afperf.la
formats_afperf_perun_format_afperf_la_SOURCES = \
	formats/afperf/plugin.c
formats_afperf_perun_format_afperf_la_CFLAGS = $(plugin_cflags)
formats_afperf_perun_format_afperf_la_LDFLAGS = $(plugin_ldflags)
formats_afperf_perun_format_afperf_la_LIBADD = formats/common/libafperf.la $(plugin_libs)
generated_mans += formats/afperf/perun-format-afperf.1
endif
EXTRA_DIST += formats/afperf/perun-format-afperf.mdoc
