formats_pytest_benchmark_libs = $(benchmark_libs)
