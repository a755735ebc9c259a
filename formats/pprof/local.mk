if PLUGIN_FORMAT_PPROF
plugins += formats/pprof/perun-format-pprof.la
formats_pprof_perun_format_pprof_la_SOURCES = \
	formats/pprof/plugin.c \
	formats/pprof/pprof.h \
	formats/pprof/read.c \
	formats/pprof/write.c
formats_pprof_perun_format_pprof_la_CFLAGS = $(plugin_cflags) $(ZLIB_CFLAGS)
formats_pprof_perun_format_pprof_la_LDFLAGS = $(plugin_ldflags)
formats_pprof_perun_format_pprof_la_LIBADD = $(plugin_libs) $(ZLIB_LIBS)
generated_mans += formats/pprof/perun-format-pprof.1
endif
EXTRA_DIST += formats/pprof/perun-format-pprof.mdoc
