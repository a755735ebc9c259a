if PLUGIN_FORMAT_FIREFOX
plugins += formats/firefox/perun-format-firefox.la
formats_firefox_perun_format_firefox_la_SOURCES = \
	formats/firefox/firefox.h \
	formats/firefox/parse.c \
	formats/firefox/plugin.c \
	formats/firefox/reading.h \
	formats/firefox/rows.c \
	formats/firefox/tables.c \
	formats/firefox/tables.h \
	formats/firefox/thread.c \
	formats/firefox/threads.c
formats_firefox_perun_format_firefox_la_CFLAGS = $(plugin_cflags)
formats_firefox_perun_format_firefox_la_LDFLAGS = $(plugin_ldflags)
formats_firefox_perun_format_firefox_la_LIBADD = $(stacks_libs)
generated_mans += formats/firefox/perun-format-firefox.1
endif
EXTRA_DIST += formats/firefox/perun-format-firefox.mdoc
