/* SPDX-License-Identifier: BSD-3-Clause */
/* Piecewise constant levels in the L1 norm, with the penalty chosen as asv chooses it. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/* Up to this many values all places are tried; longer series in windows, then the places found there. */
#define WHOLE  1200
#define WINDOW 400
/* What levels leave counts as this share of the deviation of all at least: none leave nothing. */
#define FLOOR 1e-3
/*
 * Penalties that are tried besides: the golden section search ends in the wrong valley when a series has many
 * levels, which without changes pass for autocorrelation.
 */
#define PENALTIES 24
/* The golden section. */
#define GOLDEN 0.61803398874989485
/* This many places are still looked at together. */
#define MAX_PLACES 1500
#define LONGEST    20000

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

/* The least sum of costs and penalties. */
static void solve(const struct grid *grid, double penalty, struct changepoint_list *list)
{
	size_t count = grid->count, *from = perun_alloc_zero(count, sizeof *from);
	double *best = perun_alloc_zero(count, sizeof *best);

	for (size_t j = 1; j < count; j++) {
		best[j] = INFINITY;
		for (size_t i = 0; i < j; i++) {
			double cost = best[i] + grid->costs[i * count + j] + (i ? penalty : 0);

			if (cost < best[j]) {
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

/* What is looked for the least of. */
typedef double objective(void *data, double x);

/*
 * Golden section search, as asv does it: the first two places are the ends of [a, b]. Ends when the
 * interval is shorter than `tolerance`; returns the best of the last two places.
 */
static double search_golden(objective *f, void *data, double a, double b, double tolerance)
{
	double from = (GOLDEN * a - (1 - GOLDEN) * b) / (2 * GOLDEN - 1);
	double to = (GOLDEN * b - (1 - GOLDEN) * a) / (2 * GOLDEN - 1);
	double one = GOLDEN * from + (1 - GOLDEN) * to, two = (1 - GOLDEN) * from + GOLDEN * to;
	double first = f(data, one), second = f(data, two);

	while (fabs(to - from) >= tolerance) {
		if (second < first) {
			from = one;
			one = two;
			two = GOLDEN * one + (1 - GOLDEN) * to;
			first = second;
			second = f(data, two);
		} else {
			to = two;
			two = one;
			one = GOLDEN * two + (1 - GOLDEN) * from;
			second = first;
			first = f(data, one);
		}
	}
	return second < first ? two : one;
}

/* What levels leave of values. */
struct rest {
	double *left;
	size_t count;
};

/* The sum of deviations, an autocorrelation of order 1 taken out. */
static double innovations(void *data, double correlation)
{
	const struct rest *rest = data;
	double sum = fabs(rest->left[0]);

	for (size_t i = 1; i < rest->count; i++)
		sum += fabs(rest->left[i] - correlation * rest->left[i - 1]);
	return sum;
}

/* What a change must gain. */
static double price_of(size_t count)
{
	return 4 * log((double)count) / (double)count;
}

/* log of the deviation that is left, autocorrelation taken out, plus 4 log(n) / n each; `floor`: of all. */
static double criterion(const double *values, size_t count, const struct changepoint_list *list,
			double floor)
{
	struct rest rest = {perun_alloc_zero(count, sizeof(double)), count};
	double sum;

	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : count;
		double level = perun_median(values + first, end - first);

		for (size_t j = first; j < end; j++)
			rest.left[j] = values[j] - level;
	}
	sum = innovations(&rest, search_golden(innovations, &rest, -1, 1, 0.05));
	perun_free(rest.left);
	return price_of(count) * (double)list->count + log(fmax(sum, FLOOR * floor));
}

/* The penalties that are tried, and the best of what they find. */
struct trial {
	const struct grid *grid;
	size_t values;
	struct changepoint_list tried, best;
	double all, least;
};

/* `x`: the logarithm of the penalty as a share of the deviation of all. */
static double try_penalty(void *data, double x)
{
	struct trial *trial = data;
	double now;

	solve(trial->grid, trial->all * exp(x), &trial->tried);
	now = criterion(trial->grid->values, trial->values, &trial->tried, trial->all);
	if (now < trial->least) {
		struct changepoint_list kept = trial->best;

		trial->least = now;
		trial->best = trial->tried;
		trial->tried = kept;
	}
	return now;
}

static void search(const double *values, size_t count, const struct changepoint_list *allowed,
		   struct changepoint_list *list)
{
	struct grid grid = {.values = values, .count = (allowed ? allowed->count : count - 1) + 2};
	struct trial trial = {.grid = &grid, .values = count, .least = INFINITY};
	double lowest = log(0.1 / (double)count);

	grid.places = perun_alloc_zero(grid.count, sizeof *grid.places);
	for (size_t i = 1; i + 1 < grid.count; i++)
		grid.places[i] = allowed ? allowed->at[i - 1] : i;
	grid.places[grid.count - 1] = count;
	fill_costs(&grid);
	trial.all = grid.costs[grid.count - 1];
	list->count = 0;
	if (trial.all > 0) {
		search_golden(try_penalty, &trial, lowest, 0, 0.1 * fabs(lowest));
		/* As asv does it, unless others are better by the price of a change. */
		trial.least -= price_of(count);
		for (unsigned i = 0; i <= PENALTIES; i++)
			try_penalty(&trial, lowest * i / PENALTIES);
		for (size_t i = 0; i < trial.best.count; i++)
			changepoint_list_add(list, trial.best.at[i]);
	}
	perun_free(trial.tried.at);
	perun_free(trial.best.at);
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
	for (size_t first = 0; first < count; first += WINDOW / 2) {
		size_t end = count - first > WINDOW ? first + WINDOW : count;

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
	if (allowed.count > MAX_PLACES || count > LONGEST) {
		/* Too many for all pairs: what the windows say. */
		*list = allowed;
		allowed = (struct changepoint_list){0};
	} else if (allowed.count) {
		search(values, count, &allowed, list);
	}
	perun_free(allowed.at);
	perun_free(found.at);
}
