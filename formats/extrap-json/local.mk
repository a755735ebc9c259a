formats_extrap_json_libs = $(stacks_libs)
