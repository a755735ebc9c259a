# Plugin view alloclist: see the pattern in Makefile.am.
if PLUGIN_VIEW_ALLOCLIST
plugins += views/alloclist/perun-view-alloclist.la
views_alloclist_perun_view_alloclist_la_SOURCES = \
	views/alloclist/alloclist.c \
	views/alloclist/alloclist.h \
	views/alloclist/calls.c \
	views/alloclist/choose.c \
	views/alloclist/html.c \
	views/alloclist/json.c \
	views/alloclist/text.c \
	views/alloclist/words.c
nodist_views_alloclist_perun_view_alloclist_la_SOURCES = views/alloclist/assets.c
views_alloclist_perun_view_alloclist_la_CFLAGS = $(plugin_cflags)
views_alloclist_perun_view_alloclist_la_LDFLAGS = $(plugin_ldflags)
views_alloclist_perun_view_alloclist_la_LIBADD = $(chart_libs)
generated_mans += views/alloclist/perun-view-alloclist.1
endif
alloclist_page = views/alloclist/page/alloclist.html views/alloclist/page/alloclist.css \
	views/alloclist/page/alloclist.js
EXTRA_DIST += views/alloclist/perun-view-alloclist.mdoc $(alloclist_page)
BUILT_SOURCES += views/alloclist/assets.c
CLEANFILES += views/alloclist/assets.c
views/alloclist/assets.c: $(alloclist_page) views/common/page/base.css views/common/page/depth.css $(page_head) views/common/embed.sh
	@$(MKDIR_P) views/alloclist
	$(AM_V_GEN)embed() { $(SHELL) $(srcdir)/views/common/embed.sh "$$@"; } && \
	page=$(srcdir)/views/alloclist/page/alloclist && { \
		printf '#include "views/alloclist/alloclist.h"\n' && \
		embed alloclist_page_html $(page_head) $$page.html && \
		embed alloclist_page_css $(srcdir)/views/common/page/base.css $(srcdir)/views/common/page/depth.css $$page.css && \
		embed alloclist_page_js $$page.js; \
	} >$@.new && mv $@.new $@
