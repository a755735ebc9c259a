if PLUGIN_FORMAT_STACKPROF
plugins += formats/stackprof/perun-format-stackprof.la
formats_stackprof_perun_format_stackprof_la_SOURCES = formats/stackprof/plugin.c
formats_stackprof_perun_format_stackprof_la_CFLAGS = $(plugin_cflags)
formats_stackprof_perun_format_stackprof_la_LDFLAGS = $(plugin_ldflags)
formats_stackprof_perun_format_stackprof_la_LIBADD = $(stacks_libs)
man_MANS += formats/stackprof/perun-format-stackprof.7
endif
EXTRA_DIST += formats/stackprof/perun-format-stackprof.7
