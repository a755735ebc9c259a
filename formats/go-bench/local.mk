formats_go_bench_libs = formats/common/libnumbers.la $(benchmark_libs)
