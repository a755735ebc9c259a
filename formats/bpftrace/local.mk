formats_bpftrace_libs = $(stacks_libs)
