views_heapmap_cflags = $(NCURSES_CFLAGS)
views_heapmap_libs = $(chart_libs) $(NCURSES_LIBS)
views_heapmap_assets = views/heapmap/heapmap.h \
	heapmap_page_html= $(page_head) views/heapmap/page/heapmap.html \
	heapmap_page_css= views/common/page/base.css views/heapmap/page/heapmap.css \
	heapmap_page_js= views/heapmap/page/memory.js views/heapmap/page/heapmap.js
