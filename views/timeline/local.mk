views_timeline_libs = $(chart_libs)
views_timeline_assets = views/timeline/timeline.h \
	timeline_page_html= $(page_head) views/timeline/page/timeline.html \
	timeline_page_css= views/common/page/base.css views/timeline/page/timeline.css \
	timeline_page_js= views/timeline/page/timeline.js
