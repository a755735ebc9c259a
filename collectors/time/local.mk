collectors_time_libs = $(collector_run_libs)
