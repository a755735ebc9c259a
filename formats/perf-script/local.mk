if PLUGIN_FORMAT_PERF_SCRIPT
plugins += formats/perf-script/perun-format-perf-script.la
formats_perf_script_perun_format_perf_script_la_SOURCES = \
	formats/perf-script/lines.c \
	formats/perf-script/perf-script.h \
	formats/perf-script/plugin.c \
	formats/perf-script/read.c
formats_perf_script_perun_format_perf_script_la_CFLAGS = $(plugin_cflags)
formats_perf_script_perun_format_perf_script_la_LDFLAGS = $(plugin_ldflags)
formats_perf_script_perun_format_perf_script_la_LIBADD = $(plugin_libs)
man_MANS += formats/perf-script/perun-format-perf-script.7
endif
EXTRA_DIST += formats/perf-script/perun-format-perf-script.7
