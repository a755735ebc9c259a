# Plugin view callees: see the pattern in Makefile.am.
if PLUGIN_VIEW_CALLEES
plugins += views/callees/perun-view-callees.la
views_callees_perun_view_callees_la_SOURCES = \
	views/callees/callees.c
views_callees_perun_view_callees_la_CFLAGS = $(plugin_cflags)
views_callees_perun_view_callees_la_LDFLAGS = $(plugin_ldflags)
views_callees_perun_view_callees_la_LIBADD = $(view_libs)
generated_mans += views/callees/perun-view-callees.1
endif
EXTRA_DIST += views/callees/perun-view-callees.mdoc
