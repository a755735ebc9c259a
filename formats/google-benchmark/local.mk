formats_google_benchmark_libs = $(benchmark_libs)
