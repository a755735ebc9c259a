formats_benchmarkjs_libs = $(benchmark_libs)
