formats_gungraun_libs = $(benchmark_libs)
