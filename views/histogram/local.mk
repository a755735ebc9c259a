# Plugin view histogram: see the pattern in Makefile.am.
if PLUGIN_VIEW_HISTOGRAM
plugins += views/histogram/perun-view-histogram.la
views_histogram_perun_view_histogram_la_SOURCES = \
	views/histogram/histogram.c
views_histogram_perun_view_histogram_la_CFLAGS = $(plugin_cflags)
views_histogram_perun_view_histogram_la_LDFLAGS = $(plugin_ldflags)
views_histogram_perun_view_histogram_la_LIBADD = $(chart_libs)
generated_mans += views/histogram/perun-view-histogram.1
endif
EXTRA_DIST += views/histogram/perun-view-histogram.mdoc
