formats_timemory_libs = $(stacks_libs)
