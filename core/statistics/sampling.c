/* SPDX-License-Identifier: BSD-3-Clause */
/* How counts of samples vary among profiles that are alike. */
#include <math.h>

#include <perun/lib/statistics.h>

#include "core/statistics/sampling.h"
#include "core/statistics/variances.h"

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

struct samples_scatter samples_scatter_of(double *variances, size_t count, double freedom)
{
	double prior = SAMPLES_FREEDOM, sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += variances[i];
	if (count >= ENOUGH_FUNCTIONS && sum > 0)
		prior = variances_freedom(variances, count, freedom);
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
