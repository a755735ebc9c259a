# Plugin postprocess regressogram: see the pattern in Makefile.am.
if PLUGIN_POSTPROCESS_REGRESSOGRAM
plugins += postprocessors/regressogram/perun-postprocess-regressogram.la
postprocessors_regressogram_perun_postprocess_regressogram_la_SOURCES = \
	postprocessors/regressogram/regressogram.c
postprocessors_regressogram_perun_postprocess_regressogram_la_CFLAGS = $(plugin_cflags)
postprocessors_regressogram_perun_postprocess_regressogram_la_LDFLAGS = $(plugin_ldflags)
postprocessors_regressogram_perun_postprocess_regressogram_la_LIBADD = $(plugin_libs)
generated_mans += postprocessors/regressogram/perun-postprocess-regressogram.1
endif
EXTRA_DIST += postprocessors/regressogram/perun-postprocess-regressogram.mdoc
