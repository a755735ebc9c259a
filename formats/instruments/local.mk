if PLUGIN_FORMAT_INSTRUMENTS
plugins += formats/instruments/perun-format-instruments.la
formats_instruments_perun_format_instruments_la_SOURCES = \
	formats/instruments/copy.c \
	formats/instruments/instruments.h \
	formats/instruments/plugin.c \
	formats/instruments/xml.c
formats_instruments_perun_format_instruments_la_CFLAGS = $(plugin_cflags) $(FORMAT_INSTRUMENTS_CFLAGS)
formats_instruments_perun_format_instruments_la_LDFLAGS = $(plugin_ldflags)
formats_instruments_perun_format_instruments_la_LIBADD = $(stacks_libs) $(FORMAT_INSTRUMENTS_LIBS)
man_MANS += formats/instruments/perun-format-instruments.7
endif
EXTRA_DIST += formats/instruments/perun-format-instruments.7
