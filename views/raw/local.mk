# Plugin view raw: see the pattern in Makefile.am.
if PLUGIN_VIEW_RAW
plugins += views/raw/perun-view-raw.la
views_raw_perun_view_raw_la_SOURCES = \
	views/raw/json-text.c \
	views/raw/json-text.h \
	views/raw/raw.c
views_raw_perun_view_raw_la_CFLAGS = $(plugin_cflags)
views_raw_perun_view_raw_la_LDFLAGS = $(plugin_ldflags)
views_raw_perun_view_raw_la_LIBADD = $(plugin_libs)
generated_mans += views/raw/perun-view-raw.1
endif
EXTRA_DIST += views/raw/perun-view-raw.mdoc
