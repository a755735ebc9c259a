if PLUGIN_FORMAT_TALPAS
plugins += formats/talpas/perun-format-talpas.la
formats_talpas_perun_format_talpas_la_SOURCES = \
	formats/talpas/plugin.c
formats_talpas_perun_format_talpas_la_CFLAGS = $(plugin_cflags)
formats_talpas_perun_format_talpas_la_LDFLAGS = $(plugin_ldflags)
formats_talpas_perun_format_talpas_la_LIBADD = $(plugin_libs)
man_MANS += formats/talpas/perun-format-talpas.7
endif
EXTRA_DIST += formats/talpas/perun-format-talpas.7
