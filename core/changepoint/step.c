/* SPDX-License-Identifier: BSD-3-Clause */
/* Piecewise constant levels in the L1 norm, with the penalty chosen as asv chooses it. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/statistics.h>

#include "core/changepoint/segments.h"

/* Up to so many values all places are tried; longer series in windows, then the places found there. */
#define WHOLE 400
/* Penalties that are tried, evenly in logarithms. */
#define PENALTIES 24
/* So many places are still looked at together. */
#define MOST_PLACES 1500
#define LONGEST     20000

/* Places where a segment may begin (0 and the end among them), and the costs of all segments. */
struct grid {
	const double *values;
	size_t *places, count;
	double *costs; /* [i * count + j]: from places[i] up to places[j], i < j */
};

/* Sum of |value - median| of a sorted array. */
static double deviation(const double *sorted, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count / 2; i++)
		sum += sorted[count - 1 - i] - sorted[i];
	return sum;
}

static void insert_sorted(double *sorted, size_t count, double value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(sorted + low + 1, sorted + low, (count - low) * sizeof *sorted);
	sorted[low] = value;
}

static void fill_costs(struct grid *grid)
{
	size_t count = grid->count, all = grid->places[count - 1];
	double *sorted = perun_alloc_zero(all + 1, sizeof *sorted);

	grid->costs = perun_alloc_zero(count * count, sizeof *grid->costs);
	for (size_t i = 0; i + 1 < count; i++) {
		size_t filled = 0;

		for (size_t j = i + 1; j < count; j++) {
			for (size_t at = grid->places[j - 1]; at < grid->places[j]; at++)
				insert_sorted(sorted, filled++, grid->values[at]);
			grid->costs[i * count + j] = deviation(sorted, filled);
		}
	}
	perun_free(sorted);
}

/* The least sum of costs and penalties; segments of one value are not allowed. */
static void solve(const struct grid *grid, double penalty, struct changepoint_list *list)
{
	size_t count = grid->count, *from = perun_alloc_zero(count, sizeof *from);
	double *best = perun_alloc_zero(count, sizeof *best);

	for (size_t j = 1; j < count; j++) {
		best[j] = INFINITY;
		for (size_t i = 0; i < j; i++) {
			double cost = best[i] + grid->costs[i * count + j] + (i ? penalty : 0);

			if (grid->places[j] - grid->places[i] >= 2 && cost < best[j]) {
				best[j] = cost;
				from[j] = i;
			}
		}
	}
	list->count = 0;
	for (size_t j = from[count - 1]; j > 0; j = from[j])
		changepoint_list_add(list, grid->places[j]);
	for (size_t i = 0; i < list->count / 2; i++) {
		size_t kept = list->at[i];

		list->at[i] = list->at[list->count - 1 - i];
		list->at[list->count - 1 - i] = kept;
	}
	perun_free(from);
	perun_free(best);
}

/* log of the mean deviation that is left, autocorrelation of order 1 taken out, plus 4 log(n) / n each. */
static double criterion(const double *values, size_t count, const struct changepoint_list *list)
{
	double *left = perun_alloc_zero(count, sizeof *left), product = 0, squares = 0, sum, r;

	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : count;
		double level = perun_median(values + first, end - first);

		for (size_t j = first; j < end; j++)
			left[j] = values[j] - level;
	}
	for (size_t i = 1; i < count; i++) {
		product += left[i] * left[i - 1];
		squares += left[i - 1] * left[i - 1];
	}
	r = squares > 0 ? product / squares : 0;
	sum = fabs(left[0]);
	for (size_t i = 1; i < count; i++)
		sum += fabs(left[i] - r * left[i - 1]);
	perun_free(left);
	return 4 * log((double)count) / (double)count * (double)list->count +
	       log(fmax(sum / (double)count, 1e-300));
}

static void search(const double *values, size_t count, const struct changepoint_list *allowed,
		   struct changepoint_list *list)
{
	struct grid grid = {.values = values, .count = (allowed ? allowed->count : count - 1) + 2};
	struct changepoint_list tried = {0};
	double least = INFINITY, all;

	grid.places = perun_alloc_zero(grid.count, sizeof *grid.places);
	for (size_t i = 1; i + 1 < grid.count; i++)
		grid.places[i] = allowed ? allowed->at[i - 1] : i;
	grid.places[grid.count - 1] = count;
	fill_costs(&grid);
	all = grid.costs[grid.count - 1];
	for (int i = 0; i < PENALTIES && all > 0; i++) {
		/* From the deviation of one value to that of all. */
		double share = (double)(PENALTIES - 1 - i) / (PENALTIES - 1), now;

		solve(&grid, all * pow(1 / (double)count, share), &tried);
		now = criterion(values, count, &tried);
		if (now < least - 1e-12) {
			struct changepoint_list kept = *list;

			least = now;
			*list = tried;
			tried = kept;
		}
	}
	perun_free(tried.at);
	perun_free(grid.places);
	perun_free(grid.costs);
}

void changepoint_step(const double *values, size_t count, struct changepoint_list *list)
{
	struct changepoint_list allowed = {0}, found = {0};

	if (count <= WHOLE) {
		search(values, count, NULL, list);
		return;
	}
	for (size_t first = 0; first < count; first += WHOLE / 2) {
		size_t end = count - first > WHOLE ? first + WHOLE : count;

		found.count = 0;
		search(values + first, end - first, NULL, &found);
		for (size_t i = 0; i < found.count; i++) {
			size_t at = first + found.at[i], place = allowed.count;

			while (place > 0 && allowed.at[place - 1] > at)
				place--;
			if (place > 0 && allowed.at[place - 1] == at)
				continue;
			changepoint_list_add(&allowed, at);
			memmove(allowed.at + place + 1, allowed.at + place,
				(allowed.count - 1 - place) * sizeof *allowed.at);
			allowed.at[place] = at;
		}
		if (end == count)
			break;
	}
	if (allowed.count > MOST_PLACES || count > LONGEST) {
		/* Too many for all pairs: what the windows say. */
		*list = allowed;
		allowed = (struct changepoint_list){0};
	} else if (allowed.count) {
		search(values, count, &allowed, list);
	}
	perun_free(allowed.at);
	perun_free(found.at);
}
