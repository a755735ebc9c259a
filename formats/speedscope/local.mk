formats_speedscope_libs = $(stacks_libs)
