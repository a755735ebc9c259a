if PLUGIN_FORMAT_DHAT
plugins += formats/dhat/perun-format-dhat.la
formats_dhat_perun_format_dhat_la_SOURCES = formats/dhat/plugin.c
formats_dhat_perun_format_dhat_la_CFLAGS = $(plugin_cflags)
formats_dhat_perun_format_dhat_la_LDFLAGS = $(plugin_ldflags)
formats_dhat_perun_format_dhat_la_LIBADD = $(stacks_libs)
man_MANS += formats/dhat/perun-format-dhat.7
endif
EXTRA_DIST += formats/dhat/perun-format-dhat.7
