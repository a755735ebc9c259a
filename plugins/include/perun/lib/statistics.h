/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Robust statistics of repeated measurements: locations, shifts, tests, dependence. Of the growing part of
 * the interface: see perun/lib/version.h.
 * Threads: pure functions, for any thread.
 */
#ifndef PERUN_LIB_STATISTICS_H
#define PERUN_LIB_STATISTICS_H

#include <perun/context.h>
#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * All functions are deterministic and borrow their arrays. Values must be finite unless said
 * otherwise; units are those of the values. "NaN when there are none" holds wherever a number is
 * returned for an empty array.
 */

/* ---- location and spread --------------------------------------------------------------------- */

/* Sort ascending, in place. NaN are not allowed. */
PERUN_EXPORT void perun_sort_doubles(double *values, size_t count);
/* The middle value, or the mean of the two middle ones. */
PERUN_EXPORT double perun_median(const double *values, size_t count);
/* The same, but the array's order is lost; takes no memory. */
PERUN_EXPORT double perun_median_in_place(double *values, size_t count);
/* The value that k others are not larger than, from 0 on; the array's order is lost. NaN: too few. */
PERUN_EXPORT double perun_select_in_place(double *values, size_t count, size_t k);
/*
 * The values between which the median of what they are drawn from is with at least the confidence
 * (between 0 and 1), whatever the distribution: order statistics (Thompson, 1936). False when there are
 * too few for it; then these are the smallest and the largest (NaN without values).
 */
PERUN_EXPORT bool perun_median_interval(const double *values, size_t count, double confidence,
					double *low, double *high);
/* Median of |value - center|. Not scaled. */
PERUN_EXPORT double perun_mad(const double *values, size_t count, double center);
/*
 * What the MAD is multiplied by to be the standard deviation of normal values: 1 / quantile(0.75) of
 * the standard normal distribution (Hampel, 1974).
 */
#define PERUN_MAD_TO_SIGMA 1.482602218505602
/* Ranks from 1 on; equal values share the mean of their ranks. Returns sum of t^3 - t over ties. */
PERUN_EXPORT double perun_ranks(const double *values, size_t count, double *ranks);

/* ---- distributions --------------------------------------------------------------------------- */

/* P(Z <= x) of the standard normal distribution. */
PERUN_EXPORT double perun_normal_cdf(double x);
/* Its inverse, for p in (0, 1): Acklam's rational start, one step of Halley; to about 1e-15. */
PERUN_EXPORT double perun_normal_quantile(double p);
/* P(T <= t) of Student's distribution, df > 0: the incomplete beta function, DLMF 8.17.22. */
PERUN_EXPORT double perun_student_cdf(double t, double df);
/* Its inverse, for p in (0, 1): bisection of the distribution itself, to the last bits. */
PERUN_EXPORT double perun_student_quantile(double p, double df);

/* ---- two samples ----------------------------------------------------------------------------- */

struct perun_mann_whitney {
	double u;   /* pairs with after > before, equal ones count half */
	double p;   /* two-sided: twice the smaller tail, at most 1 */
	double z;   /* of the normal approximation, ties and continuity taken into account */
	bool exact; /* p is of the permutation distribution given the ties, not the approximation */
};
/*
 * Test of Mann and Whitney (1947): whether one of two samples tends to be larger. The exact
 * distribution counts all choices of ranks, tied ones too (the "shift algorithm" of Streitberg and
 * Roehmel, 1986); it is used where that takes at most some ten million additions (some 30 values a
 * side), the normal approximation otherwise. p is NaN when a sample is empty.
 */
PERUN_EXPORT void perun_mann_whitney(const double *before, size_t before_count, const double *after,
				     size_t after_count, struct perun_mann_whitney *result);

/*
 * Wilcoxon's signed ranks (1945) of differences of pairs: whether they tend to one side of 0. Zeros are
 * left out; `u` is the sum of the ranks of positive differences. Exact with ties up to 60 differences.
 */
