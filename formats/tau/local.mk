formats_tau_libs = $(stacks_libs)
