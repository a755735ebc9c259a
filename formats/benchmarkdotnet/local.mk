formats_benchmarkdotnet_libs = $(benchmark_libs)
