formats_pprof_legacy_libs = $(plugin_libs) -lm
