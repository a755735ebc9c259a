if PLUGIN_FORMAT_V8
plugins += formats/v8/perun-format-v8.la
formats_v8_perun_format_v8_la_SOURCES = formats/v8/plugin.c
formats_v8_perun_format_v8_la_CFLAGS = $(plugin_cflags)
formats_v8_perun_format_v8_la_LDFLAGS = $(plugin_ldflags)
formats_v8_perun_format_v8_la_LIBADD = $(stacks_libs)
generated_mans += formats/v8/perun-format-v8.1
endif
EXTRA_DIST += formats/v8/perun-format-v8.mdoc
