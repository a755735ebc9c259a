formats_pyperf_libs = $(benchmark_libs)
