formats_bencher_libs = $(benchmark_libs)
