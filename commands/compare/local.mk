if PLUGIN_COMMAND_COMPARE
plugins += commands/compare/perun-command-compare.la
commands_compare_perun_command_compare_la_SOURCES = commands/compare/compare.c
commands_compare_perun_command_compare_la_CFLAGS = $(plugin_cflags)
commands_compare_perun_command_compare_la_LDFLAGS = $(plugin_ldflags)
commands_compare_perun_command_compare_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/compare/perun-compare.1
endif
EXTRA_DIST += commands/compare/perun-compare.mdoc
