formats_pyinstrument_libs = $(stacks_libs)
