/* SPDX-License-Identifier: BSD-3-Clause */
/* What a comparison of two versions asks of their history. */
#ifndef PERUN_CORE_HISTORY_DEVIATIONS_H
#define PERUN_CORE_HISTORY_DEVIATIONS_H

#include <perun/lib/history.h>

/*
 * What the history of a version says of it: how much versions differ though nothing changed, and where levels
 * changed. The history is that of `line`, which it takes; NULL = that of the head where `version` was measured on it, so
 * that all commands say the same. `base` is what the version will be compared with: where what is kept of earlier versions says
 * that nothing changes between the two, the last versions alone are read.
 */
struct perun_deviations;
int perun_deviations_load(struct perun_ctx *ctx, struct perun_store *store, const char *version,
			  const char *base, struct perun_version_line *line,
			  struct perun_deviations **deviations);
/* Whether they serve for a comparison with another base. */
bool perun_deviations_serve(const struct perun_deviations *deviations, const char *base);
void perun_deviations_free(struct perun_deviations *deviations);
/*
 * A strand that the version has, or with `base` one that this version of its line has: of a command with its arguments,
 * a workload and a location as in struct perun_value. NULL = there is none, of which nothing is known below.
 */
const struct perun_strand *perun_deviations_strand(const struct perun_deviations *deviations,
						   const char *base, const char *command,
						   const char *workload, const char *metric,
						   const char *location);
/*
 * What a comparison of two versions must exceed: three standard deviations of a difference of two sessions, as the
 * medians of up to 50 measured versions before the version show it beyond what their repeats explain; versions on both
 * sides of changes do not count. As a share of the level, for perun_verdict_options.floor; 0 = too few versions know,
 * or sessions do not differ.
 */
double perun_deviations_find(const struct perun_deviations *deviations,
			     const struct perun_strand *strand);
/*
 * Whether the level of a strand changed after the version `base` (where that lacks it, the last one before that has
 * it), up to the version itself, and `p` of that (NaN = not known). Not known with fewer than three measured versions,
 * where `p` may be all the same, or where changes go up and down.
 */
enum perun_step perun_deviations_step(const struct perun_deviations *deviations,
				      const struct perun_strand *strand, const char *base,
				      double *p);
/* The values of the last version before `base` that has a strand which `base` lacks and the version has. */
bool perun_deviations_earlier(const struct perun_deviations *deviations,
			      const struct perun_strand *strand, const char *base,
			      struct perun_earlier_values *values);
/* Whether a strand, of one that the version lacks, is measured again after it. */
bool perun_deviations_returns(const struct perun_deviations *deviations,
			      const struct perun_strand *strand);
/* Whether it changed once, and what the change is, in `unit`. */
bool perun_deviations_change(const struct perun_deviations *deviations,
			     const struct perun_strand *strand, const char *base, const char *unit,
			     struct perun_change_point *change);

#endif
