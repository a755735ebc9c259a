formats_console_libs = $(benchmark_libs)
