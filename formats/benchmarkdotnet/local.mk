if PLUGIN_FORMAT_BENCHMARKDOTNET
plugins += formats/benchmarkdotnet/perun-format-benchmarkdotnet.la
formats_benchmarkdotnet_perun_format_benchmarkdotnet_la_SOURCES = formats/benchmarkdotnet/plugin.c
formats_benchmarkdotnet_perun_format_benchmarkdotnet_la_CFLAGS = $(plugin_cflags)
formats_benchmarkdotnet_perun_format_benchmarkdotnet_la_LDFLAGS = $(plugin_ldflags)
formats_benchmarkdotnet_perun_format_benchmarkdotnet_la_LIBADD = $(benchmark_libs)
man_MANS += formats/benchmarkdotnet/perun-format-benchmarkdotnet.7
endif
EXTRA_DIST += formats/benchmarkdotnet/perun-format-benchmarkdotnet.7
