views_flamegraph_assets = views/flamegraph/assets.h \
	flame_page_html= $(page_head) views/flamegraph/page/page.html \
	flame_page_css= views/flamegraph/page/page.css \
	flame_page_js= views/common/page/packed.js views/common/page/names.js views/common/page/colors.js views/common/page/layout.js \
		views/flamegraph/page/filter.js views/common/page/flames.js views/flamegraph/page/model.js views/flamegraph/page/picture.js \
		views/common/page/themes.js views/flamegraph/page/page.js views/flamegraph/page/controls.js \
	flame_picture_css= views/flamegraph/svg/svg.css
