views_box_libs = $(chart_libs)
