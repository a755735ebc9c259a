checks_average_amount_threshold_libs = $(plugin_libs)
