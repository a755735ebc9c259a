if PLUGIN_FORMAT_JEMALLOC
plugins += formats/jemalloc/perun-format-jemalloc.la
formats_jemalloc_perun_format_jemalloc_la_SOURCES = formats/jemalloc/plugin.c
formats_jemalloc_perun_format_jemalloc_la_CFLAGS = $(plugin_cflags)
formats_jemalloc_perun_format_jemalloc_la_LDFLAGS = $(plugin_ldflags)
formats_jemalloc_perun_format_jemalloc_la_LIBADD = $(stacks_libs)
man_MANS += formats/jemalloc/perun-format-jemalloc.7
endif
EXTRA_DIST += formats/jemalloc/perun-format-jemalloc.7
