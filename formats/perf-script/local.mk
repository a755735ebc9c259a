formats_perf_script_libs = formats/common/libperf-script.la $(stacks_libs)
