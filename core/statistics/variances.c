/* SPDX-License-Identifier: BSD-3-Clause */
/* What the variances of many that are alike say of the variance of each. */
#include <config.h>

#include <math.h>

#include "core/statistics/variances.h"

double variances_freedom(const double *variances, size_t count, double freedom)
{
	double mean = 0, squares = 0, ratio, most = (double)count * freedom;

	for (size_t i = 0; i < count; i++)
		mean += variances[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (variances[i] - mean) * (variances[i] - mean);
	ratio = freedom * squares / (double)(count - 1) / (mean * mean);
	return ratio > 2 ? fmin((4 * ratio + 2 * freedom - 4) / (ratio - 2), most) : most;
}
