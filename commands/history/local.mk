commands_history_libs = views/common/libcharts.la views/common/libviews.la $(command_libs) $(LIBM)
