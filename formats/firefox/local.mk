formats_firefox_libs = $(stacks_libs)
