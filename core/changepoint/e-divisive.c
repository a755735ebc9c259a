/* SPDX-License-Identifier: BSD-3-Clause */
/* E-divisive means in windows with t-tests, as Apache Otava (Hunter) does. */
#include <config.h>

#include <math.h>

#include <perun/statistics.h>

#include "core/changepoint/segments.h"

/* Otava's defaults; candidates may be weaker by a factor, and are looked at again at the end. */
#define WINDOW      50
#define P_MOST      0.001
#define P_CANDIDATE 0.01

/* Student's t-test of two ranges, with deviations divided by n, as Otava computes them. */
static double p_of(const double *values, size_t first, size_t at, size_t end)
{
	double n = (double)(at - first), m = (double)(end - at), one = 0, other = 0, squares = 0, t;
	double error;

	for (size_t i = first; i < at; i++)
		one += values[i] / n;
	for (size_t i = at; i < end; i++)
		other += values[i] / m;
	for (size_t i = first; i < end; i++) {
		double away = values[i] - (i < at ? one : other);

		squares += away * away;
	}
	if (n + m <= 2)
		return 1;
	/* n s^2 with s^2 divided by n; pooled as from (n - 1) s^2. */
	squares = squares * ((n - 1) / n + (m - 1) / m) / 2;
	error = sqrt(squares / (n + m - 2) * (1 / n + 1 / m));
	if (!(error > 0))
		return one == other ? 1 : 0;
	t = fabs(one - other) / error;
	return 2 * perun_student_cdf(-t, n + m - 2);
}

/*
 * The split of [first, end) with the largest energy statistic (Matteson and James, 2014, alpha = 1).
 * Moving one value from right to left changes the sums by its own distances: O(n^2).
 */
static size_t best_split(const double *values, size_t first, size_t end)
{
	double between = 0, left = 0, right = 0, best = -INFINITY;
	size_t place = first;

	for (size_t i = first; i < end; i++) {
		for (size_t j = first; j < i; j++)
			right += fabs(values[i] - values[j]);
	}
	for (size_t at = first + 1; at < end; at++) {
		double to_left = 0, to_right = 0, n = (double)(at - first), m = (double)(end - at);
		double energy;

		for (size_t j = first; j < at - 1; j++)
			to_left += fabs(values[at - 1] - values[j]);
		for (size_t j = at; j < end; j++)
			to_right += fabs(values[at - 1] - values[j]);
		right -= to_right;
		left += to_left;
		between += to_right - to_left;
		if (n < 2 || m < 2)
			continue;
		energy = n * m / (n + m) *
			 (2 / (n * m) * between - 2 / (n * (n - 1)) * left -
			  2 / (m * (m - 1)) * right);
		if (energy > best) {
			best = energy;
			place = at;
		}
	}
	return place;
}

static void divide(const double *values, size_t first, size_t end, struct changepoint_list *list)
{
	size_t at;

	if (end - first < 4)
		return;
	at = best_split(values, first, end);
	if (at == first || p_of(values, first, at, end) >= P_CANDIDATE)
		return;
	divide(values, first, at, list);
	changepoint_list_add(list, at);
	divide(values, at, end, list);
}

/* Remove the weakest as long as it is too weak; its neighbours are then looked at anew. */
static void merge(const double *values, size_t count, struct changepoint_list *list)
{
	double *p = perun_alloc_zero(list->count + 1, sizeof *p);

	for (size_t i = 0; i < list->count; i++)
		p[i] = -1;
	for (;;) {
		double most = P_MOST;
		size_t weakest = SIZE_MAX;

		for (size_t i = 0; i < list->count; i++) {
			if (p[i] < 0)
				p[i] = p_of(values, i ? list->at[i - 1] : 0, list->at[i],
					    i + 1 < list->count ? list->at[i + 1] : count);
			if (p[i] >= most) {
				most = p[i];
				weakest = i;
			}
		}
		if (weakest == SIZE_MAX)
			break;
		changepoint_list_remove(list, weakest);
		for (size_t i = weakest; i < list->count; i++)
			p[i] = p[i + 1];
		if (weakest > 0)
			p[weakest - 1] = -1;
		p[weakest] = -1;
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
