formats_dtrace_libs = $(stacks_libs)
