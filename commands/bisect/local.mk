if PLUGIN_COMMAND_BISECT
plugins += commands/bisect/perun-command-bisect.la
commands_bisect_perun_command_bisect_la_SOURCES = commands/bisect/bisect.c
commands_bisect_perun_command_bisect_la_CFLAGS = $(plugin_cflags)
commands_bisect_perun_command_bisect_la_LDFLAGS = $(plugin_ldflags)
commands_bisect_perun_command_bisect_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/bisect/perun-bisect.1
endif
EXTRA_DIST += commands/bisect/perun-bisect.mdoc
