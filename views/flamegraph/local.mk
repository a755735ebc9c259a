views_flamegraph_assets = views/flamegraph/assets.h \
	flame_page_html= $(page_head) views/flamegraph/page/page.html \
	flame_page_css= views/flamegraph/page/page.css \
	flame_page_js= views/flamegraph/page/data.js views/flamegraph/page/text.js views/flamegraph/page/color.js \
		views/flamegraph/page/layout.js views/flamegraph/page/filter.js views/flamegraph/page/chart.js views/flamegraph/page/model.js \
		views/flamegraph/page/picture.js views/flamegraph/page/page.js views/flamegraph/page/controls.js \
	flame_picture_css= views/flamegraph/svg/svg.css
