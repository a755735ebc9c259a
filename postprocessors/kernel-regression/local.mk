# Plugin postprocess kernel-regression: see the pattern in Makefile.am.
if PLUGIN_POSTPROCESS_KERNEL_REGRESSION
plugins += postprocessors/kernel-regression/perun-postprocess-kernel-regression.la
postprocessors_kernel_regression_perun_postprocess_kernel_regression_la_SOURCES = \
	postprocessors/kernel-regression/estimator.c \
	postprocessors/kernel-regression/gauss.c \
	postprocessors/kernel-regression/kernel-regression.h \
	postprocessors/kernel-regression/plugin.c \
	postprocessors/kernel-regression/smoothing.c
postprocessors_kernel_regression_perun_postprocess_kernel_regression_la_CFLAGS = $(plugin_cflags)
postprocessors_kernel_regression_perun_postprocess_kernel_regression_la_LDFLAGS = $(plugin_ldflags)
postprocessors_kernel_regression_perun_postprocess_kernel_regression_la_LIBADD = $(plugin_libs)
generated_mans += postprocessors/kernel-regression/perun-postprocess-kernel-regression.1
endif
EXTRA_DIST += postprocessors/kernel-regression/perun-postprocess-kernel-regression.mdoc
