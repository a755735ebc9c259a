views_scaling_libs = $(chart_libs)
views_scaling_assets = views/scaling/scaling.h scaling_page_js= views/scaling/page/scaling.js
