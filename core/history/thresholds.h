/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest changes that count, benchmark by benchmark: the setting degradation.thresholds. */
#ifndef PERUN_CORE_HISTORY_THRESHOLDS_H
#define PERUN_CORE_HISTORY_THRESHOLDS_H

#include <perun/json.h>
#include <perun/store.h>

/* What the configuration has, NULL = nothing; PERUN_INPUT where it is not names with percentages. */
int perun_thresholds_read(struct perun_ctx *ctx, struct perun_store *store,
			  struct perun_json **thresholds);
/*
 * The threshold of a benchmark, as a share: that of the longest name which is its location or its command, a glob
 * over one of them, or a word of one ("BenchmarkParse" of "parser.BenchmarkParse/small-8"). 0 = it has none.
 */
double perun_threshold_of(const struct perun_json *thresholds, const char *location,
			  const char *command);

#endif
