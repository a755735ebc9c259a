/* SPDX-License-Identifier: BSD-3-Clause */
/* How far neighbouring values of two samples may depend on each other, and a test of a shift that allows for it. */
#include <config.h>

#include <math.h>

#include "core/statistics/serial-correlation.h"

/*
 * What is known before any value is seen: the variance of the correlation from program to program; and how much is allowed for beyond
 * the estimate: somewhat more than a standard error of it, and a little. Of 2,300 series of 25 runs of Go benchmarks
 * half have no correlation, a tenth more than 0.28. These numbers keep false alarms below 1 % up to a
 * correlation of 0.3, and near 5 % at 0.7 with a dozen values a side (bench/verdict prints them).
 */
#define PRIOR_VARIANCE 0.07
#define ERRORS         1.1
#define ALLOWANCE      0.072
#define MAX_ALLOWED    0.95
#define MAX_Z          25

/* As a part of the limit, so that no square overflows. */
static double clipped(const struct residuals *residuals, size_t i)
{
	double part;

	if (!(residuals->limit > 0))
		return 0;
	/* As fmin() and fmax() have it, what is not a number counts as 1. */
	part = residuals->values[i] / residuals->limit;
	return part <= 1 ? part < -1 ? -1 : part : 1;
}

static void means_of(const struct residuals *residuals, double means[2])
{
	means[0] = means[1] = 0;
	for (size_t i = 0; i < residuals->n; i++)
		means[0] += clipped(residuals, i) / (double)residuals->n;
	for (size_t i = 0; i < residuals->m; i++)
		means[1] += clipped(residuals, residuals->n + i) / (double)residuals->m;
}

double serial_inflation(double r, double n)
{
	double whole = (1 + r) / (1 - r);

	if (n < 1)
		return whole;
	return whole - 2 * r * (1 - pow(r, n)) / (n * (1 - r) * (1 - r));
}

/* The correlation of neighbours within each sample, pooled. */
static double neighbours(const struct residuals *residuals)
{
	double means[2], last = 0, products = 0, squares = 0;
	size_t n = residuals->n;

	means_of(residuals, means);
	for (size_t i = 0; i < n + residuals->m; i++) {
		double value = clipped(residuals, i) - means[i >= n];

		if (i != 0 && i != n)
			products += value * last;
		squares += value * value;
		last = value;
	}
	return squares > 0 ? products / squares : 0;
}

void serial_correlation_of(const struct residuals *residuals, struct serial_correlation *found)
{
	double n = (double)residuals->n, m = (double)residuals->m, all = n + m;
	double size = 2 * n * m / all;

	/* The means were fitted, which makes r smaller by (1 + 3r) / n (Kendall, 1954). */
	found->measured = (neighbours(residuals) * size + 1) / fmax(size - 3, 1);
	found->measured = fmax(-1, fmin(1, found->measured));
	/* The mean of what is known before and what is measured, whose variance is about 1 / all. */
	found->allowed = found->measured * all * PRIOR_VARIANCE / (1 + all * PRIOR_VARIANCE) +
			 ERRORS / sqrt(all) + ALLOWANCE;
	found->allowed = fmax(0, fmin(MAX_ALLOWED, found->allowed));
	found->width = sqrt(fmax(1, serial_inflation(found->allowed, size)));
}

double serial_student_z(const struct residuals *residuals, double shift)
{
	double n = (double)residuals->n, m = (double)residuals->m, df = n + m - 2;
	double means[2], squares = 0, t;

	means_of(residuals, means);
	for (size_t i = 0; i < residuals->n + residuals->m; i++) {
		double value = clipped(residuals, i) - means[i >= residuals->n];

		squares += value * value;
	}
	if (df < 1 || shift == 0)
		return 0;
	if (!(squares > 0))
		return MAX_Z;
	shift = fabs(shift / residuals->limit + means[1] - means[0]);
	t = fmin(shift / sqrt(squares / df * (1 / n + 1 / m)), 1e100);
	/* As unlikely as t: Wallace (1959), within 0.1 for any t and any number of degrees of freedom. */
	return fmin((8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(t * t / df)), MAX_Z);
}
