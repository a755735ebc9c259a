# Plugin view tableof: see the pattern in Makefile.am.
if PLUGIN_VIEW_TABLEOF
plugins += views/tableof/perun-view-tableof.la
views_tableof_perun_view_tableof_la_SOURCES = \
	views/tableof/fit.c \
	views/tableof/fit.h \
	views/tableof/layout.c \
	views/tableof/layout.h \
	views/tableof/markup.c \
	views/tableof/markup.h \
	views/tableof/models.c \
	views/tableof/page.c \
	views/tableof/rows.c \
	views/tableof/rows.h \
	views/tableof/table.c \
	views/tableof/table.h \
	views/tableof/tableof.c
views_tableof_perun_view_tableof_la_CFLAGS = $(plugin_cflags)
views_tableof_perun_view_tableof_la_LDFLAGS = $(plugin_ldflags)
views_tableof_perun_view_tableof_la_LIBADD = $(view_libs)
generated_mans += views/tableof/perun-view-tableof.1
endif
EXTRA_DIST += views/tableof/perun-view-tableof.mdoc
