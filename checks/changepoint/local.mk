# Plugin check changepoint: see the pattern in Makefile.am.
if PLUGIN_CHECK_CHANGEPOINT
plugins += checks/changepoint/perun-check-changepoint.la
checks_changepoint_perun_check_changepoint_la_SOURCES = \
	checks/changepoint/changepoint.c
checks_changepoint_perun_check_changepoint_la_CFLAGS = $(plugin_cflags)
checks_changepoint_perun_check_changepoint_la_LDFLAGS = $(plugin_ldflags)
checks_changepoint_perun_check_changepoint_la_LIBADD = $(check_libs)
generated_mans += checks/changepoint/perun-check-changepoint.1
endif
EXTRA_DIST += checks/changepoint/perun-check-changepoint.mdoc
