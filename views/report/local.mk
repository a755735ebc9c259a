# Plugin view report: see the pattern in Makefile.am.
if PLUGIN_VIEW_REPORT
plugins += views/report/perun-view-report.la
views_report_perun_view_report_la_SOURCES = \
	views/report/facts.c \
	views/report/gather.c \
	views/report/json.c \
	views/report/paths.c \
	views/report/report.h \
	views/report/text.c \
	views/report/view.c
views_report_perun_view_report_la_CFLAGS = $(plugin_cflags)
views_report_perun_view_report_la_LDFLAGS = $(plugin_ldflags)
views_report_perun_view_report_la_LIBADD = $(view_libs)
generated_mans += views/report/perun-view-report.1
endif
EXTRA_DIST += views/report/perun-view-report.mdoc
