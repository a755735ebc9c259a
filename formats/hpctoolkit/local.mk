formats_hpctoolkit_libs = $(stacks_libs) $(FORMAT_HPCTOOLKIT_LIBS)
