if PLUGIN_FORMAT_VTUNE
plugins += formats/vtune/perun-format-vtune.la
formats_vtune_perun_format_vtune_la_SOURCES = formats/vtune/plugin.c
formats_vtune_perun_format_vtune_la_CFLAGS = $(plugin_cflags)
formats_vtune_perun_format_vtune_la_LDFLAGS = $(plugin_ldflags)
formats_vtune_perun_format_vtune_la_LIBADD = $(stacks_libs)
man_MANS += formats/vtune/perun-format-vtune.7
endif
EXTRA_DIST += formats/vtune/perun-format-vtune.7
