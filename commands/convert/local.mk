if PLUGIN_COMMAND_CONVERT
plugins += commands/convert/perun-command-convert.la
commands_convert_perun_command_convert_la_SOURCES = commands/convert/convert.c
commands_convert_perun_command_convert_la_CFLAGS = $(plugin_cflags)
commands_convert_perun_command_convert_la_LDFLAGS = $(plugin_ldflags)
commands_convert_perun_command_convert_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/convert/perun-convert.1
endif
EXTRA_DIST += commands/convert/perun-convert.mdoc
