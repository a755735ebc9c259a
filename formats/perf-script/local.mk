formats_perf_script_libs = $(stacks_libs)
