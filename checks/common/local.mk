# What checks share: a library that is a part of each of them.
noinst_LTLIBRARIES += checks/common/libchecks.la
checks_common_libchecks_la_SOURCES = \
	checks/common/curves.c \
	checks/common/curves.h \
	checks/common/difference.c \
	checks/common/difference.h \
	checks/common/fit.c \
	checks/common/fit.h \
	checks/common/levels.c \
	checks/common/levels.h \
	checks/common/models.c \
	checks/common/models.h \
	checks/common/points.c \
	checks/common/relative.c \
	checks/common/relative.h
checks_common_libchecks_la_CFLAGS = $(plugin_cflags)
check_libs = checks/common/libchecks.la $(plugin_libs) $(LIBM)
