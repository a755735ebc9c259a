# What checks share: a library that is a part of each of them.
noinst_LTLIBRARIES += checks/common/libchecks.la
checks_common_libchecks_la_SOURCES = $(checks_common_files)
checks_common_libchecks_la_CFLAGS = $(plugin_cflags)
check_libs = checks/common/libchecks.la $(plugin_libs) $(LIBM)
