formats_heaptrack_libs = $(stacks_libs)
