# What views share: a library that is a part of each of them.
noinst_LTLIBRARIES += views/common/libviews.la
views_common_libviews_la_SOURCES = \
	views/common/bars.c \
	views/common/bars.h \
	views/common/calls.c \
	views/common/data.c \
	views/common/data.h \
	views/common/filters.c \
	views/common/find.c \
	views/common/grid.c \
	views/common/grid.h \
	views/common/heading.c \
	views/common/join.c \
	views/common/pair.c \
	views/common/quantity.c \
	views/common/quantity.h \
	views/common/rows.c \
	views/common/rows.h \
	views/common/text.c \
	views/common/text.h \
	views/common/traces.c \
	views/common/tree.c \
	views/common/tree.h \
	views/common/tree-view.c \
	views/common/values.c
views_common_libviews_la_CFLAGS = $(plugin_cflags)
view_libs = views/common/libviews.la $(plugin_libs)
