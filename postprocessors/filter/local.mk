# Plugin postprocess filter: see the pattern in Makefile.am.
if PLUGIN_POSTPROCESS_FILTER
plugins += postprocessors/filter/perun-postprocess-filter.la
postprocessors_filter_perun_postprocess_filter_la_SOURCES = \
	postprocessors/filter/filter.c
postprocessors_filter_perun_postprocess_filter_la_CFLAGS = $(plugin_cflags)
postprocessors_filter_perun_postprocess_filter_la_LDFLAGS = $(plugin_ldflags)
postprocessors_filter_perun_postprocess_filter_la_LIBADD = $(plugin_libs)
generated_mans += postprocessors/filter/perun-postprocess-filter.1
endif
EXTRA_DIST += postprocessors/filter/perun-postprocess-filter.mdoc
