# Plugin view scatter: see the pattern in Makefile.am.
if PLUGIN_VIEW_SCATTER
plugins += views/scatter/perun-view-scatter.la
views_scatter_perun_view_scatter_la_SOURCES = \
	views/scatter/models.c \
	views/scatter/scatter.c \
	views/scatter/scatter.h
views_scatter_perun_view_scatter_la_CFLAGS = $(plugin_cflags)
views_scatter_perun_view_scatter_la_LDFLAGS = $(plugin_ldflags)
views_scatter_perun_view_scatter_la_LIBADD = $(chart_libs)
generated_mans += views/scatter/perun-view-scatter.1
endif
EXTRA_DIST += views/scatter/perun-view-scatter.mdoc
