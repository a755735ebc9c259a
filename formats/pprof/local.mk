if PLUGIN_FORMAT_PPROF
plugins += formats/pprof/perun-format-pprof.la
formats_pprof_perun_format_pprof_la_SOURCES = \
	formats/pprof/command/arguments.c \
	formats/pprof/command/callgrind.c \
	formats/pprof/command/command.c \
	formats/pprof/command/command.h \
	formats/pprof/command/commands.c \
	formats/pprof/command/convert.c \
	formats/pprof/command/dot-tags.c \
	formats/pprof/command/dot.c \
	formats/pprof/command/dot.h \
	formats/pprof/command/facts.c \
	formats/pprof/command/filters.c \
	formats/pprof/command/graph.c \
	formats/pprof/command/graph.h \
	formats/pprof/command/inputs.c \
	formats/pprof/command/image.c \
	formats/pprof/command/label-filter.c \
	formats/pprof/command/label-units.c \
	formats/pprof/command/legend.c \
	formats/pprof/command/list.c \
	formats/pprof/command/list.h \
	formats/pprof/command/measurement.c \
	formats/pprof/command/measurement.h \
	formats/pprof/command/names.c \
	formats/pprof/command/node-tags.c \
	formats/pprof/command/node-tags.h \
	formats/pprof/command/pipeline.c \
	formats/pprof/command/raw.c \
	formats/pprof/command/rebuild.c \
	formats/pprof/command/rebuild.h \
	formats/pprof/command/report.c \
	formats/pprof/command/report.h \
	formats/pprof/command/settings.h \
	formats/pprof/command/shorten.c \
	formats/pprof/command/shorten.h \
	formats/pprof/command/small-reports.c \
	formats/pprof/command/sources.c \
	formats/pprof/command/sources.h \
	formats/pprof/command/tags.c \
	formats/pprof/command/text.c \
	formats/pprof/command/topproto.c \
	formats/pprof/command/traces.c \
	formats/pprof/command/weblist.c \
	formats/pprof/deflate.c \
	formats/pprof/deflate.h \
	formats/pprof/ids.c \
	formats/pprof/ids.h \
	formats/pprof/plan.c \
	formats/pprof/plugin.c \
	formats/pprof/pprof.h \
	formats/pprof/probe.c \
	formats/pprof/read.c \
	formats/pprof/read-header.c \
	formats/pprof/read-places.c \
	formats/pprof/read-samples.c \
	formats/pprof/reading.h \
	formats/pprof/texts.c \
	formats/pprof/texts.h \
	formats/pprof/wire.c \
	formats/pprof/wire.h \
	formats/pprof/write.c \
	formats/pprof/write-labels.c \
	formats/pprof/write-places.c \
	formats/pprof/write-samples.c \
	formats/pprof/writing.h
formats_pprof_perun_format_pprof_la_CFLAGS = $(plugin_cflags) $(ZLIB_CFLAGS)
formats_pprof_perun_format_pprof_la_LDFLAGS = $(plugin_ldflags)
formats_pprof_perun_format_pprof_la_LIBADD = $(plugin_libs) $(ZLIB_LIBS)
generated_mans += formats/pprof/perun-format-pprof.1 formats/pprof/perun-pprof.1
endif
EXTRA_DIST += formats/pprof/perun-format-pprof.mdoc formats/pprof/perun-pprof.mdoc
