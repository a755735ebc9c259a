formats_perf_stat_libs = $(benchmark_libs)
