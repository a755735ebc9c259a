formats_julia_libs = $(benchmark_libs)
