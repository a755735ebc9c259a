if PLUGIN_FORMAT_ASV
plugins += formats/asv/perun-format-asv.la
formats_asv_perun_format_asv_la_SOURCES = formats/asv/plugin.c
formats_asv_perun_format_asv_la_CFLAGS = $(plugin_cflags)
formats_asv_perun_format_asv_la_LDFLAGS = $(plugin_ldflags)
formats_asv_perun_format_asv_la_LIBADD = $(benchmark_libs)
generated_mans += formats/asv/perun-format-asv.1
endif
EXTRA_DIST += formats/asv/perun-format-asv.mdoc
