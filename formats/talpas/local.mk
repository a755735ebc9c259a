formats_talpas_libs = $(stacks_libs)
