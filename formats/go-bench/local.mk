formats_go_bench_libs = $(benchmark_libs)
