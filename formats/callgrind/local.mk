formats_callgrind_libs = $(stacks_libs)
