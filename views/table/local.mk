views_table_libs = $(chart_libs)
