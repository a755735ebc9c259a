formats_hyperfine_libs = $(benchmark_libs)
