/* SPDX-License-Identifier: BSD-3-Clause */
/* How counts of samples vary among profiles that are alike. */
#include <math.h>

#include <perun/lib/statistics.h>

#include "core/statistics/sampling.h"

/* Functions that say how far they differ. */
#define ENOUGH_FUNCTIONS 3

double samples_root(double count)
{
	return 2 * sqrt(count + 0.375);
}

double samples_mean_root(const double *values, size_t count, double sample, double *squares)
{
	double mean = 0;

	for (size_t i = 0; i < count; i++)
		mean += samples_root(fmax(values[i] / sample, 0)) / (double)count;
	for (size_t i = 0; i < count; i++)
		*squares += pow(samples_root(fmax(values[i] / sample, 0)) - mean, 2);
	return mean;
}

/*
 * The degrees of freedom of the prior that variances are drawn about: as many as make their scatter that of F (by its moments,
 * where Smyth, section 6, fits logarithms); at most those of all that were looked at.
 */
static double prior_freedom(const double *variances, size_t count, double freedom)
{
	double mean = 0, squares = 0, ratio, most = (double)count * freedom;

	for (size_t i = 0; i < count; i++)
		mean += variances[i] / (double)count;
	if (count < ENOUGH_FUNCTIONS || mean == 0)
		return SAMPLES_FREEDOM;
	for (size_t i = 0; i < count; i++)
		squares += (variances[i] - mean) * (variances[i] - mean);
	ratio = freedom * squares / (double)(count - 1) / (mean * mean);
	return ratio > 2 ? fmin((4 * ratio + 2 * freedom - 4) / (ratio - 2), most) : most;
}

struct samples_scatter samples_scatter_of(double *variances, size_t count, double freedom)
{
	double prior = prior_freedom(variances, count, freedom);

	return (struct samples_scatter){count ? fmax(perun_median_in_place(variances, count), 1)
					      : SAMPLES_DISPERSION,
					prior};
}

double samples_variance(const struct samples_scatter *scatter, double squares, double freedom)
{
	double variance =
		(squares + scatter->freedom * scatter->dispersion) / (freedom + scatter->freedom);

	return fmax(variance, 1);
}
