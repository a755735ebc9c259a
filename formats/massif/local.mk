formats_massif_libs = $(stacks_libs)