PERUN_EXPORT void perun_signed_ranks(const double *differences, size_t count,
				     struct perun_mann_whitney *result);

/* The same, exact only where the approximate p is at most `doubtful`: who asks many times needs no more. */
PERUN_EXPORT void perun_mann_whitney_below(const double *before, size_t before_count,
					   const double *after, size_t after_count, double doubtful,
					   struct perun_mann_whitney *result);

/*
 * Randomization test (Fisher, 1935), two-sided: the share of choices of which values are the second
 * sample's that set the samples as far apart as they are. Of pairs: choices of who went first in each,
 * where that was drawn; then it holds whatever the noise is and however it depends on what was before.
 * Far apart means the sum of three measures, each over its mean for the choices: the square of the sum of
 * ranks; the sum over all places where values can be cut in two of squared logarithms of hypergeometric
 * tails, with their signs (its root); and, up to 40 values a side, how much likelier the densities are when
 * one sample is moved to where most of it covers most of the other: the logarithm of how many more
 * differences of both samples are about their mode than about 0. So it is sharper than Mann and Whitney
 * where noise has several modes, outliers or a sharp end. All choices of up to 14 pairs are tried, else up
 * to 1,000, always the same ones; where fewer than 16 of them are as far apart, an exponential tail of the
 * 60 largest gives p (as Knijnenburg et al., 2009, with the shape 0).
 */
PERUN_EXPORT double perun_randomization_p(const double *before, size_t before_count,
					  const double *after, size_t after_count, bool paired);
/* With more values than this a side it is 1: other tests are as sharp there. */
#define PERUN_RANDOMIZATION_MAX_SAMPLES 200

struct perun_shift {
	double shift;     /* median of all differences after - before */
	double low, high; /* interval; infinite when the samples are too small for the confidence */
	double confidence; /* that the interval really has: at least what was asked for, when finite */
	bool exact;
};
/*
 * Shift of Hodges and Lehmann (1963) and the distribution-free interval that goes with it (the
 * differences that the Mann-Whitney test does not reject, Bauer 1972). `inflation` >= 1 widens the
 * interval by its root: the variance of means in relation to that of independent values, 1 for
 * independent ones (then small samples get the exact interval). Time: O((n + m) log) memory n + m.
 */
PERUN_EXPORT void perun_hodges_lehmann(const double *before, size_t before_count,
				       const double *after, size_t after_count, double confidence,
				       double inflation, struct perun_shift *result);
/*
 * Hodges-Lehmann location of one sample (the median of all means of two values, each with itself too)
 * and its interval from Wilcoxon's signed ranks: for differences of pairs.
 */
PERUN_EXPORT void perun_walsh_shift(const double *differences, size_t count, double confidence,
				    struct perun_shift *result);

/* ---- dependence ------------------------------------------------------------------------------ */

/* Correlation of values `lag` apart, about the mean, divided by n (Box and Jenkins); 0 for constants. */
PERUN_EXPORT double perun_autocorrelation(const double *values, size_t count, size_t lag);
/*
 * How many independent values say as much about the mean: n / (1 + 2 sum of autocorrelations),
 * summed as Geyer's initial monotone positive sequence (1992); between 1 and n. At least 8 values are
 * needed to see dependence at all: with fewer it is n.
 */
PERUN_EXPORT double perun_effective_size(const double *values, size_t count);

/* ---- many tests ------------------------------------------------------------------------------ */

/*
 * Adjusted p-values of Benjamini and Hochberg (1995): adjusted[i] <= q exactly when test i is among
 * those rejected at a false discovery rate of q. NaN stay NaN and do not count. In place is fine.
 */
PERUN_EXPORT void perun_benjamini_hochberg(const double *p, size_t count, double *adjusted);

#ifdef __cplusplus
}
#endif
#endif
