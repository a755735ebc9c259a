formats_gprof_libs = $(stacks_libs)
