commands_afperf_libs = formats/common/libafperf.la $(view_libs) commands/common/libcommands.la $(stacks_libs)
