# Plugin view scaling: see the pattern in Makefile.am.
if PLUGIN_VIEW_SCALING
plugins += views/scaling/perun-view-scaling.la
views_scaling_perun_view_scaling_la_SOURCES = \
	views/scaling/load.c \
	views/scaling/picture.c \
	views/scaling/scaling.c \
	views/scaling/scaling.h \
	views/scaling/tree.c
nodist_views_scaling_perun_view_scaling_la_SOURCES = views/scaling/assets.c
views_scaling_perun_view_scaling_la_CFLAGS = $(plugin_cflags)
views_scaling_perun_view_scaling_la_LDFLAGS = $(plugin_ldflags)
views_scaling_perun_view_scaling_la_LIBADD = $(chart_libs)
generated_mans += views/scaling/perun-view-scaling.1
endif
EXTRA_DIST += views/scaling/perun-view-scaling.mdoc views/scaling/page/scaling.js
BUILT_SOURCES += views/scaling/assets.c
CLEANFILES += views/scaling/assets.c
views/scaling/assets.c: views/scaling/page/scaling.js views/common/embed.sh
	@$(MKDIR_P) views/scaling
	$(AM_V_GEN){ \
		printf '#include "views/scaling/scaling.h"\n' && \
		$(SHELL) $(srcdir)/views/common/embed.sh scaling_page_js \
			$(srcdir)/views/scaling/page/scaling.js; \
	} >$@.new && mv $@.new $@
