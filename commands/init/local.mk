if PLUGIN_COMMAND_INIT
plugins += commands/init/perun-command-init.la
commands_init_perun_command_init_la_SOURCES = \
	commands/init/init.c \
	commands/init/paths.c \
	commands/init/paths.h
commands_init_perun_command_init_la_CFLAGS = $(plugin_cflags)
commands_init_perun_command_init_la_LDFLAGS = $(plugin_ldflags)
commands_init_perun_command_init_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/init/perun-init.1
endif
EXTRA_DIST += commands/init/perun-init.mdoc
