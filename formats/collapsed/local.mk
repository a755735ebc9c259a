formats_collapsed_libs = $(stacks_libs)
