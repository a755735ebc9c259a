if PLUGIN_COMMAND_HISTORY
plugins += commands/history/perun-command-history.la
commands_history_perun_command_history_la_SOURCES = \
	commands/history/blame.c \
	commands/history/draw.c \
	commands/history/history.c \
	commands/history/history.h \
	commands/history/show.c
commands_history_perun_command_history_la_CFLAGS = $(plugin_cflags)
commands_history_perun_command_history_la_LDFLAGS = $(plugin_ldflags)
commands_history_perun_command_history_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/history/perun-blame.1 commands/history/perun-history.1
endif
EXTRA_DIST += commands/history/perun-blame.mdoc commands/history/perun-history.mdoc
