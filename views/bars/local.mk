views_bars_libs = $(chart_libs)
