if PLUGIN_FORMAT_COLLAPSED
plugins += formats/collapsed/perun-format-collapsed.la
formats_collapsed_perun_format_collapsed_la_SOURCES = \
	formats/collapsed/collapsed.h \
	formats/collapsed/line.c \
	formats/collapsed/plugin.c \
	formats/collapsed/read.c \
	formats/collapsed/write.c
formats_collapsed_perun_format_collapsed_la_CFLAGS = $(plugin_cflags)
formats_collapsed_perun_format_collapsed_la_LDFLAGS = $(plugin_ldflags)
formats_collapsed_perun_format_collapsed_la_LIBADD = $(stacks_libs)
generated_mans += formats/collapsed/perun-format-collapsed.1
endif
EXTRA_DIST += formats/collapsed/perun-format-collapsed.mdoc
