# Plugin view heapmap: see the pattern in Makefile.am.
if PLUGIN_VIEW_HEAPMAP
plugins += views/heapmap/perun-view-heapmap.la
views_heapmap_perun_view_heapmap_la_SOURCES = \
	views/heapmap/heap.c \
	views/heapmap/heapmap.c \
	views/heapmap/heapmap.h \
	views/heapmap/html.c \
	views/heapmap/json.c \
	views/heapmap/looks.c \
	views/heapmap/map.c \
	views/heapmap/starts.c \
	views/heapmap/starts.h \
	views/heapmap/svg.c \
	views/heapmap/terminal.c \
	views/heapmap/text.c
nodist_views_heapmap_perun_view_heapmap_la_SOURCES = views/heapmap/assets.c
views_heapmap_perun_view_heapmap_la_CFLAGS = $(plugin_cflags) $(NCURSES_CFLAGS)
views_heapmap_perun_view_heapmap_la_LDFLAGS = $(plugin_ldflags)
views_heapmap_perun_view_heapmap_la_LIBADD = $(chart_libs) $(NCURSES_LIBS)
generated_mans += views/heapmap/perun-view-heapmap.1
endif
heapmap_scripts = views/heapmap/page/memory.js views/heapmap/page/heapmap.js
heapmap_page = views/heapmap/page/heapmap.html views/heapmap/page/heapmap.css $(heapmap_scripts)
EXTRA_DIST += views/heapmap/perun-view-heapmap.mdoc $(heapmap_page)
BUILT_SOURCES += views/heapmap/assets.c
CLEANFILES += views/heapmap/assets.c
views/heapmap/assets.c: $(heapmap_page) views/common/page/base.css $(page_head) views/common/embed.sh
	@$(MKDIR_P) views/heapmap
	$(AM_V_GEN)embed() { $(SHELL) $(srcdir)/views/common/embed.sh "$$@"; } && \
	page=$(srcdir)/views/heapmap/page && { \
		printf '#include "views/heapmap/heapmap.h"\n' && \
		embed heapmap_page_html $(page_head) $$page/heapmap.html && \
		embed heapmap_page_css $(srcdir)/views/common/page/base.css $$page/heapmap.css && \
		embed heapmap_page_js $$page/memory.js $$page/heapmap.js; \
	} >$@.new && mv $@.new $@
