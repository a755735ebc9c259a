# Plugin check exclusive-time-outliers: see the pattern in Makefile.am.
if PLUGIN_CHECK_EXCLUSIVE_TIME_OUTLIERS
plugins += checks/exclusive-time/perun-check-exclusive-time-outliers.la
checks_exclusive_time_perun_check_exclusive_time_outliers_la_SOURCES = \
	checks/exclusive-time/exclusive-time.c \
	checks/exclusive-time/likeness.c \
	checks/exclusive-time/times.c \
	checks/exclusive-time/times.h
checks_exclusive_time_perun_check_exclusive_time_outliers_la_CFLAGS = $(plugin_cflags)
checks_exclusive_time_perun_check_exclusive_time_outliers_la_LDFLAGS = $(plugin_ldflags)
checks_exclusive_time_perun_check_exclusive_time_outliers_la_LIBADD = $(check_libs)
generated_mans += checks/exclusive-time/perun-check-exclusive-time-outliers.1
endif
EXTRA_DIST += checks/exclusive-time/perun-check-exclusive-time-outliers.mdoc
