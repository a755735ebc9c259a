views_flow_libs = $(chart_libs)
