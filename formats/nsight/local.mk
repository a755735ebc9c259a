if PLUGIN_FORMAT_NSIGHT
plugins += formats/nsight/perun-format-nsight.la
formats_nsight_perun_format_nsight_la_SOURCES = \
	formats/nsight/database.c \
	formats/nsight/idle.c \
	formats/nsight/measure.c \
	formats/nsight/nsight.h \
	formats/nsight/overlap.c \
	formats/nsight/paths.c \
	formats/nsight/plugin.c \
	formats/nsight/read.c
formats_nsight_perun_format_nsight_la_CFLAGS = $(plugin_cflags) $(FORMAT_NSIGHT_CFLAGS)
formats_nsight_perun_format_nsight_la_LDFLAGS = $(plugin_ldflags)
formats_nsight_perun_format_nsight_la_LIBADD = $(plugin_libs) $(FORMAT_NSIGHT_LIBS)
man_MANS += formats/nsight/perun-format-nsight.7
endif
EXTRA_DIST += formats/nsight/perun-format-nsight.7
