if PLUGIN_FORMAT_CALLGRIND
plugins += formats/callgrind/perun-format-callgrind.la
formats_callgrind_perun_format_callgrind_la_SOURCES = \
	formats/callgrind/callgrind.h \
	formats/callgrind/plugin.c \
	formats/callgrind/read.c \
	formats/callgrind/tables.c \
	formats/callgrind/write.c
formats_callgrind_perun_format_callgrind_la_CFLAGS = $(plugin_cflags)
formats_callgrind_perun_format_callgrind_la_LDFLAGS = $(plugin_ldflags)
formats_callgrind_perun_format_callgrind_la_LIBADD = $(plugin_libs)
man_MANS += formats/callgrind/perun-format-callgrind.7
endif
EXTRA_DIST += formats/callgrind/perun-format-callgrind.7
