formats_jmh_libs = $(benchmark_libs)
