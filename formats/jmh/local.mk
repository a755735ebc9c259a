if PLUGIN_FORMAT_JMH
plugins += formats/jmh/perun-format-jmh.la
formats_jmh_perun_format_jmh_la_SOURCES = formats/jmh/plugin.c
formats_jmh_perun_format_jmh_la_CFLAGS = $(plugin_cflags)
formats_jmh_perun_format_jmh_la_LDFLAGS = $(plugin_ldflags)
formats_jmh_perun_format_jmh_la_LIBADD = $(benchmark_libs)
man_MANS += formats/jmh/perun-format-jmh.7
endif
EXTRA_DIST += formats/jmh/perun-format-jmh.7
