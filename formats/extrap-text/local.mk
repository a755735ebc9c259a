if PLUGIN_FORMAT_EXTRAP_TEXT
plugins += formats/extrap-text/perun-format-extrap-text.la
formats_extrap_text_perun_format_extrap_text_la_SOURCES = \
	formats/extrap-text/extrap-text.h \
	formats/extrap-text/plugin.c \
	formats/extrap-text/read.c \
	formats/extrap-text/write.c
formats_extrap_text_perun_format_extrap_text_la_CFLAGS = $(plugin_cflags)
formats_extrap_text_perun_format_extrap_text_la_LDFLAGS = $(plugin_ldflags)
formats_extrap_text_perun_format_extrap_text_la_LIBADD = $(plugin_libs)
man_MANS += formats/extrap-text/perun-format-extrap-text.7
endif
EXTRA_DIST += formats/extrap-text/perun-format-extrap-text.7
