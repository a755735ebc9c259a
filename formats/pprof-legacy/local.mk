formats_pprof_legacy_libs = $(stacks_libs) -lm
