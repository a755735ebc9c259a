if PLUGIN_FORMAT_SAMPLE
plugins += formats/sample/perun-format-sample.la
formats_sample_perun_format_sample_la_SOURCES = formats/sample/plugin.c
formats_sample_perun_format_sample_la_CFLAGS = $(plugin_cflags)
formats_sample_perun_format_sample_la_LDFLAGS = $(plugin_ldflags)
formats_sample_perun_format_sample_la_LIBADD = $(stacks_libs)
man_MANS += formats/sample/perun-format-sample.7
endif
EXTRA_DIST += formats/sample/perun-format-sample.7
