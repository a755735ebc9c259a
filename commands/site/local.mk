if PLUGIN_COMMAND_SITE
plugins += commands/site/perun-command-site.la
commands_site_perun_command_site_la_SOURCES = \
	commands/site/assets.h \
	commands/site/catalog.c \
	commands/site/command.c \
	commands/site/data.c \
	commands/site/facts.c \
	commands/site/files.c \
	commands/site/find.c \
	commands/site/hash.c \
	commands/site/http.c \
	commands/site/http.h \
	commands/site/line.c \
	commands/site/normalize.c \
	commands/site/page.c \
	commands/site/page.h \
	commands/site/places.c \
	commands/site/read.c \
	commands/site/serve.c \
	commands/site/site.h \
	commands/site/strands.c \
	commands/site/text.c \
	commands/site/version-page.c \
	commands/site/view.c \
	commands/site/waiting.c \
	commands/site/waiting.h
nodist_commands_site_perun_command_site_la_SOURCES = commands/site/assets.c
commands_site_perun_command_site_la_CFLAGS = $(plugin_cflags)
commands_site_perun_command_site_la_LDFLAGS = $(plugin_ldflags)
commands_site_perun_command_site_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/site/perun-site.1
BUILT_SOURCES += commands/site/assets.c
endif
EXTRA_DIST += commands/site/perun-site.mdoc

# Its scripts and styles, as arrays of bytes. uPlot draws its charts.
site_scripts = commands/site/assets/format.js commands/site/assets/page.js commands/site/assets/overview.js \
	commands/site/assets/history.js commands/site/assets/chart.js commands/site/assets/metric.js \
	commands/site/assets/versions.js commands/site/assets/search.js \
	commands/site/assets/start.js
site_styles = commands/site/assets/site.css
EXTRA_DIST += $(site_scripts) $(site_styles)
CLEANFILES += commands/site/assets.c
commands/site/assets.c: $(site_scripts) $(site_styles) $(chart_uplot_files) views/common/embed.sh \
		views/common/page/scale.js
	@$(MKDIR_P) commands/site
	$(AM_V_GEN)embed() { \
		name=$$1 && shift && \
		files= && for file; do \
			if test -f "$$file"; then files="$$files $$file"; \
			else files="$$files $(srcdir)/$$file"; fi; done && \
		$(SHELL) $(srcdir)/views/common/embed.sh $$name $$files; \
	}; { \
		printf '#include "commands/site/assets.h"\n' && \
		embed site_js views/common/page/scale.js $(site_scripts) && \
		embed site_css $(site_styles) && \
		embed site_chart_js views/common/uplot/uPlot.iife.min.js && \
		embed site_chart_css views/common/uplot/uPlot.min.css; \
	} >$@.new && mv $@.new $@
