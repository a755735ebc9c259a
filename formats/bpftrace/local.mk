if PLUGIN_FORMAT_BPFTRACE
plugins += formats/bpftrace/perun-format-bpftrace.la
formats_bpftrace_perun_format_bpftrace_la_SOURCES = formats/bpftrace/plugin.c
formats_bpftrace_perun_format_bpftrace_la_CFLAGS = $(plugin_cflags)
formats_bpftrace_perun_format_bpftrace_la_LDFLAGS = $(plugin_ldflags)
formats_bpftrace_perun_format_bpftrace_la_LIBADD = $(stacks_libs)
man_MANS += formats/bpftrace/perun-format-bpftrace.7
endif
EXTRA_DIST += formats/bpftrace/perun-format-bpftrace.7
