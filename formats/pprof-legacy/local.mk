if PLUGIN_FORMAT_PPROF_LEGACY
plugins += formats/pprof-legacy/perun-format-pprof-legacy.la
formats_pprof_legacy_perun_format_pprof_legacy_la_SOURCES = \
	formats/pprof-legacy/contention.c \
	formats/pprof-legacy/count.c \
	formats/pprof-legacy/cpu.c \
	formats/pprof-legacy/emit.c \
	formats/pprof-legacy/find-mapping.c \
	formats/pprof-legacy/heap.c \
	formats/pprof-legacy/java.c \
	formats/pprof-legacy/legacy.h \
	formats/pprof-legacy/machinery.c \
	formats/pprof-legacy/maps.c \
	formats/pprof-legacy/places.c \
	formats/pprof-legacy/plugin.c \
	formats/pprof-legacy/profile.c \
	formats/pprof-legacy/text.c \
	formats/pprof-legacy/threads.c
formats_pprof_legacy_perun_format_pprof_legacy_la_CFLAGS = $(plugin_cflags)
formats_pprof_legacy_perun_format_pprof_legacy_la_LDFLAGS = $(plugin_ldflags)
formats_pprof_legacy_perun_format_pprof_legacy_la_LIBADD = $(plugin_libs) -lm
man_MANS += formats/pprof-legacy/perun-format-pprof-legacy.7
endif
EXTRA_DIST += formats/pprof-legacy/perun-format-pprof-legacy.7
