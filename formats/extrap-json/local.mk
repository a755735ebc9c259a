formats_extrap_json_libs = formats/common/libexperiments.la $(stacks_libs)
