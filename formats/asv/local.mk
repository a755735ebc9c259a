formats_asv_libs = $(benchmark_libs)
