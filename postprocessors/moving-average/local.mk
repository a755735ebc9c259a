# Plugin postprocess moving-average: see the pattern in Makefile.am.
if PLUGIN_POSTPROCESS_MOVING_AVERAGE
plugins += postprocessors/moving-average/perun-postprocess-moving-average.la
postprocessors_moving_average_perun_postprocess_moving_average_la_SOURCES = \
	postprocessors/moving-average/averages.c \
	postprocessors/moving-average/moving-average.h \
	postprocessors/moving-average/plugin.c \
	postprocessors/moving-average/windows.c
postprocessors_moving_average_perun_postprocess_moving_average_la_CFLAGS = $(plugin_cflags)
postprocessors_moving_average_perun_postprocess_moving_average_la_LDFLAGS = $(plugin_ldflags)
postprocessors_moving_average_perun_postprocess_moving_average_la_LIBADD = $(plugin_libs)
generated_mans += postprocessors/moving-average/perun-postprocess-moving-average.1
endif
EXTRA_DIST += postprocessors/moving-average/perun-postprocess-moving-average.mdoc
