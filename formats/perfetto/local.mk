formats_perfetto_libs = $(stacks_libs)
