if PLUGIN_FORMAT_MASSIF
plugins += formats/massif/perun-format-massif.la
formats_massif_perun_format_massif_la_SOURCES = formats/massif/plugin.c
formats_massif_perun_format_massif_la_CFLAGS = $(plugin_cflags)
formats_massif_perun_format_massif_la_LDFLAGS = $(plugin_ldflags)
formats_massif_perun_format_massif_la_LIBADD = $(stacks_libs)
man_MANS += formats/massif/perun-format-massif.7
endif
EXTRA_DIST += formats/massif/perun-format-massif.7
