if PLUGIN_FORMAT_VITEST
plugins += formats/vitest/perun-format-vitest.la
formats_vitest_perun_format_vitest_la_SOURCES = formats/vitest/plugin.c
formats_vitest_perun_format_vitest_la_CFLAGS = $(plugin_cflags)
formats_vitest_perun_format_vitest_la_LDFLAGS = $(plugin_ldflags)
formats_vitest_perun_format_vitest_la_LIBADD = $(benchmark_libs)
man_MANS += formats/vitest/perun-format-vitest.7
endif
EXTRA_DIST += formats/vitest/perun-format-vitest.7
