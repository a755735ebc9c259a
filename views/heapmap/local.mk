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
views/heapmap/assets.c: $(heapmap_page) views/common/embed.sh
	@$(MKDIR_P) views/heapmap
	$(AM_V_GEN){ \
		printf '#include "views/heapmap/heapmap.h"\n' && \
		for part in html css; do \
			$(SHELL) $(srcdir)/views/common/embed.sh heapmap_page_$$part \
				$(srcdir)/views/heapmap/page/heapmap.$$part; \
		done && \
		$(SHELL) $(srcdir)/views/common/embed.sh heapmap_page_js \
			$(srcdir)/views/heapmap/page/memory.js $(srcdir)/views/heapmap/page/heapmap.js; \
	} >$@.new && mv $@.new $@
