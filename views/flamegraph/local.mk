# Plugin view flamegraph: see the pattern in Makefile.am.
flame_page_scripts = \
	views/flamegraph/page/data.js \
	views/flamegraph/page/text.js \
	views/flamegraph/page/color.js \
	views/flamegraph/page/layout.js \
	views/flamegraph/page/chart.js \
	views/flamegraph/page/model.js \
	views/flamegraph/page/picture.js \
	views/flamegraph/page/page.js \
	views/flamegraph/page/controls.js
flame_page_files = views/flamegraph/page/page.html views/flamegraph/page/page.css
flame_picture_styles = views/flamegraph/svg/svg.css

if PLUGIN_VIEW_FLAMEGRAPH
plugins += views/flamegraph/perun-view-flamegraph.la
views_flamegraph_perun_view_flamegraph_la_SOURCES = \
	views/flamegraph/assets.h \
	views/flamegraph/color.c \
	views/flamegraph/flame.h \
	views/flamegraph/flamegraph.c \
	views/flamegraph/frames.c \
	views/flamegraph/html.c \
	views/flamegraph/json.c \
	views/flamegraph/load.c \
	views/flamegraph/look.h \
	views/flamegraph/options.c \
	views/flamegraph/pack.c \
	views/flamegraph/pack.h \
	views/flamegraph/package.c \
	views/flamegraph/picture.c \
	views/flamegraph/picture.h \
	views/flamegraph/svg.c \
	views/flamegraph/terminal.c \
	views/flamegraph/text.c \
	views/flamegraph/time.c \
	views/flamegraph/tree.c
nodist_views_flamegraph_perun_view_flamegraph_la_SOURCES = views/flamegraph/assets.c
views_flamegraph_perun_view_flamegraph_la_CFLAGS = $(plugin_cflags)
views_flamegraph_perun_view_flamegraph_la_LDFLAGS = $(plugin_ldflags)
views_flamegraph_perun_view_flamegraph_la_LIBADD = $(view_libs)
generated_mans += views/flamegraph/perun-view-flamegraph.1
endif
EXTRA_DIST += views/flamegraph/perun-view-flamegraph.mdoc views/flamegraph/embed.sh
EXTRA_DIST += $(flame_page_scripts) $(flame_page_files) $(flame_picture_styles)

# The page's files as parts of the plugin.
BUILT_SOURCES += views/flamegraph/assets.c
CLEANFILES += views/flamegraph/assets.c
views/flamegraph/assets.c: $(page_head) $(flame_page_scripts) $(flame_page_files) $(flame_picture_styles) \
		views/flamegraph/embed.sh
	@$(MKDIR_P) views/flamegraph
	$(AM_V_GEN)embed() { \
		name=$$1 && shift && \
		files= && for file; do \
			if test -f "$$file"; then files="$$files $$file"; \
			else files="$$files $(srcdir)/$$file"; fi; done && \
		$(SHELL) $(srcdir)/views/flamegraph/embed.sh $$name $$files; \
	}; { \
		printf '#include "views/flamegraph/assets.h"\n' && \
		embed flame_page_html $(page_head) views/flamegraph/page/page.html && \
		embed flame_page_css views/flamegraph/page/page.css && \
		embed flame_page_js $(flame_page_scripts) && \
		embed flame_picture_css $(flame_picture_styles); \
	} >$@.new && mv $@.new $@
