if PLUGIN_FORMAT_CRITERION
plugins += formats/criterion/perun-format-criterion.la
formats_criterion_perun_format_criterion_la_SOURCES = formats/criterion/plugin.c
formats_criterion_perun_format_criterion_la_CFLAGS = $(plugin_cflags)
formats_criterion_perun_format_criterion_la_LDFLAGS = $(plugin_ldflags)
formats_criterion_perun_format_criterion_la_LIBADD = $(benchmark_libs)
man_MANS += formats/criterion/perun-format-criterion.7
endif
EXTRA_DIST += formats/criterion/perun-format-criterion.7
