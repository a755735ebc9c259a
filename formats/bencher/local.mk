if PLUGIN_FORMAT_BENCHER
plugins += formats/bencher/perun-format-bencher.la
formats_bencher_perun_format_bencher_la_SOURCES = formats/bencher/plugin.c
formats_bencher_perun_format_bencher_la_CFLAGS = $(plugin_cflags)
formats_bencher_perun_format_bencher_la_LDFLAGS = $(plugin_ldflags)
formats_bencher_perun_format_bencher_la_LIBADD = $(benchmark_libs)
man_MANS += formats/bencher/perun-format-bencher.7
endif
EXTRA_DIST += formats/bencher/perun-format-bencher.7
