views_raw_assets = views/raw/assets.h \
	raw_page_html= views/common/page/head.html views/raw/page/raw.html \
	raw_page_css= views/common/page/base.css views/raw/page/raw.css \
	raw_page_js= views/raw/page/raw.js
