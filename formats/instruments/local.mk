formats_instruments_libs = $(stacks_libs) $(FORMAT_INSTRUMENTS_LIBS)
