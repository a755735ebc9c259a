commands_fetch_profile_libs = views/common/libviews.la $(command_libs) $(COMMAND_FETCH_PROFILE_LIBS)
