views_histogram_libs = $(chart_libs)
