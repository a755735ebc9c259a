# What executors share: a library that is a part of each of them.
noinst_LTLIBRARIES += executors/common/libexecutors.la
executors_common_libexecutors_la_SOURCES = $(executors_common_files)
executors_common_libexecutors_la_CFLAGS = $(plugin_cflags)
executor_libs = executors/common/libexecutors.la $(plugin_libs)
