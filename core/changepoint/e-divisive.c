/* SPDX-License-Identifier: BSD-3-Clause */
/* E-divisive means in windows with t-tests, as Apache Otava (Hunter) does. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/* Otava's defaults; candidates may be weaker by a factor, and are looked at again at the end. */
#define WINDOW      50
#define MAX_P       0.001
#define P_CANDIDATE 0.01

/* Student's t-test of two ranges, with deviations divided by n, as Otava computes them. */
static double p_of(const double *values, size_t first, size_t at, size_t end)
{
	double n = (double)(at - first), m = (double)(end - at), one = 0, other = 0;
	double left = 0, right = 0, error;

	for (size_t i = first; i < at; i++)
		one += values[i] / n;
	for (size_t i = at; i < end; i++)
		other += values[i] / m;
	for (size_t i = first; i < at; i++)
		left += (values[i] - one) * (values[i] - one);
	for (size_t i = at; i < end; i++)
		right += (values[i] - other) * (values[i] - other);
	if (n + m <= 2)
		return 1;
	/* Variances of which each is divided by n, pooled as if by n - 1. */
	left = ((n - 1) * (left / n) + (m - 1) * (right / m)) / (n + m - 2);
	error = sqrt(left * (1 / n + 1 / m));
	if (!(error > 0))
		return one == other ? 1 : 0;
	return 2 * perun_student_cdf(-fabs(one - other) / error, n + m - 2);
}

struct split {
	size_t at; /* 0 = none */
	double energy;
};

/*
 * The split of [first, end) with the largest energy statistic (Matteson and James, 2014, alpha = 1): of the
 * values before a place and those from it up to any other, which need not be the end. Sums of distances grow
 * by one value at a time: O(n^2).
 */
static struct split best_split(const double *values, size_t first, size_t end)
{
	double sums[WINDOW][WINDOW + 1]; /* of the distances of value i to those before j */
	size_t count = end - first;
	struct split best = {0, -INFINITY};
	double left = 0;

	for (size_t i = 0; i < count; i++) {
		sums[i][0] = 0;
		for (size_t j = 0; j < count; j++)
			sums[i][j + 1] = sums[i][j] + fabs(values[first + i] - values[first + j]);
	}
	for (size_t at = 1; at < count; at++) {
		double n = (double)at, between = 0, right = 0;

		left += sums[at - 1][at - 1];
		for (size_t to = at + 1; to <= count; to++) {
			double m = (double)(to - at), energy;

			between += sums[to - 1][at];
			right += sums[to - 1][to - 1] - sums[to - 1][at];
			energy = 2 / (n * m) * between;
			energy -= n > 1 ? 2 / (n * (n - 1)) * left : 0;
			energy -= m > 1 ? 2 / (m * (m - 1)) * right : 0;
			energy *= n * m / (n + m);
			if (energy > best.energy)
				best = (struct split){first + at, energy};
		}
	}
	return best;
}

/*
 * Split a window where the energy of all of its parts is largest, until such a split is not a candidate; then the
 * rest is not looked at.
 */
static void divide(const double *values, size_t first, size_t end, struct changepoint_list *list)
{
	size_t edges[WINDOW + 1] = {first, end}, parts = 1;
	struct split splits[WINDOW] = {best_split(values, first, end)};

	for (;;) {
		size_t best = 0;

		for (size_t i = 1; i < parts; i++)
			best = splits[i].energy > splits[best].energy ? i : best;
		if (!splits[best].at ||
		    p_of(values, edges[best], splits[best].at, edges[best + 1]) >= P_CANDIDATE)
			break;
		for (size_t i = parts; i > best; i--) {
			edges[i + 1] = edges[i];
			splits[i] = splits[i - 1];
		}
		parts++;
		edges[best + 1] = splits[best].at;
		splits[best] = best_split(values, edges[best], edges[best + 1]);
		splits[best + 1] = best_split(values, edges[best + 1], edges[best + 2]);
	}
	for (size_t i = 1; i < parts; i++)
		changepoint_list_add(list, edges[i]);
}

/*
 * Remove the weakest as long as it is too weak. As in Otava, the one after it is examined again then, and not
 * the one before.
 */
static void merge(const double *values, size_t count, struct changepoint_list *list)
{
	double *p = perun_alloc_zero(list->count + 1, sizeof *p);
	size_t again = SIZE_MAX;

	for (;;) {
		double most = MAX_P;
		size_t weakest = SIZE_MAX;

		for (size_t i = 0; i < list->count; i++) {
			if (again == SIZE_MAX || again == i)
				p[i] = p_of(values, i ? list->at[i - 1] : 0, list->at[i],
					    i + 1 < list->count ? list->at[i + 1] : count);
			if (p[i] >= most && (weakest == SIZE_MAX || p[i] > most)) {
				most = p[i];
				weakest = i;
			}
		}
		if (weakest == SIZE_MAX)
			break;
		changepoint_list_remove(list, weakest);
		for (size_t i = weakest; i < list->count; i++)
			p[i] = p[i + 1];
		again = weakest;
	}
	perun_free(p);
}

void changepoint_e_divisive(const double *values, size_t count, struct changepoint_list *list)
{
	size_t start = 0;

	while (start < count) {
		size_t end = count - start > WINDOW ? start + WINDOW : count;
		size_t known = list->count, last;

		divide(values, start, end, list);
		/* What the windows before found stays; a place is listed once. */
		while (known && known < list->count && list->at[known] <= list->at[known - 1])
			changepoint_list_remove(list, known);
		last = list->count ? list->at[list->count - 1] : 0;
		start = last > start + WINDOW / 2 ? last : start + WINDOW / 2;
	}
	merge(values, count, list);
}
