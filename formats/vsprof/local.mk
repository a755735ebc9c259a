formats_vsprof_libs = $(stacks_libs)
