if PLUGIN_FORMAT_TRACE_EVENT
plugins += formats/trace-event/perun-format-trace-event.la
formats_trace_event_perun_format_trace_event_la_SOURCES = \
	formats/trace-event/parse.c \
	formats/trace-event/plugin.c \
	formats/trace-event/rows.c \
	formats/trace-event/trace-event.h
formats_trace_event_perun_format_trace_event_la_CFLAGS = $(plugin_cflags)
formats_trace_event_perun_format_trace_event_la_LDFLAGS = $(plugin_ldflags)
formats_trace_event_perun_format_trace_event_la_LIBADD = $(stacks_libs)
generated_mans += formats/trace-event/perun-format-trace-event.1
endif
EXTRA_DIST += formats/trace-event/perun-format-trace-event.mdoc
