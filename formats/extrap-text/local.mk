formats_extrap_text_libs = $(stacks_libs)
