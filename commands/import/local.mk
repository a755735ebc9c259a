if PLUGIN_COMMAND_IMPORT
plugins += commands/import/perun-command-import.la
commands_import_perun_command_import_la_SOURCES = commands/import/import.c
commands_import_perun_command_import_la_CFLAGS = $(plugin_cflags)
commands_import_perun_command_import_la_LDFLAGS = $(plugin_ldflags)
commands_import_perun_command_import_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/import/perun-import.1
endif
EXTRA_DIST += commands/import/perun-import.mdoc
