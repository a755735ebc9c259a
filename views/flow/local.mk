# Plugin view flow: see the pattern in Makefile.am.
if PLUGIN_VIEW_FLOW
plugins += views/flow/perun-view-flow.la
views_flow_perun_view_flow_la_SOURCES = \
	views/flow/flow.c
views_flow_perun_view_flow_la_CFLAGS = $(plugin_cflags)
views_flow_perun_view_flow_la_LDFLAGS = $(plugin_ldflags)
views_flow_perun_view_flow_la_LIBADD = $(chart_libs)
generated_mans += views/flow/perun-view-flow.1
endif
EXTRA_DIST += views/flow/perun-view-flow.mdoc
