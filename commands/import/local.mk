if PLUGIN_COMMAND_IMPORT
plugins += commands/import/perun-command-import.la
commands_import_perun_command_import_la_SOURCES = \
	commands/import/export.c \
	commands/import/history.c \
	commands/import/history.h \
	commands/import/history-directory.c \
	commands/import/history-file.c \
	commands/import/history-table.c \
	commands/import/import.c
commands_import_perun_command_import_la_CFLAGS = $(plugin_cflags)
commands_import_perun_command_import_la_LDFLAGS = $(plugin_ldflags)
commands_import_perun_command_import_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/import/perun-export.1 commands/import/perun-import.1
endif
EXTRA_DIST += commands/import/perun-export.mdoc commands/import/perun-import.mdoc
