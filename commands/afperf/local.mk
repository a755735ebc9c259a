commands_afperf_libs = formats/common/libafperf.la $(stacks_libs)
