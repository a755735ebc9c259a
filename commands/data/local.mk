commands_data_cflags = $(SQLITE_CFLAGS)
commands_data_libs = views/common/libviews.la $(command_libs) $(SQLITE_LIBS) $(LIBM)
