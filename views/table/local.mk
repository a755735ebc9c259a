# Plugin view table: see the pattern in Makefile.am.
if PLUGIN_VIEW_TABLE
plugins += views/table/perun-view-table.la
views_table_perun_view_table_la_SOURCES = \
	views/table/table.c
views_table_perun_view_table_la_CFLAGS = $(plugin_cflags)
views_table_perun_view_table_la_LDFLAGS = $(plugin_ldflags)
views_table_perun_view_table_la_LIBADD = $(chart_libs)
generated_mans += views/table/perun-view-table.1
endif
EXTRA_DIST += views/table/perun-view-table.mdoc
