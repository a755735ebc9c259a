# Plugin view tableof: see the pattern in Makefile.am.
if PLUGIN_VIEW_TABLEOF
plugins += views/tableof/perun-view-tableof.la
views_tableof_perun_view_tableof_la_SOURCES = \
	views/tableof/assets.h \
	views/tableof/layout.c \
	views/tableof/layout.h \
	views/tableof/markup.c \
	views/tableof/markup.h \
	views/tableof/models.c \
	views/tableof/page.c \
	views/tableof/rows.c \
	views/tableof/rows.h \
	views/tableof/table.c \
	views/tableof/tableof.c
nodist_views_tableof_perun_view_tableof_la_SOURCES = views/tableof/assets.c
views_tableof_perun_view_tableof_la_CFLAGS = $(plugin_cflags)
views_tableof_perun_view_tableof_la_LDFLAGS = $(plugin_ldflags)
views_tableof_perun_view_tableof_la_LIBADD = $(view_libs)
generated_mans += views/tableof/perun-view-tableof.1
endif
tableof_page = views/tableof/page/table.html views/tableof/page/table.css views/tableof/page/table.js
EXTRA_DIST += views/tableof/perun-view-tableof.mdoc $(tableof_page)
BUILT_SOURCES += views/tableof/assets.c
CLEANFILES += views/tableof/assets.c
views/tableof/assets.c: $(tableof_page) views/common/page/base.css views/common/embed.sh
	@$(MKDIR_P) views/tableof
	$(AM_V_GEN)embed() { $(SHELL) $(srcdir)/views/common/embed.sh "$$@"; } && \
	page=$(srcdir)/views/tableof/page/table && { \
		printf '#include "views/tableof/assets.h"\n' && \
		embed tableof_page_html $$page.html && \
		embed tableof_page_css $(srcdir)/views/common/page/base.css $$page.css && \
		embed tableof_page_js $$page.js; \
	} >$@.new && mv $@.new $@
