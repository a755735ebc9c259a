# Plugin view summary: see the pattern in Makefile.am.
if PLUGIN_VIEW_SUMMARY
plugins += views/summary/perun-view-summary.la
views_summary_perun_view_summary_la_SOURCES = \
	views/summary/measured.c \
	views/summary/measured.h \
	views/summary/summary.c
views_summary_perun_view_summary_la_CFLAGS = $(plugin_cflags)
views_summary_perun_view_summary_la_LDFLAGS = $(plugin_ldflags)
views_summary_perun_view_summary_la_LIBADD = $(view_libs)
generated_mans += views/summary/perun-view-summary.1
endif
EXTRA_DIST += views/summary/perun-view-summary.mdoc
