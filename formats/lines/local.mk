if PLUGIN_FORMAT_LINES
plugins += formats/lines/perun-format-lines.la
formats_lines_perun_format_lines_la_SOURCES = formats/lines/plugin.c
formats_lines_perun_format_lines_la_CFLAGS = $(plugin_cflags)
formats_lines_perun_format_lines_la_LDFLAGS = $(plugin_ldflags)
formats_lines_perun_format_lines_la_LIBADD = $(benchmark_libs)
man_MANS += formats/lines/perun-format-lines.7
endif
EXTRA_DIST += formats/lines/perun-format-lines.7
