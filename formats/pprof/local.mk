formats_pprof_cflags = $(ZLIB_CFLAGS)
formats_pprof_libs = formats/common/libpprof-texts.la formats/common/libnumbers.la $(plugin_libs) $(ZLIB_LIBS)
