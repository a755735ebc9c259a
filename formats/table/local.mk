if PLUGIN_FORMAT_TABLE
plugins += formats/table/perun-format-table.la
formats_table_perun_format_table_la_SOURCES = formats/table/plugin.c
formats_table_perun_format_table_la_CFLAGS = $(plugin_cflags)
formats_table_perun_format_table_la_LDFLAGS = $(plugin_ldflags)
formats_table_perun_format_table_la_LIBADD = $(benchmark_libs)
man_MANS += formats/table/perun-format-table.7
endif
EXTRA_DIST += formats/table/perun-format-table.7
