# Plugin view callers: see the pattern in Makefile.am.
if PLUGIN_VIEW_CALLERS
plugins += views/callers/perun-view-callers.la
views_callers_perun_view_callers_la_SOURCES = \
	views/callers/callers.c
views_callers_perun_view_callers_la_CFLAGS = $(plugin_cflags)
views_callers_perun_view_callers_la_LDFLAGS = $(plugin_ldflags)
views_callers_perun_view_callers_la_LIBADD = $(view_libs)
generated_mans += views/callers/perun-view-callers.1
endif
EXTRA_DIST += views/callers/perun-view-callers.mdoc
