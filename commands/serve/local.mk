commands_serve_libs = commands/common/libcode.la $(server_libs)
commands_serve_assets = commands/serve/assets.h \
	serve_page_html= commands/serve/page/serve.html \
	serve_page_css= views/common/page/base.css commands/serve/page/serve.css \
	serve_page_js= views/common/page/packed.js views/common/page/names.js views/common/page/colors.js views/common/page/layout.js \
		views/common/page/flames.js views/common/page/themes.js commands/serve/page/state.js commands/serve/page/flame.js commands/serve/page/graph.js \
		commands/serve/page/tables.js commands/serve/page/facets.js commands/serve/page/times.js commands/serve/page/page.js
