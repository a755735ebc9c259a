if PLUGIN_FORMAT_EXTRAP_EXPERIMENT
plugins += formats/extrap-experiment/perun-format-extrap-experiment.la
formats_extrap_experiment_perun_format_extrap_experiment_la_SOURCES = \
	formats/extrap-experiment/archive.c \
	formats/extrap-experiment/extrap-experiment.h \
	formats/extrap-experiment/models.c \
	formats/extrap-experiment/plugin.c \
	formats/extrap-experiment/read.c \
	formats/extrap-experiment/values.c \
	formats/extrap-experiment/write.c
formats_extrap_experiment_perun_format_extrap_experiment_la_CFLAGS = \
	$(plugin_cflags) $(FORMAT_EXTRAP_EXPERIMENT_CFLAGS)
formats_extrap_experiment_perun_format_extrap_experiment_la_LDFLAGS = $(plugin_ldflags)
formats_extrap_experiment_perun_format_extrap_experiment_la_LIBADD = \
	$(plugin_libs) $(FORMAT_EXTRAP_EXPERIMENT_LIBS)
generated_mans += formats/extrap-experiment/perun-format-extrap-experiment.1
endif
EXTRA_DIST += formats/extrap-experiment/perun-format-extrap-experiment.mdoc
