commands_pprof_libs = formats/common/libpprof-texts.la commands/common/libcommands.la views/common/libviews.la $(plugin_libs)
