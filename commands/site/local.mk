# uPlot draws its charts.
commands_site_assets = commands/site/assets.h \
	site_js= views/common/page/scale.js commands/site/assets/format.js commands/site/assets/page.js commands/site/assets/overview.js \
		commands/site/assets/history.js commands/site/assets/chart.js commands/site/assets/metric.js \
		commands/site/assets/versions.js commands/site/assets/search.js commands/site/assets/start.js \
	site_css= commands/site/assets/site.css \
	site_chart_js= views/common/uplot/uPlot.iife.min.js \
	site_chart_css= views/common/uplot/uPlot.min.css
commands_site_libs = $(server_libs)
