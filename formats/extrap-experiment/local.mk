formats_extrap_experiment_libs = formats/common/libexperiments.la $(stacks_libs) $(FORMAT_EXTRAP_EXPERIMENT_LIBS)
