# Plugin check shift: see the pattern in Makefile.am.
if PLUGIN_CHECK_SHIFT
plugins += checks/shift/perun-check-shift.la
checks_shift_perun_check_shift_la_SOURCES = \
	checks/shift/shift.c
checks_shift_perun_check_shift_la_CFLAGS = $(plugin_cflags)
checks_shift_perun_check_shift_la_LDFLAGS = $(plugin_ldflags)
checks_shift_perun_check_shift_la_LIBADD = $(check_libs)
generated_mans += checks/shift/perun-check-shift.1
endif
EXTRA_DIST += checks/shift/perun-check-shift.mdoc
