if PLUGIN_FORMAT_PERUN
plugins += formats/perun/perun-format-perun.la
formats_perun_perun_format_perun_la_SOURCES = \
	formats/perun/arrays.c \
	formats/perun/cells.c \
	formats/perun/emit.c \
	formats/perun/expand.c \
	formats/perun/finish.c \
	formats/perun/keys.c \
	formats/perun/map.c \
	formats/perun/map.h \
	formats/perun/names.c \
	formats/perun/names.h \
	formats/perun/native.c \
	formats/perun/plan.c \
	formats/perun/plugin.c \
	formats/perun/read.c \
	formats/perun/read-models.c \
	formats/perun/reading.h \
	formats/perun/regroup.c \
	formats/perun/rows.c \
	formats/perun/stacks.c \
	formats/perun/types.c \
	formats/perun/values.c \
	formats/perun/write.c \
	formats/perun/write-models.c \
	formats/perun/writing.h
formats_perun_perun_format_perun_la_CFLAGS = $(plugin_cflags)
formats_perun_perun_format_perun_la_LDFLAGS = $(plugin_ldflags)
formats_perun_perun_format_perun_la_LIBADD = $(plugin_libs)
man_MANS += formats/perun/perun-format-perun.7
endif
EXTRA_DIST += formats/perun/perun-format-perun.7
