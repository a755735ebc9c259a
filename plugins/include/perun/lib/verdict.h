/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether repeated measurements of two versions differ, how sure that is, and what would settle it. Of the
 * growing part of the interface: see perun/lib/version.h.
 */
#ifndef PERUN_LIB_VERDICT_H
#define PERUN_LIB_VERDICT_H

#include <perun/lib/statistics.h>

#ifdef __cplusplus
extern "C" {
#endif

enum perun_answer {
	PERUN_SAME, /* any difference is smaller than the minimal effect */
	PERUN_INCREASE, /* the values of the second version are larger, by at least the minimal effect */
	PERUN_DECREASE,
	PERUN_UNDECIDED /* not enough values to say either */
};

struct perun_verdict_options {
	uint32_t struct_size;
	double threshold; /* least change that counts, as a share of the first version's median */
	double floor;     /* known deviation from session to session, likewise; 0 = not known */
	double level;     /* p below which a difference is taken for real; 0 = 0.01 */
	bool paired;      /* value i of both versions was measured one right after the other */
};

struct perun_verdict {
	size_t before_count, after_count;
	double before, after; /* medians */
	double shift;         /* Hodges-Lehmann, after - before */
	double usual;         /* shift that most differences of values lie about; NaN where not looked for */
	double low, high;     /* 95 % interval of it, autocorrelation taken into account */
	double p;             /* two-sided, likewise */
	double noise;         /* the noise floor: robust standard deviation of one value */
	double effect;      /* minimal effect: the largest of threshold, noise, floor, as a value */
	double correlation; /* of neighbouring values, as it was reckoned with */
	double effective;   /* how many independent values all of them are worth */
	bool apart;         /* the shift is 3.5 times the larger range, of at least four values */
	size_t more;        /* UNDECIDED: about so many more values on each side would settle it */
	enum perun_answer answer;
};

/*
 * Compare the repeats of two versions (borrowed, in the order they were measured). An INCREASE or
 * DECREASE is told when p is below the level, the shift is at least the minimal effect, and the interval
 * does not contain 0, or when the samples are `apart`; SAME when the interval lies within the minimal
 * effect on both sides.
 *
 * The noise floor is 1.4826 MAD of the residuals: about each version's median, from 8 values a side on
 * about the median of both laid over each other; where that lies between two modes, half the shortest
 * interval with half of the residuals takes the place of the MAD. A shift that most differences lie about
 * (`usual`) counts as well as that of Hodges and Lehmann: they differ where one version happened to visit a
 * second mode more often. p is that of the exact Mann-Whitney test (of the signed ranks of differences when
 * paired), from 12 values a side (8 pairs) up to 200 that of perun_randomization_p, whose interval's near
 * end is given where the ranks' contains 0. Neighbouring values may depend on each other: z must be larger
 * and the interval wider by the factor that makes a shift as likely as noise of AR 0.4 to 0.9 (the test of
 * Neyman and Pearson, 1933, between two mixtures: shifted values, independent or not, and dependent ones that
 * are not shifted), where z is the larger of p's and of Student's test of the values, outliers limited.
 * Beyond the level p falls as that likelihood does, so that what is clear stays so among many tests.
 * `correlation` is the one that makes intervals as wide. From 40 values a side on, the shift must also stand
 * Student's test against the means of quarters of each version, so that slow wandering of a machine's speed
 * is seen. With fewer than four values on a side p is at least 0.03. Where both versions have no spread at
 * all (counts of instructions), any difference above the threshold is real from two values a side on.
 *
 * In pairs whose values share no noise, a test of all values is asked beside that of who went first.
 *
 * What that is worth, measured with bench/verdict (2,000 comparisons of each kind of noise and size, seeds
 * 211, 223 and 227, on which nothing was chosen). Comparisons with itself told to differ: at most 0.5 % with
 * 2 to 400 independent values a side, 0.9 % in noise of AR 0.3 to 0.7, 0.3 to 1.0 % of 15 pairs (0.6 % on
 * average). A shift of twice the noise floor is found in 96.5 to 98.4 % with 20 values a side, of 15 pairs in
 * 96 to 98 %, with 120 a side in 98 % and more, in AR 0.7 too; but in 87 % (pairs: 86 %) where the variance
 * changes on the way. The rest is undecided.
 */
PERUN_EXPORT void perun_judge(const double *before, size_t before_count, const double *after,
			      size_t after_count, const struct perun_verdict_options *options,
			      struct perun_verdict *verdict);
/* Decide again with another p: one that was adjusted for many tests. */
PERUN_EXPORT void perun_judge_again(struct perun_verdict *verdict,
				    const struct perun_verdict_options *options, double p);
/* One or two sentences: the numbers, and what would change the answer. `unit` may be "". */
PERUN_EXPORT void perun_verdict_explain(const struct perun_verdict *verdict,
					const struct perun_verdict_options *options,
					const char *unit, struct perun_buffer *out);

#ifdef __cplusplus
}
#endif
#endif
