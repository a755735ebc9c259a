collectors_benchmark_libs = $(collector_run_libs)
