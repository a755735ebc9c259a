/* SPDX-License-Identifier: BSD-3-Clause */
/* What writers of stacks cannot hold. */
#ifndef PERUN_FORMATS_COMMON_LOSSES_H
#define PERUN_FORMATS_COMMON_LOSSES_H

#include <perun/format.h>

/* What a format keeps besides stacks and the values of metrics. */
enum {
	LOSSES_LABELS = 1,   /* of samples; or the writer reports those that are left out itself */
	LOSSES_TIMES = 2,    /* likewise */
	LOSSES_LINES = 4,    /* source files and lines */
	LOSSES_OBJECTS = 8,  /* addresses and programs or libraries */
	LOSSES_CALLS = 16,   /* the table of calls */
	LOSSES_COMMAND = 32, /* what was measured */
	LOSSES_FILES = 64,   /* source files, and first lines of functions */
	LOSSES_NAMES = 128,  /* names of rows without stacks */
	LOSSES_UNITS = 256,  /* of metrics */
	LOSSES_MODELS = 512, /* the table of models */
	LOSSES_OVERLAPS = 1024 /* which call paths overlap with others */
};

/* Report all that a profile has and is not in `kept`: labels, times, places, parameters, columns, tables, the command. */
void losses_report(struct perun_ctx *ctx, const struct perun_profile *profile, unsigned kept);

/*
 * Report what an experiment has beyond the values of its metrics at points: statistics of `summaries` measurements whose
 * single values are not known, units, the command, other columns and tables.
 */
struct perun_experiment;
void losses_of_experiment(struct perun_ctx *ctx, const struct perun_experiment *experiment,
			  uint64_t summaries, unsigned kept);

#endif
