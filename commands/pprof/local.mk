if PLUGIN_COMMAND_PPROF
plugins += commands/pprof/perun-command-pprof.la
commands_pprof_perun_command_pprof_la_SOURCES = \
	commands/common/safe-lines.c \
	commands/common/safe-lines.h \
	commands/pprof/arguments.c \
	commands/pprof/callgrind.c \
	commands/pprof/command.c \
	commands/pprof/command.h \
	commands/pprof/commands.c \
	commands/pprof/convert.c \
	commands/pprof/dot-tags.c \
	commands/pprof/dot.c \
	commands/pprof/dot.h \
	commands/pprof/facts.c \
	commands/pprof/filters.c \
	commands/pprof/graph.c \
	commands/pprof/graph.h \
	commands/pprof/image.c \
	commands/pprof/inputs.c \
	commands/pprof/label-filter.c \
	commands/pprof/label-units.c \
	commands/pprof/legend.c \
	commands/pprof/list.c \
	commands/pprof/list.h \
	commands/pprof/measurement.c \
	commands/pprof/measurement.h \
	commands/pprof/names.c \
	commands/pprof/node-tags.c \
	commands/pprof/node-tags.h \
	commands/pprof/pipeline.c \
	commands/pprof/plugin.c \
	commands/pprof/raw.c \
	commands/pprof/rebuild.c \
	commands/pprof/rebuild.h \
	commands/pprof/report.c \
	commands/pprof/report.h \
	commands/pprof/settings.h \
	commands/pprof/shorten.c \
	commands/pprof/shorten.h \
	commands/pprof/small-reports.c \
	commands/pprof/sources.c \
	commands/pprof/sources.h \
	commands/pprof/tags.c \
	commands/pprof/text.c \
	commands/pprof/topproto.c \
	commands/pprof/traces.c \
	commands/pprof/weblist.c
commands_pprof_perun_command_pprof_la_CFLAGS = $(plugin_cflags)
commands_pprof_perun_command_pprof_la_LDFLAGS = $(plugin_ldflags)
commands_pprof_perun_command_pprof_la_LIBADD = formats/common/libpprof-texts.la $(plugin_libs)
generated_mans += commands/pprof/perun-pprof.1
endif
EXTRA_DIST += commands/pprof/perun-pprof.mdoc
