/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The comparison of two versions: what is slower, faster or the same, for every kind of profile. Of the growing
 * part of the interface: see perun/lib/version.h.
 */
#ifndef PERUN_LIB_COMPARE_H
#define PERUN_LIB_COMPARE_H

#include <perun/check.h>
#include <perun/lib/history.h>
#include <perun/lib/verdict.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing here prints. A list belongs to one thread at a time. */

/*
 * What a strand (a metric at a location, in a case of a sweep) does from the first version to the second. Values of
 * a version are those of all its profiles, rows that are numbered as repeats, others added up, in one unit. How the
 * change is judged follows from how such values vary though nothing changed:
 * - PERUN_NOISE_TIMED: perun_judge(); where the other strands of the same two profiles, one run each, vary
 *   by more than is usual, a change has to exceed that.
 * - PERUN_NOISE_EXACT: any change beyond `exact_threshold`.
 * - PERUN_NOISE_SAMPLED: counts of samples, of over-dispersed Poisson noise, after division by what most functions have in
 *   common: load, or duration. With four and more profiles a version, their normalized counts by perun_judge().
 *   A function's total cost is reported only where the self costs of functions do not explain it.
 * Functions of stacks that appear count from 0, those that are gone to 0; where as much is gone as appears they are
 * taken to be renamed or inlined. Other strands that one version lacks are NOT_IN_BASELINE or NOT_IN_TARGET.
 */
struct perun_compared {
	uint32_t struct_size;
	enum perun_result result; /* UNKNOWN: it changed, and nobody says which values are better */
	enum perun_noise noise;
	const char *metric, *unit;
	const char *location; /* "" = everything */
	const char *workload; /* the case of a sweep; "" = none */
	bool inclusive;       /* a function with what it calls */
	double before, after; /* medians, exact values, or sums per profile; in the unit */
	size_t before_count, after_count; /* values */
	double low, high;                 /* 95 % interval of after / before - 1; NaN = not known */
	double p; /* for all strands together; NaN = it is not a matter of chance */
	const char *explanation;
};

struct perun_compare_options {
	uint32_t struct_size;
	struct perun_verdict_options verdict;
	double exact_threshold;      /* as a share; 0.005 is usual */
	enum perun_direction better; /* where profiles do not say */
};

struct perun_comparisons;
/* Compare the profiles of two versions: their sessions where a comparison has them. Borrows it only now. */
PERUN_EXPORT int perun_compare_profiles(struct perun_ctx *ctx,
					const struct perun_comparison *comparison,
					const struct perun_compare_options *options,
					struct perun_comparisons **comparisons);
PERUN_EXPORT void perun_comparisons_free(struct perun_comparisons *comparisons);
PERUN_EXPORT size_t perun_comparisons_count(const struct perun_comparisons *comparisons);
PERUN_EXPORT const struct perun_compared *
perun_comparisons_at(const struct perun_comparisons *comparisons, size_t i);
/* Why something was not compared, a line each: "time: seconds and bytes do not convert". */
PERUN_EXPORT size_t perun_comparisons_notes(const struct perun_comparisons *comparisons);
PERUN_EXPORT const char *perun_comparisons_note(const struct perun_comparisons *comparisons,
						size_t i);

#ifdef __cplusplus
}
#endif
#endif
