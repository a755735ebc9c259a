# Plugin postprocess clusterizer: see the pattern in Makefile.am.
if PLUGIN_POSTPROCESS_CLUSTERIZER
plugins += postprocessors/clusterizer/perun-postprocess-clusterizer.la
postprocessors_clusterizer_perun_postprocess_clusterizer_la_SOURCES = \
	postprocessors/clusterizer/clusterizer.c
postprocessors_clusterizer_perun_postprocess_clusterizer_la_CFLAGS = $(plugin_cflags)
postprocessors_clusterizer_perun_postprocess_clusterizer_la_LDFLAGS = $(plugin_ldflags)
postprocessors_clusterizer_perun_postprocess_clusterizer_la_LIBADD = $(plugin_libs)
generated_mans += postprocessors/clusterizer/perun-postprocess-clusterizer.1
endif
EXTRA_DIST += postprocessors/clusterizer/perun-postprocess-clusterizer.mdoc
