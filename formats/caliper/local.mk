if PLUGIN_FORMAT_CALIPER
plugins += formats/caliper/perun-format-caliper.la
formats_caliper_perun_format_caliper_la_SOURCES = \
	formats/caliper/cali.c \
	formats/caliper/caliper.h \
	formats/caliper/plugin.c
formats_caliper_perun_format_caliper_la_CFLAGS = $(plugin_cflags)
formats_caliper_perun_format_caliper_la_LDFLAGS = $(plugin_ldflags)
formats_caliper_perun_format_caliper_la_LIBADD = formats/common/libbenchmark.la $(stacks_libs)
generated_mans += formats/caliper/perun-format-caliper.1
endif
EXTRA_DIST += formats/caliper/perun-format-caliper.mdoc
