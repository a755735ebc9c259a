if PLUGIN_FORMAT_JUNIT
plugins += formats/junit/perun-format-junit.la
formats_junit_perun_format_junit_la_SOURCES = formats/junit/plugin.c
formats_junit_perun_format_junit_la_CFLAGS = $(plugin_cflags) $(FORMAT_JUNIT_CFLAGS)
formats_junit_perun_format_junit_la_LDFLAGS = $(plugin_ldflags)
formats_junit_perun_format_junit_la_LIBADD = $(benchmark_libs) $(FORMAT_JUNIT_LIBS)
man_MANS += formats/junit/perun-format-junit.7
endif
EXTRA_DIST += formats/junit/perun-format-junit.7
