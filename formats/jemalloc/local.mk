formats_jemalloc_libs = $(stacks_libs)
