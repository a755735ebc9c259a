if PLUGIN_FORMAT_EXTRAP3
plugins += formats/extrap3/perun-format-extrap3.la
formats_extrap3_perun_format_extrap3_la_SOURCES = \
	formats/extrap3/bytes.c \
	formats/extrap3/extrap3.h \
	formats/extrap3/models.c \
	formats/extrap3/plugin.c \
	formats/extrap3/read.c
formats_extrap3_perun_format_extrap3_la_CFLAGS = $(plugin_cflags)
formats_extrap3_perun_format_extrap3_la_LDFLAGS = $(plugin_ldflags)
formats_extrap3_perun_format_extrap3_la_LIBADD = $(plugin_libs)
man_MANS += formats/extrap3/perun-format-extrap3.7
endif
EXTRA_DIST += formats/extrap3/perun-format-extrap3.7
