views_scatter_libs = $(chart_libs)
