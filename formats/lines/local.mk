formats_lines_libs = $(benchmark_libs)
