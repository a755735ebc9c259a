# Plugin postprocess normalizer: see the pattern in Makefile.am.
if PLUGIN_POSTPROCESS_NORMALIZER
plugins += postprocessors/normalizer/perun-postprocess-normalizer.la
postprocessors_normalizer_perun_postprocess_normalizer_la_SOURCES = \
	postprocessors/normalizer/normalizer.c
postprocessors_normalizer_perun_postprocess_normalizer_la_CFLAGS = $(plugin_cflags)
postprocessors_normalizer_perun_postprocess_normalizer_la_LDFLAGS = $(plugin_ldflags)
postprocessors_normalizer_perun_postprocess_normalizer_la_LIBADD = $(plugin_libs)
generated_mans += postprocessors/normalizer/perun-postprocess-normalizer.1
endif
EXTRA_DIST += postprocessors/normalizer/perun-postprocess-normalizer.mdoc
