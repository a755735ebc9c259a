formats_cube_libs = $(stacks_libs) $(FORMAT_CUBE_LIBS)
