# Plugin view short: see the pattern in Makefile.am.
if PLUGIN_VIEW_SHORT
plugins += views/short/perun-view-short.la
views_short_perun_view_short_la_SOURCES = \
	views/short/short.c
views_short_perun_view_short_la_CFLAGS = $(plugin_cflags)
views_short_perun_view_short_la_LDFLAGS = $(plugin_ldflags)
views_short_perun_view_short_la_LIBADD = $(view_libs)
generated_mans += views/short/perun-view-short.1
endif
EXTRA_DIST += views/short/perun-view-short.mdoc
