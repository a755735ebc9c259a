formats_timemory_libs = formats/common/libbenchmark.la $(stacks_libs)
