formats_nanobench_libs = $(benchmark_libs)
