/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores: values about their median, limited, so that outliers do not count more than they say. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/* The standard deviation of normal values over their mean absolute deviation. */
#define MEAN_TO_SIGMA 1.2533141373155003

/* A deviation that outliers do not widen; of values more than half of which are equal, one that they do. */
double changepoint_deviation(const double *values, size_t count, double middle)
{
	double spread = PERUN_MAD_TO_SIGMA * perun_mad(values, count, middle), sum = 0;

	if (spread > 0)
		return spread;
	for (size_t i = 0; i < count; i++)
		sum += fabs(values[i] - middle) / (double)count;
	return MEAN_TO_SIGMA * sum;
}

void changepoint_scores(const double *values, size_t count, double *scores)
{
	double middle = perun_median(values, count),
	       spread = changepoint_deviation(values, count, middle);
	double squares = 0;

	for (size_t i = 0; i < count; i++) {
		double score = spread > 0 ? (values[i] - middle) / spread : 0;

		scores[i] = changepoint_limited(score, CHANGEPOINT_OUTLIER);
		squares += scores[i] * scores[i];
	}
	squares = squares > 0 ? sqrt((double)count / squares) : 0;
	for (size_t i = 0; i < count; i++)
		scores[i] *= squares;
}

double changepoint_correlation(const double *scores, size_t count)
{
	double one = 0, two = 0, ratio;

	if (count < 6)
		return 0;
	/* Var(x[i] - x[i-1]) = 2 s^2 (1 - r), Var(x[i] - x[i-2]) = 2 s^2 (1 - r^2): 1 + r is the ratio. */
	for (size_t i = 2; i < count; i++) {
		double near = scores[i] - scores[i - 1], far = scores[i] - scores[i - 2];

		one += near * near;
		two += far * far;
	}
	ratio = one > 0 ? two / one - 1 : 0;
	return ratio < 0 ? 0 : ratio > 0.95 ? 0.95 : ratio;
}

double changepoint_unbiased(double correlation, double coefficients, size_t count)
{
	double share = coefficients / (double)count;

	correlation += share * (1 + 4 * correlation);
	return correlation < 0.98 ? correlation : 0.98;
}
