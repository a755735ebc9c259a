if PLUGIN_FORMAT_HEAPTRACK
plugins += formats/heaptrack/perun-format-heaptrack.la
formats_heaptrack_perun_format_heaptrack_la_SOURCES = formats/heaptrack/plugin.c
formats_heaptrack_perun_format_heaptrack_la_CFLAGS = $(plugin_cflags)
formats_heaptrack_perun_format_heaptrack_la_LDFLAGS = $(plugin_ldflags)
formats_heaptrack_perun_format_heaptrack_la_LIBADD = $(stacks_libs)
generated_mans += formats/heaptrack/perun-format-heaptrack.1
endif
EXTRA_DIST += formats/heaptrack/perun-format-heaptrack.mdoc
