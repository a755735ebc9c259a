# Plugin view report: see the pattern in Makefile.am.
if PLUGIN_VIEW_REPORT
plugins += views/report/perun-view-report.la
views_report_perun_view_report_la_SOURCES = \
	views/report/curves.c \
	views/report/facts.c \
	views/report/gather.c \
	views/report/html.c \
	views/report/json.c \
	views/report/page.h \
	views/report/paths.c \
	views/report/pictures.c \
	views/report/report.h \
	views/report/text.c \
	views/report/view.c
nodist_views_report_perun_view_report_la_SOURCES = views/report/assets.c
views_report_perun_view_report_la_CFLAGS = $(plugin_cflags)
views_report_perun_view_report_la_LDFLAGS = $(plugin_ldflags)
views_report_perun_view_report_la_LIBADD = $(chart_libs)
generated_mans += views/report/perun-view-report.1
endif
report_page = views/report/page/report.html views/report/page/report.css views/report/page/report.js
EXTRA_DIST += views/report/perun-view-report.mdoc $(report_page)
BUILT_SOURCES += views/report/assets.c
CLEANFILES += views/report/assets.c
views/report/assets.c: $(report_page) views/common/page/base.css $(page_head) views/common/embed.sh
	@$(MKDIR_P) views/report
	$(AM_V_GEN)embed() { $(SHELL) $(srcdir)/views/common/embed.sh "$$@"; } && \
	page=$(srcdir)/views/report/page/report && { \
		printf '#include "views/report/page.h"\n' && \
		embed report_page_html $(page_head) $$page.html && \
		embed report_page_css $(srcdir)/views/common/page/base.css $$page.css && \
		embed report_page_js $$page.js; \
	} >$@.new && mv $@.new $@
