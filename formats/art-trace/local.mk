formats_art_trace_libs = $(stacks_libs)
