# Plugin view timeline: see the pattern in Makefile.am.
if PLUGIN_VIEW_TIMELINE
plugins += views/timeline/perun-view-timeline.la
views_timeline_perun_view_timeline_la_SOURCES = \
	views/timeline/gather.c \
	views/timeline/html.c \
	views/timeline/svg.c \
	views/timeline/text.c \
	views/timeline/timeline.c \
	views/timeline/timeline.h
nodist_views_timeline_perun_view_timeline_la_SOURCES = views/timeline/assets.c
views_timeline_perun_view_timeline_la_CFLAGS = $(plugin_cflags)
views_timeline_perun_view_timeline_la_LDFLAGS = $(plugin_ldflags)
views_timeline_perun_view_timeline_la_LIBADD = $(chart_libs)
generated_mans += views/timeline/perun-view-timeline.1
endif
timeline_page = views/timeline/page/timeline.html views/timeline/page/timeline.css \
	views/timeline/page/timeline.js
EXTRA_DIST += views/timeline/perun-view-timeline.mdoc $(timeline_page)
BUILT_SOURCES += views/timeline/assets.c
CLEANFILES += views/timeline/assets.c
views/timeline/assets.c: $(timeline_page) views/common/page/base.css $(page_head) views/common/embed.sh
	@$(MKDIR_P) views/timeline
	$(AM_V_GEN)embed() { $(SHELL) $(srcdir)/views/common/embed.sh "$$@"; } && \
	page=$(srcdir)/views/timeline/page && { \
		printf '#include "views/timeline/timeline.h"\n' && \
		embed timeline_page_html $(page_head) $$page/timeline.html && \
		embed timeline_page_css $(srcdir)/views/common/page/base.css $$page/timeline.css && \
		embed timeline_page_js $$page/timeline.js; \
	} >$@.new && mv $@.new $@
