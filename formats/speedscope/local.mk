if PLUGIN_FORMAT_SPEEDSCOPE
plugins += formats/speedscope/perun-format-speedscope.la
formats_speedscope_perun_format_speedscope_la_SOURCES = \
	formats/speedscope/events.c \
	formats/speedscope/parse.c \
	formats/speedscope/plugin.c \
	formats/speedscope/read.c \
	formats/speedscope/speedscope.h \
	formats/speedscope/write.c
formats_speedscope_perun_format_speedscope_la_CFLAGS = $(plugin_cflags)
formats_speedscope_perun_format_speedscope_la_LDFLAGS = $(plugin_ldflags)
formats_speedscope_perun_format_speedscope_la_LIBADD = $(plugin_libs)
generated_mans += formats/speedscope/perun-format-speedscope.1
endif
EXTRA_DIST += formats/speedscope/perun-format-speedscope.mdoc
