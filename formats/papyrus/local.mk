formats_papyrus_libs = $(stacks_libs)
