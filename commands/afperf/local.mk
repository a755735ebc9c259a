if PLUGIN_COMMAND_AFPERF
plugins += commands/afperf/perun-command-afperf.la
commands_afperf_perun_command_afperf_la_SOURCES = \
	commands/afperf/check.c \
	commands/afperf/command.c \
	commands/afperf/command.h \
	commands/afperf/convert.c \
	commands/afperf/info.c \
	commands/afperf/merge.c \
	commands/afperf/plugin.c \
	commands/afperf/reduce.c \
	commands/afperf/reduce.h \
	commands/afperf/results.c \
	commands/afperf/results.h \
	commands/afperf/run-reduce.c \
	commands/afperf/tally.c \
	commands/afperf/tally.h
commands_afperf_perun_command_afperf_la_CFLAGS = $(plugin_cflags)
commands_afperf_perun_command_afperf_la_LDFLAGS = $(plugin_ldflags)
commands_afperf_perun_command_afperf_la_LIBADD = formats/common/libafperf.la $(plugin_libs)
generated_mans += commands/afperf/perun-afperf.1
endif
EXTRA_DIST += commands/afperf/perun-afperf.mdoc
