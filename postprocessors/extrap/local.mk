# Plugin postprocess extrap: see the pattern in Makefile.am.
if PLUGIN_POSTPROCESS_EXTRAP
plugins += postprocessors/extrap/perun-postprocess-extrap.la
postprocessors_extrap_perun_postprocess_extrap_la_SOURCES = \
	postprocessors/extrap/extrap.c \
	postprocessors/extrap/extrap.h \
	postprocessors/extrap/store.c
postprocessors_extrap_perun_postprocess_extrap_la_CFLAGS = $(plugin_cflags)
postprocessors_extrap_perun_postprocess_extrap_la_LDFLAGS = $(plugin_ldflags)
postprocessors_extrap_perun_postprocess_extrap_la_LIBADD = $(plugin_libs)
generated_mans += postprocessors/extrap/perun-postprocess-extrap.1
endif
EXTRA_DIST += postprocessors/extrap/perun-postprocess-extrap.mdoc
