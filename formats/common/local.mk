# What readers of benchmark results share: a library that is a part of each of them.
noinst_LTLIBRARIES += formats/common/libbenchmark.la
formats_common_libbenchmark_la_SOURCES = \
	formats/common/benchmark.c \
	formats/common/benchmark.h \
	formats/common/benchmark-json.c \
	formats/common/benchmark-orders.c \
	formats/common/benchmark-orders.h \
	formats/common/benchmark-xml.h \
	formats/common/characters.h \
	formats/common/csv.h \
	formats/common/each-line.h \
	formats/common/json-source.h \
	formats/common/plugin.h \
	formats/common/result-table.c \
	formats/common/result-table.h \
	formats/common/xml-feed.h
formats_common_libbenchmark_la_CFLAGS = $(plugin_cflags)
benchmark_libs = formats/common/libbenchmark.la formats/common/libnumbers.la $(plugin_libs)

# Bytes as strings of a document: the format pprof and the command.
noinst_LTLIBRARIES += formats/common/libpprof-texts.la
formats_common_libpprof_texts_la_SOURCES = formats/common/pprof-texts.c formats/common/pprof-texts.h
formats_common_libpprof_texts_la_CFLAGS = $(plugin_cflags)

# Files of AFPerf, read, checked and written: the format and the command.
noinst_LTLIBRARIES += formats/common/libafperf.la
formats_common_libafperf_la_SOURCES = $(formats_common_afperf_files)
formats_common_libafperf_la_CFLAGS = $(plugin_cflags)

# What readers and writers of Extra-P's documents share.
noinst_LTLIBRARIES += formats/common/libexperiments.la
formats_common_libexperiments_la_SOURCES = formats/common/experiment-json.c formats/common/experiment-json.h
formats_common_libexperiments_la_CFLAGS = $(plugin_cflags)

# Lists of numbers that wait for the rest of a file, and tables from such numbers.
noinst_LTLIBRARIES += formats/common/libnumbers.la
formats_common_libnumbers_la_SOURCES = \
	formats/common/numbers.c \
	formats/common/numbers.h \
	formats/common/stacks-numbers.c \
	formats/common/stacks-numbers.h
formats_common_libnumbers_la_CFLAGS = $(plugin_cflags)

# What readers of call stacks share.
noinst_LTLIBRARIES += formats/common/libstacks.la
formats_common_libstacks_la_SOURCES = \
	formats/common/archive-members.h \
	formats/common/csv.h \
	formats/common/each-line.h \
	formats/common/json-source.h \
	formats/common/losses.c \
	formats/common/losses.h \
	formats/common/points.h \
	formats/common/protobuf.h \
	formats/common/rust-names.c \
	formats/common/stack-nodes.c \
	formats/common/stacks.c \
	formats/common/plugin.h \
	formats/common/stacks.h \
	formats/common/stream.c \
	formats/common/stream.h \
	formats/common/v8.c \
	formats/common/v8.h
formats_common_libstacks_la_CFLAGS = $(plugin_cflags)
stacks_libs = formats/common/libstacks.la formats/common/libnumbers.la $(plugin_libs)

# The text of perf script: its format, and recordings that perf itself has to read.
noinst_LTLIBRARIES += formats/common/libperf-script.la
formats_common_libperf_script_la_SOURCES = \
	formats/common/perf-script.h \
	formats/common/perf-script-lines.c \
	formats/common/perf-script-profile.c \
	formats/common/perf-script-read.c
formats_common_libperf_script_la_CFLAGS = $(plugin_cflags)
