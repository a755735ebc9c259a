# Plugin check local-statistics: see the pattern in Makefile.am.
if PLUGIN_CHECK_LOCAL_STATISTICS
plugins += checks/local-statistics/perun-check-local-statistics.la
checks_local_statistics_perun_check_local_statistics_la_SOURCES = \
	checks/local-statistics/local-statistics.c
checks_local_statistics_perun_check_local_statistics_la_CFLAGS = $(plugin_cflags)
checks_local_statistics_perun_check_local_statistics_la_LDFLAGS = $(plugin_ldflags)
checks_local_statistics_perun_check_local_statistics_la_LIBADD = $(check_libs)
generated_mans += checks/local-statistics/perun-check-local-statistics.1
endif
EXTRA_DIST += checks/local-statistics/perun-check-local-statistics.mdoc
