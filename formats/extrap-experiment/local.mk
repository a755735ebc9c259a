formats_extrap_experiment_libs = $(stacks_libs) $(FORMAT_EXTRAP_EXPERIMENT_LIBS)
