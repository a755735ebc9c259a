if PLUGIN_FORMAT_DTRACE
plugins += formats/dtrace/perun-format-dtrace.la
formats_dtrace_perun_format_dtrace_la_SOURCES = formats/dtrace/plugin.c
formats_dtrace_perun_format_dtrace_la_CFLAGS = $(plugin_cflags)
formats_dtrace_perun_format_dtrace_la_LDFLAGS = $(plugin_ldflags)
formats_dtrace_perun_format_dtrace_la_LIBADD = $(stacks_libs)
man_MANS += formats/dtrace/perun-format-dtrace.7
endif
EXTRA_DIST += formats/dtrace/perun-format-dtrace.7
