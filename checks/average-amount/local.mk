# Plugin check average-amount-threshold: see the pattern in Makefile.am.
if PLUGIN_CHECK_AVERAGE_AMOUNT_THRESHOLD
plugins += checks/average-amount/perun-check-average-amount-threshold.la
checks_average_amount_perun_check_average_amount_threshold_la_SOURCES = \
	checks/average-amount/average-amount.c
checks_average_amount_perun_check_average_amount_threshold_la_CFLAGS = $(plugin_cflags)
checks_average_amount_perun_check_average_amount_threshold_la_LDFLAGS = $(plugin_ldflags)
checks_average_amount_perun_check_average_amount_threshold_la_LIBADD = $(plugin_libs)
generated_mans += checks/average-amount/perun-check-average-amount-threshold.1
endif
EXTRA_DIST += checks/average-amount/perun-check-average-amount-threshold.mdoc
