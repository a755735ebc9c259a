formats_cargo_bench_libs = $(benchmark_libs)
