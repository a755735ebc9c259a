/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether repeated measurements of two versions differ, how sure that is, and what would settle it. Of the
 * growing part of the interface: see perun/lib/version.h.
 * Threads: pure functions, for any thread; results belong to the caller.
 */
#ifndef PERUN_LIB_VERDICT_H
#define PERUN_LIB_VERDICT_H

#include <perun/lib/statistics.h>

#ifdef __cplusplus
extern "C" {
#endif

enum perun_answer {
	PERUN_VERDICT_SAME, /* any difference is smaller than the minimal effect */
	PERUN_VERDICT_INCREASE, /* the values of the second version are larger, by at least the minimal effect */
	PERUN_VERDICT_DECREASE,
	PERUN_VERDICT_UNDECIDED /* not enough values to say either */
};

struct perun_verdict_options {
	uint32_t struct_size;
	double threshold; /* least change that counts, as a share of the first version's median */
	double floor;     /* known deviation from session to session, likewise; 0 = not known */
	double level;     /* p below which a difference is taken for real; 0 = 0.01 */
	bool paired;      /* value i of both versions was measured one right after the other */
	bool strict; /* SAME excludes all changes from the minimal effect on, for who can measure more */
	double usual; /* known standard deviation of the difference of two versions, as a share; 0 = not known */
};

struct perun_verdict {
	size_t before_count, after_count;
	double before, after; /* medians */
	double shift;         /* Hodges-Lehmann, after - before */
	double modal_shift; /* shift that most differences of values are about; NaN where not sought */
	double low, high; /* 95 % interval of the shift, dependence taken into account */
	double p; /* two-sided, likewise; contradicts the interval never: p <= 0.05 excludes 0 */
	double noise;       /* the noise floor: robust standard deviation of one value */
	double effect;      /* minimal effect: the largest of threshold, noise, floor, as a value */
	double correlation; /* of neighbouring values, as measured, without bias */
	double effective;   /* how many independent values all of them are taken to be worth */
	/*
	 * Of at least four values a side: the shift is 3.5 times the larger range, or the medians differ by a factor of 2.2 and
	 * the nearest values by one of 1.35.
	 */
	bool disjoint;
	size_t more; /* UNDECIDED: about how many more values on each side should settle it */
	enum perun_answer answer;
	double independent_p; /* p if the values were known to be independent, and this the only test */
};

/*
 * Compare the repeats of two versions (borrowed, in the order they were measured). INCREASE or DECREASE: p is at
 * most the level and the shift at least the minimal effect, or the samples are `disjoint`. SAME: the interval excludes
 * changes of more than 5 % (or the threshold, where that is more).
 *
 * The noise floor is 1.4826 MAD of the residuals: about each version's median, from 8 values a side on
 * about the median of both laid over each other; where that is between two modes, half the shortest
 * interval with half of the residuals takes the place of the MAD. A shift that most differences are about
 * (`modal_shift`) counts as well as that of Hodges and Lehmann: they differ where one version happened to visit a
 * second mode more often.
 *
 * p is that of the exact Mann-Whitney test (of the signed ranks of differences when paired), from 12 values a side
 * (8 pairs) up to 200 that of perun_randomization_p, which also sees modes and outliers. Neighbouring values may
 * depend on each other: z (the larger one of p's and of Student's test with residuals clipped at twice the noise)
 * is divided, and the interval widened, by the root of the variance inflation of an AR(1) process. Its correlation
 * is what is measured, drawn towards 0 as far as few values say little (real programs hardly have any), with an
 * allowance for the error of the estimate. From 40 values a side on, the shift must also pass Student's test
 * against the means of quarters of each version, so that slow wandering of a machine's speed is seen.
 *
 * With fewer than four values on a side the change is compared with `usual`, by Student's distribution with seven
 * degrees of freedom, or else with those that unchanged programs show from one day to the next (few-runs.c): one that
 * only one of a thousand shows is a change, one that more than 5 of a hundred show is SAME. Where both versions have no spread at all (counts of instructions), any difference above the
 * threshold is real from two values a side on.
 *
 * What that is worth. Real runs (an unchanged Go toolchain, 101 benchmarks on 8 days): 0.0 to 1.0 % of comparisons
 * with itself give a change; 5 % more is found in 96 % with 12 runs a side, 2 % more in 84 %. Generated noise
 * (bench/verdict): comparisons with itself give a change in at most 1 % at any number of independent values and up
 * to AR 0.3, in AR 0.5 in 3 %, in AR 0.7 in 7 % with 5 to 20 values a side and 2 % from 30 on. A shift of twice the
 * noise floor is found in 72 to 83 % with 12 values a side (62 % where the variance changes), in 97 % with 20
 * (94 %), of 15 pairs in 96 % (89 %).
 */
PERUN_EXPORT void perun_judge(const double *before, size_t before_count, const double *after,
			      size_t after_count, const struct perun_verdict_options *options,
			      struct perun_verdict *verdict);
/* Decide with another p: one that was adjusted for many tests. */
PERUN_EXPORT void perun_verdict_readjust(struct perun_verdict *verdict,
					 const struct perun_verdict_options *options, double p);
/* Nobody measures more often than this: where more runs would settle it, none are advised. */
enum { PERUN_VERDICT_MAX_MORE_RUNS = 1000 };
/* One or two sentences: the numbers, and what would change the answer. `unit` may be "". */
PERUN_EXPORT void perun_verdict_explain(const struct perun_verdict *verdict,
					const struct perun_verdict_options *options,
					const char *unit, struct perun_buffer *out);

#ifdef __cplusplus
}
#endif
#endif
