# Plugin check polynomial-regression: see the pattern in Makefile.am.
if PLUGIN_CHECK_POLYNOMIAL_REGRESSION
plugins += checks/polynomial-regression/perun-check-polynomial-regression.la
checks_polynomial_regression_perun_check_polynomial_regression_la_SOURCES = \
	checks/polynomial-regression/polynomial-regression.c
checks_polynomial_regression_perun_check_polynomial_regression_la_CFLAGS = $(plugin_cflags)
checks_polynomial_regression_perun_check_polynomial_regression_la_LDFLAGS = $(plugin_ldflags)
checks_polynomial_regression_perun_check_polynomial_regression_la_LIBADD = $(check_libs)
generated_mans += checks/polynomial-regression/perun-check-polynomial-regression.1
endif
EXTRA_DIST += checks/polynomial-regression/perun-check-polynomial-regression.mdoc
