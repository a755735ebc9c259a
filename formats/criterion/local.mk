formats_criterion_libs = $(benchmark_libs)
