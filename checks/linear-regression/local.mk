# Plugin check linear-regression: see the pattern in Makefile.am.
if PLUGIN_CHECK_LINEAR_REGRESSION
plugins += checks/linear-regression/perun-check-linear-regression.la
checks_linear_regression_perun_check_linear_regression_la_SOURCES = \
	checks/linear-regression/linear-regression.c
checks_linear_regression_perun_check_linear_regression_la_CFLAGS = $(plugin_cflags)
checks_linear_regression_perun_check_linear_regression_la_LDFLAGS = $(plugin_ldflags)
checks_linear_regression_perun_check_linear_regression_la_LIBADD = $(check_libs)
generated_mans += checks/linear-regression/perun-check-linear-regression.1
endif
EXTRA_DIST += checks/linear-regression/perun-check-linear-regression.mdoc
