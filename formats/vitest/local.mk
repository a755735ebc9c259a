formats_vitest_libs = $(benchmark_libs)
