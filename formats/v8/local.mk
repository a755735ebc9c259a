formats_v8_libs = $(stacks_libs)
