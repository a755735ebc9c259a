if PLUGIN_FORMAT_CATCH2
plugins += formats/catch2/perun-format-catch2.la
formats_catch2_perun_format_catch2_la_SOURCES = \
	formats/catch2/console.c \
	formats/catch2/console.h \
	formats/catch2/plugin.c
formats_catch2_perun_format_catch2_la_CFLAGS = $(plugin_cflags) $(FORMAT_CATCH2_CFLAGS)
formats_catch2_perun_format_catch2_la_LDFLAGS = $(plugin_ldflags)
formats_catch2_perun_format_catch2_la_LIBADD = $(benchmark_libs) $(FORMAT_CATCH2_LIBS)
man_MANS += formats/catch2/perun-format-catch2.7
endif
EXTRA_DIST += formats/catch2/perun-format-catch2.7
