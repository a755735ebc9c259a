# What views share: a library that is a part of each of them.
noinst_LTLIBRARIES += views/common/libviews.la
views_common_libviews_la_SOURCES = \
	views/common/bars.c \
	views/common/bars.h \
	views/common/calls.c \
	views/common/combined.c \
	views/common/data.c \
	views/common/data.h \
	views/common/facts.c \
	views/common/facts.h \
	views/common/filters.c \
	views/common/find.c \
	views/common/grid.c \
	views/common/grid.h \
	views/common/grid-html.c \
	views/common/heading.c \
	views/common/join.c \
	views/common/markup.c \
	views/common/markup.h \
	views/common/modeler.h \
	views/common/pair.c \
	views/common/plugin.h \
	views/common/page-table.c \
	views/common/page-table.h \
	views/common/quantity.c \
	views/common/repeats.c \
	views/common/quantity.h \
	views/common/repeats.h \
	views/common/rows.c \
	views/common/rows.h \
	views/common/sheet.c \
	views/common/sheet.h \
	views/common/template.h \
	views/common/text.c \
	views/common/text.h \
	views/common/text-svg.c \
	views/common/text-svg.h \
	views/common/traces.c \
	views/common/tree.c \
	views/common/tree.h \
	views/common/tree-view.c \
	views/common/values.c
nodist_views_common_libviews_la_SOURCES = views/common/table-assets.c
views_common_libviews_la_CFLAGS = $(plugin_cflags)
BUILT_SOURCES += views/common/table-assets.c
CLEANFILES += views/common/table-assets.c
views/common/table-assets.c: $(page_parts)
	$(embed) views/common/page-table.h \
		views_table_html= $(page_head) views/common/page/table.html \
		views_table_css= views/common/page/base.css views/common/page/depth.css views/common/page/table.css \
		views_table_js= views/common/page/table.js >$@.new && mv $@.new $@
view_libs = views/common/libviews.la $(plugin_libs)

# Charts, for the views that draw some: see chart.h. uplot/ is a library of others, see its README.
noinst_LTLIBRARIES += views/common/libcharts.la
views_common_libcharts_la_SOURCES = \
	views/common/allocations.c \
	views/common/allocations.h \
	views/common/figure.c \
	views/common/chart.h \
	views/common/chart-assets.h \
	views/common/chart-bars.c \
	views/common/chart-color.c \
	views/common/chart-draw.h \
	views/common/chart-html.c \
	views/common/chart-json.c views/common/contours.c views/common/contours.h \
	views/common/chart-json.h \
	views/common/chart-raster.c \
	views/common/chart-scale.c \
	views/common/chart-spread.c \
	views/common/chart-spread.h \
	views/common/chart-svg.c \
	views/common/chart-svg.h \
	views/common/chart-svg-list.c \
	views/common/chart-svg-marks.c \
	views/common/chart-svg-rows.c \
	views/common/chart-table.c \
	views/common/chart-table.h \
	views/common/chart-terminal.c \
	views/common/chart-terminal.h \
	views/common/chart-thin.c \
	views/common/chart-view.c \
	views/common/chart-view.h \
	views/common/chart-ticks.c
nodist_views_common_libcharts_la_SOURCES = views/common/chart-assets.c
views_common_libcharts_la_CFLAGS = $(plugin_cflags)
chart_libs = views/common/libcharts.la $(view_libs) $(LIBM)
BUILT_SOURCES += views/common/chart-assets.c
CLEANFILES += views/common/chart-assets.c
views/common/chart-assets.c: $(page_parts)
	$(embed) views/common/chart-assets.h \
		chart_page_html= views/common/page/head.html views/common/page/chart.html \
		chart_page_css= views/common/page/depth.css views/common/page/chart.css \
		chart_page_js= views/common/page/scale.js views/common/page/series.js views/common/page/chart.js \
		chart_uplot_js= views/common/uplot/uPlot.iife.min.js \
		chart_uplot_css= views/common/uplot/uPlot.min.css \
		chart_uplot_licence= views/common/uplot/LICENSE >$@.new && mv $@.new $@

# Pages: what they begin with, the parts that several have, and how a plugin takes its own in.
page_head = views/common/page/head.html views/common/page/heading.html
EXTRA_DIST += $(views_common_parts) views/common/embed.sh views/common/uplot/LICENSE views/common/uplot/README
page_parts = $(views_common_parts) views/common/embed.sh
embed = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(SHELL) $(srcdir)/views/common/embed.sh $(srcdir)
