commands_pprof_perun_command_pprof_la_SOURCES += commands/common/safe-lines.c commands/common/safe-lines.h
commands_pprof_libs = formats/common/libpprof-texts.la $(plugin_libs)
