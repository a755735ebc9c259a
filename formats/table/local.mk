formats_table_libs = $(benchmark_libs)
