/* SPDX-License-Identifier: BSD-3-Clause */
/* How counts of samples of a profiler vary though nothing changed. Internal. */
#ifndef PERUN_CORE_STATISTICS_SAMPLING_H
#define PERUN_CORE_STATISTICS_SAMPLING_H

#include <stddef.h>

/* Times the variance of a Poisson process where profiles show none themselves. */
#define SAMPLES_DISPERSION 2
/* The degrees of freedom of what is known of counts where few functions, or none, say how far they differ. */
#define SAMPLES_FREEDOM 8
/* By how much the costs of functions differ from one profile to the next, as a share. */
#define SAMPLES_WANDERING 0.07
/* Samples from which on a function shows how much profiles vary. */
#define SAMPLES_SHOWING 8

/* How counts of the functions of profiles that are alike vary: those of most, and the degrees of freedom that this counts for. */
struct samples_scatter {
	double dispersion; /* times the variance of a Poisson process; at least 1 */
	double freedom;
};

/* The root of a count, whose variance hardly depends on the count: that of samples is 1 (Anscombe, 1948). */
double samples_root(double count);
/*
 * The mean of the roots of counts, each of which is a number of samples times `sample`; the squares of their distances from it
 * are added to `squares`.
 */
double samples_mean_root(const double *values, size_t count, double sample, double *squares);
/*
 * The scatter of most functions, from the variances of the roots of each, of `freedom` degrees; their order changes. A function's
 * own variance counts beside it (Smyth, "Linear models and empirical Bayes methods for assessing differential expression", 2004).
 */
struct samples_scatter samples_scatter_of(double *variances, size_t count, double freedom);
/*
 * The variance of the roots of a function with the sum of `squares` about means, of `freedom` degrees itself: no less than that
 * of chance, as a few profiles may be alike by it.
 */
double samples_variance(const struct samples_scatter *scatter, double squares, double freedom);

#endif
