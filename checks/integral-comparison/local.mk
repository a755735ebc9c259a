# Plugin check integral-comparison: see the pattern in Makefile.am.
if PLUGIN_CHECK_INTEGRAL_COMPARISON
plugins += checks/integral-comparison/perun-check-integral-comparison.la
checks_integral_comparison_perun_check_integral_comparison_la_SOURCES = \
	checks/integral-comparison/integral-comparison.c
checks_integral_comparison_perun_check_integral_comparison_la_CFLAGS = $(plugin_cflags)
checks_integral_comparison_perun_check_integral_comparison_la_LDFLAGS = $(plugin_ldflags)
checks_integral_comparison_perun_check_integral_comparison_la_LIBADD = $(check_libs)
generated_mans += checks/integral-comparison/perun-check-integral-comparison.1
endif
EXTRA_DIST += checks/integral-comparison/perun-check-integral-comparison.mdoc
