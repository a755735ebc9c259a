formats_sample_libs = $(stacks_libs)
