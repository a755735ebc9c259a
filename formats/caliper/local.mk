formats_caliper_libs = formats/common/libbenchmark.la $(stacks_libs)
