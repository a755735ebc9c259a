formats_junit_libs = $(benchmark_libs) $(FORMAT_JUNIT_LIBS)
