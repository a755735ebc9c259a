formats_perfetto_cflags = $(ZLIB_CFLAGS)
formats_perfetto_libs = $(stacks_libs) $(ZLIB_LIBS)
