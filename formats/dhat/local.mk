formats_dhat_libs = $(stacks_libs)
