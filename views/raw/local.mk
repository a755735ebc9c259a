# Plugin view raw: see the pattern in Makefile.am.
if PLUGIN_VIEW_RAW
plugins += views/raw/perun-view-raw.la
views_raw_perun_view_raw_la_SOURCES = \
	views/raw/json-text.c \
	views/raw/json-text.h \
	views/raw/assets.h \
	views/raw/page.c \
	views/raw/page.h \
	views/raw/raw.c
nodist_views_raw_perun_view_raw_la_SOURCES = views/raw/assets.c
views_raw_perun_view_raw_la_CFLAGS = $(plugin_cflags)
views_raw_perun_view_raw_la_LDFLAGS = $(plugin_ldflags)
views_raw_perun_view_raw_la_LIBADD = $(view_libs)
generated_mans += views/raw/perun-view-raw.1
endif
raw_page = views/raw/page/raw.html views/raw/page/raw.css views/raw/page/raw.js
EXTRA_DIST += views/raw/perun-view-raw.mdoc $(raw_page)
BUILT_SOURCES += views/raw/assets.c
CLEANFILES += views/raw/assets.c
views/raw/assets.c: $(raw_page) views/common/page/base.css views/common/page/head.html views/common/embed.sh
	@$(MKDIR_P) views/raw
	$(AM_V_GEN)embed() { $(SHELL) $(srcdir)/views/common/embed.sh "$$@"; } && \
	page=$(srcdir)/views/raw/page/raw && { \
		printf '#include "views/raw/assets.h"\n' && \
		embed raw_page_html $(srcdir)/views/common/page/head.html $$page.html && \
		embed raw_page_css $(srcdir)/views/common/page/base.css $$page.css && \
		embed raw_page_js $$page.js; \
	} >$@.new && mv $@.new $@
