# Plugin check fast-check: see the pattern in Makefile.am.
if PLUGIN_CHECK_FAST_CHECK
plugins += checks/fast-check/perun-check-fast-check.la
checks_fast_check_perun_check_fast_check_la_SOURCES = \
	checks/fast-check/fast-check.c
checks_fast_check_perun_check_fast_check_la_CFLAGS = $(plugin_cflags)
checks_fast_check_perun_check_fast_check_la_LDFLAGS = $(plugin_ldflags)
checks_fast_check_perun_check_fast_check_la_LIBADD = $(check_libs)
generated_mans += checks/fast-check/perun-check-fast-check.1
endif
EXTRA_DIST += checks/fast-check/perun-check-fast-check.mdoc
