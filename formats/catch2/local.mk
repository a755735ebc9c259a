formats_catch2_libs = $(benchmark_libs) $(FORMAT_CATCH2_LIBS)
