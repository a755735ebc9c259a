# Plugin view box: see the pattern in Makefile.am.
if PLUGIN_VIEW_BOX
plugins += views/box/perun-view-box.la
views_box_perun_view_box_la_SOURCES = \
	views/box/box.c
views_box_perun_view_box_la_CFLAGS = $(plugin_cflags)
views_box_perun_view_box_la_LDFLAGS = $(plugin_ldflags)
views_box_perun_view_box_la_LIBADD = $(chart_libs)
generated_mans += views/box/perun-view-box.1
endif
EXTRA_DIST += views/box/perun-view-box.mdoc
