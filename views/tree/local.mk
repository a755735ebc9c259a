# Plugin view tree: see the pattern in Makefile.am.
if PLUGIN_VIEW_TREE
plugins += views/tree/perun-view-tree.la
views_tree_perun_view_tree_la_SOURCES = \
	views/tree/tree.c
views_tree_perun_view_tree_la_CFLAGS = $(plugin_cflags)
views_tree_perun_view_tree_la_LDFLAGS = $(plugin_ldflags)
views_tree_perun_view_tree_la_LIBADD = $(view_libs)
generated_mans += views/tree/perun-view-tree.1
endif
EXTRA_DIST += views/tree/perun-view-tree.mdoc
