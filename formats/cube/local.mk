if PLUGIN_FORMAT_CUBE
plugins += formats/cube/perun-format-cube.la
formats_cube_perun_format_cube_la_SOURCES = \
	formats/cube/anchor.c \
	formats/cube/archive.c \
	formats/cube/cube.h \
	formats/cube/plugin.c \
	formats/cube/read.c \
	formats/cube/values.c \
	formats/cube/write.c
formats_cube_perun_format_cube_la_CFLAGS = $(plugin_cflags) $(FORMAT_CUBE_CFLAGS)
formats_cube_perun_format_cube_la_LDFLAGS = $(plugin_ldflags)
formats_cube_perun_format_cube_la_LIBADD = $(plugin_libs) $(FORMAT_CUBE_LIBS)
generated_mans += formats/cube/perun-format-cube.1
endif
EXTRA_DIST += formats/cube/perun-format-cube.mdoc
