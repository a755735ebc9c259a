if PLUGIN_FORMAT_PPROF
plugins += formats/pprof/perun-format-pprof.la
formats_pprof_perun_format_pprof_la_SOURCES = \
	formats/pprof/deflate.c \
	formats/pprof/deflate.h \
	formats/pprof/ids.c \
	formats/pprof/ids.h \
	formats/pprof/plan.c \
	formats/pprof/plugin.c \
	formats/pprof/pprof.h \
	formats/pprof/probe.c \
	formats/pprof/read-header.c \
	formats/pprof/read-places.c \
	formats/pprof/read-samples.c \
	formats/pprof/read.c \
	formats/pprof/reading.h \
	formats/pprof/wire.c \
	formats/pprof/wire.h \
	formats/pprof/write-labels.c \
	formats/pprof/write-places.c \
	formats/pprof/write-samples.c \
	formats/pprof/write.c \
	formats/pprof/writing.h
formats_pprof_perun_format_pprof_la_CFLAGS = $(plugin_cflags) $(ZLIB_CFLAGS)
formats_pprof_perun_format_pprof_la_LDFLAGS = $(plugin_ldflags)
formats_pprof_perun_format_pprof_la_LIBADD = formats/common/libpprof-texts.la $(plugin_libs) $(ZLIB_LIBS)
generated_mans += formats/pprof/perun-format-pprof.1
endif
EXTRA_DIST += formats/pprof/perun-format-pprof.mdoc
