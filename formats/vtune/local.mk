formats_vtune_libs = $(stacks_libs)
