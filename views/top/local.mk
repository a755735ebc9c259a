# Plugin view top: see the pattern in Makefile.am.
if PLUGIN_VIEW_TOP
plugins += views/top/perun-view-top.la
views_top_perun_view_top_la_SOURCES = \
	views/top/top.c
views_top_perun_view_top_la_CFLAGS = $(plugin_cflags)
views_top_perun_view_top_la_LDFLAGS = $(plugin_ldflags)
views_top_perun_view_top_la_LIBADD = $(view_libs)
generated_mans += views/top/perun-view-top.1
endif
EXTRA_DIST += views/top/perun-view-top.mdoc
