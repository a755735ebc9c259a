views_report_libs = $(chart_libs)
views_report_assets = views/report/page.h \
	report_page_html= $(page_head) views/report/page/report.html \
	report_page_css= views/common/page/base.css views/report/page/report.css \
	report_page_js= views/report/page/report.js
