# Plugin postprocess regression-analysis: see the pattern in Makefile.am.
if PLUGIN_POSTPROCESS_REGRESSION_ANALYSIS
plugins += postprocessors/regression-analysis/perun-postprocess-regression-analysis.la
postprocessors_regression_analysis_perun_postprocess_regression_analysis_la_SOURCES = \
	postprocessors/regression-analysis/methods.c \
	postprocessors/regression-analysis/regression-analysis.c \
	postprocessors/regression-analysis/regression-analysis.h
postprocessors_regression_analysis_perun_postprocess_regression_analysis_la_CFLAGS = $(plugin_cflags)
postprocessors_regression_analysis_perun_postprocess_regression_analysis_la_LDFLAGS = $(plugin_ldflags)
postprocessors_regression_analysis_perun_postprocess_regression_analysis_la_LIBADD = $(plugin_libs)
generated_mans += postprocessors/regression-analysis/perun-postprocess-regression-analysis.1
endif
EXTRA_DIST += postprocessors/regression-analysis/perun-postprocess-regression-analysis.mdoc
