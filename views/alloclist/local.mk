views_alloclist_libs = $(chart_libs)
views_alloclist_assets = views/alloclist/alloclist.h \
	alloclist_page_html= $(page_head) views/alloclist/page/alloclist.html \
	alloclist_page_css= views/common/page/base.css views/common/page/depth.css views/alloclist/page/alloclist.css \
	alloclist_page_js= views/alloclist/page/alloclist.js
