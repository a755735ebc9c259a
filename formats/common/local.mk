# What readers of benchmark results share: a library that is a part of each of them.
noinst_LTLIBRARIES += formats/common/libbenchmark.la
formats_common_libbenchmark_la_SOURCES = \
	formats/common/benchmark.c \
	formats/common/benchmark.h \
	formats/common/benchmark-xml.h
formats_common_libbenchmark_la_CFLAGS = $(plugin_cflags)
benchmark_libs = formats/common/libbenchmark.la $(plugin_libs)
