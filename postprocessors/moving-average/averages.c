/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving averages of one series. */
#include <math.h>
#include <string.h>

#include <perun/context.h>

#include "moving-average.h"

/* The rows [*first, *end) of row i. */
static void rows_of(const struct movingaverage_window *window, size_t i, size_t count,
		    size_t *first, size_t *end)
{
	size_t after = window->center ? (window->width - 1) / 2 : 0;
	size_t before = window->width - 1 - after;

	*first = i > before ? i - before : 0;
	*end = count - i > after ? i + after + 1 : count;
}

void movingaverage_mean(const struct movingaverage_window *window, const double *y, size_t count,
			double *out)
{
	size_t from = 0, to = 0, first, end;
	long double sum = 0;

	for (size_t i = 0; i < count; i++) {
		rows_of(window, i, count, &first, &end);
		while (to < end)
			sum += y[to++];
		while (from < first)
			sum -= y[from++];
		out[i] = end - first < window->least ? NAN
						     : (double)(sum / (long double)(end - first));
	}
}

/* ---- medians ---------------------------------------------------------------------------------- */

/* The first place in a sorted list whose value is not less. */
static size_t place_of(const double *sorted, size_t count, double value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The window is kept sorted. */
void movingaverage_median(const struct movingaverage_window *window, const double *y, size_t count,
			  double *out)
{
	size_t room = window->width < count ? window->width : count;
	double *sorted = perun_alloc((room + 1) * sizeof *sorted);
	size_t from = 0, to = 0, first, end, place, held = 0;

	for (size_t i = 0; i < count; i++) {
		rows_of(window, i, count, &first, &end);
		for (; from < first; from++) {
			place = place_of(sorted, held, y[from]);
			memmove(sorted + place, sorted + place + 1,
				(held - 1 - place) * sizeof *sorted);
			held--;
		}
		for (; to < end; to++) {
			place = place_of(sorted, held, y[to]);
			memmove(sorted + place + 1, sorted + place,
				(held - place) * sizeof *sorted);
			sorted[place] = y[to];
			held++;
		}
		out[i] = held < window->least || held == 0
				 ? NAN
				 : (sorted[(held - 1) / 2] + sorted[held / 2]) / 2;
	}
	perun_free(sorted);
}

/* ---- weights ---------------------------------------------------------------------------------- */

void movingaverage_weighted_mean(const struct movingaverage_window *window, const double *weights,
				 const double *y, size_t count, double *out)
{
	size_t after = window->center ? (window->width - 1) / 2 : 0;
	size_t before = window->width - 1 - after, first, end;

	for (size_t i = 0; i < count; i++) {
		long double sum = 0, weight = 0;

		rows_of(window, i, count, &first, &end);
		for (size_t row = first; row < end; row++) {
			double own = weights[row + before - i];

			sum += own * y[row];
			weight += own;
		}
		/* As in pandas, a point counts whatever its weight is. */
		out[i] = end - first < window->least || weight == 0 ? NAN : (double)(sum / weight);
	}
}

void movingaverage_exponential(double alpha, size_t least, const double *y, size_t count,
			       double *out)
{
	long double sum = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		sum = sum * (1 - alpha) + y[i];
		weight = weight * (1 - alpha) + 1;
		out[i] = i + 1 < least ? NAN : (double)(sum / weight);
	}
}
