formats_trace_event_libs = $(stacks_libs)
