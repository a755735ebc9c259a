/* SPDX-License-Identifier: BSD-3-Clause */
/* How well noise that remembers itself explains a difference of two samples. */
#ifndef PERUN_CORE_STATISTICS_AUTOREGRESSION_H
#define PERUN_CORE_STATISTICS_AUTOREGRESSION_H

#include <stddef.h>

/* Independent values, and AR(1) noise that remembers itself more and more. */
#define AUTOREGRESSIONS 4

struct autoregression {
	size_t n, m;
	double likelihood[AUTOREGRESSIONS]; /* logarithm, of no shift, less that of the first one */
	double z;                           /* of Student's test of the values, outliers limited */
};

/* Look at two samples (borrowed, in the order they were measured), of two values each at least. */
void autoregression_of(const double *before, size_t n, const double *after, size_t m,
		       struct autoregression *found);

/*
 * How many times as large as of independent values the z of a shift must be (at least 1): that many times
 * `level_z`, the shift is as likely as dependence. That is the test of Neyman and Pearson (1933) between two
 * mixtures: of shifted values that are independent or remember themselves, and of values that were not
 * shifted and remember themselves. As far as z is of a normal test, none finds more shifts.
 */
double autoregression_width(const struct autoregression *found, double level_z);

/*
 * Logarithm of how much likelier a shift of this z is than dependence: 0 at the width's z. Noise that
 * remembers itself shows k times as much in one of k cases at most (Markov's inequality of likelihood ratios).
 */
double autoregression_advantage(const struct autoregression *found, double z);

/* Variance of the mean of n values of an AR(1) process, over that of independent ones. */
double autoregression_inflation(double r, double n);

/* The r whose inflation of n values is as given, 0 to 0.99. */
double autoregression_inflated_by(double inflation, double n);

#endif
