formats_custom_benchmark_libs = $(benchmark_libs)
