if PLUGIN_FORMAT_HYPERFINE
plugins += formats/hyperfine/perun-format-hyperfine.la
formats_hyperfine_perun_format_hyperfine_la_SOURCES = formats/hyperfine/plugin.c
formats_hyperfine_perun_format_hyperfine_la_CFLAGS = $(plugin_cflags)
formats_hyperfine_perun_format_hyperfine_la_LDFLAGS = $(plugin_ldflags)
formats_hyperfine_perun_format_hyperfine_la_LIBADD = $(benchmark_libs)
man_MANS += formats/hyperfine/perun-format-hyperfine.7
endif
EXTRA_DIST += formats/hyperfine/perun-format-hyperfine.7
