if PLUGIN_FORMAT_PERF_STAT
plugins += formats/perf-stat/perun-format-perf-stat.la
formats_perf_stat_perun_format_perf_stat_la_SOURCES = formats/perf-stat/plugin.c
formats_perf_stat_perun_format_perf_stat_la_CFLAGS = $(plugin_cflags)
formats_perf_stat_perun_format_perf_stat_la_LDFLAGS = $(plugin_ldflags)
formats_perf_stat_perun_format_perf_stat_la_LIBADD = $(benchmark_libs)
man_MANS += formats/perf-stat/perun-format-perf-stat.7
endif
EXTRA_DIST += formats/perf-stat/perun-format-perf-stat.7
