if PLUGIN_FORMAT_AFPERF
plugins += formats/afperf/perun-format-afperf.la
formats_afperf_perun_format_afperf_la_SOURCES = \
	formats/afperf/command/check.c \
	formats/afperf/command/command.c \
	formats/afperf/command/command.h \
	formats/afperf/command/convert.c \
	formats/afperf/command/info.c \
	formats/afperf/command/merge.c \
	formats/afperf/command/reduce.c \
	formats/afperf/command/results.c \
	formats/afperf/command/results.h \
	formats/afperf/data.c \
	formats/afperf/define.c \
	formats/afperf/file.c \
	formats/afperf/file.h \
	formats/afperf/filter.c \
	formats/afperf/filter.h \
	formats/afperf/judge.c \
	formats/afperf/lines.c \
	formats/afperf/map.c \
	formats/afperf/map.h \
	formats/afperf/match.c \
	formats/afperf/model-finish.c \
	formats/afperf/model-stacks.c \
	formats/afperf/model-tables.c \
	formats/afperf/model.c \
	formats/afperf/model.h \
	formats/afperf/nest.c \
	formats/afperf/numbers.c \
	formats/afperf/parse.c \
	formats/afperf/pauses.c \
	formats/afperf/plugin.c \
	formats/afperf/problem.c \
	formats/afperf/problem.h \
	formats/afperf/read.c \
	formats/afperf/read.h \
	formats/afperf/record.h \
	formats/afperf/reduce.c \
	formats/afperf/reduce.h \
	formats/afperf/schema.c \
	formats/afperf/tally.c \
	formats/afperf/tally.h \
	formats/afperf/utf8.c \
	formats/afperf/write-any.c \
	formats/afperf/write-order.c \
	formats/afperf/write-own.c \
	formats/afperf/write-own.h \
	formats/afperf/write-records.c \
	formats/afperf/write.c \
	formats/afperf/writing.h
formats_afperf_perun_format_afperf_la_CFLAGS = $(plugin_cflags)
formats_afperf_perun_format_afperf_la_LDFLAGS = $(plugin_ldflags)
formats_afperf_perun_format_afperf_la_LIBADD = $(plugin_libs)
generated_mans += formats/afperf/perun-format-afperf.1 formats/afperf/perun-afperf.1
endif
EXTRA_DIST += formats/afperf/perun-format-afperf.mdoc formats/afperf/perun-afperf.mdoc
