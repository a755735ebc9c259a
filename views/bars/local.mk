# Plugin view bars: see the pattern in Makefile.am.
if PLUGIN_VIEW_BARS
plugins += views/bars/perun-view-bars.la
views_bars_perun_view_bars_la_SOURCES = \
	views/bars/bars.c
views_bars_perun_view_bars_la_CFLAGS = $(plugin_cflags)
views_bars_perun_view_bars_la_LDFLAGS = $(plugin_ldflags)
views_bars_perun_view_bars_la_LIBADD = $(chart_libs)
generated_mans += views/bars/perun-view-bars.1
endif
EXTRA_DIST += views/bars/perun-view-bars.mdoc
