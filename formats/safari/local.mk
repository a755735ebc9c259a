formats_safari_libs = $(stacks_libs)
