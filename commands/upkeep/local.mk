if PLUGIN_COMMAND_UPKEEP
plugins += commands/upkeep/perun-command-upkeep.la
commands_upkeep_perun_command_upkeep_la_SOURCES = commands/upkeep/upkeep.c
commands_upkeep_perun_command_upkeep_la_CFLAGS = $(plugin_cflags)
commands_upkeep_perun_command_upkeep_la_LDFLAGS = $(plugin_ldflags)
commands_upkeep_perun_command_upkeep_la_LIBADD = views/common/libviews.la $(command_libs)
generated_mans += commands/upkeep/perun-fsck.1 commands/upkeep/perun-gc.1 commands/upkeep/perun-recover.1
endif
EXTRA_DIST += commands/upkeep/perun-fsck.mdoc commands/upkeep/perun-gc.mdoc commands/upkeep/perun-recover.mdoc
