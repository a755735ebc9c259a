formats_stackprof_libs = $(stacks_libs)
