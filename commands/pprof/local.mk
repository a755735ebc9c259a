commands_pprof_libs = commands/common/libcode.la formats/common/libpprof-texts.la commands/common/libcommands.la views/common/libviews.la $(plugin_libs)
