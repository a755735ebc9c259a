/* SPDX-License-Identifier: BSD-3-Clause */
/* Jumps: steps so large that no noise of their neighbourhood, not even a random walk, makes them. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/* Values on each side of a jump. */
#define WIDTH 8
/* How many times the range of either side a jump must be. */
#define MULTIPLE 5.0
/* Values on each side, up to the next jump, that must not be mixed, and the share of pairs in order. */
#define MIXED (2 * WIDTH)
#define ORDER 0.85

/* WIDTH values from a place on: their median, and their range without the farthest one. */
struct window {
	double middle, range;
};

static struct window window_of(const double *values)
{
	double sorted[WIDTH];

	for (size_t i = 0; i < WIDTH; i++) {
		size_t at = i;

		for (; at > 0 && sorted[at - 1] > values[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = values[i];
	}
	return (struct window){(sorted[WIDTH / 2 - 1] + sorted[WIDTH / 2]) / 2,
			       fmin(sorted[WIDTH - 2] - sorted[0], sorted[WIDTH - 1] - sorted[1])};
}

/*
 * Four values side by side: the second smallest, and their range without the farthest one. Of a window around them all
 * but one are in an interval as long as its range, and so are three of these, the median and this value.
 */
struct four {
	double low, range;
};

static double less(double one, double other)
{
	return one < other ? one : other;
}

static double more(double one, double other)
{
	return one < other ? other : one;
}

static struct four *take_fours(const double *values, size_t count)
{
	struct four *fours = perun_alloc((count / 4 + 1) * sizeof *fours);

	for (size_t i = 0; i < count / 4; i++) {
		const double *four = values + 4 * i;
		double a = less(four[0], four[1]), b = more(four[0], four[1]);
		double c = less(four[2], four[3]), d = more(four[2], four[3]);
		double second = less(more(a, c), less(b, d)), third = more(more(a, c), less(b, d));

		fours[i] = (struct four){second, less(third - less(a, c), more(b, d) - second)};
	}
	return fours;
}

/* Whether a jump may be between these: but for two ranges, and one for rounding, it is as large between their values. */
static bool may_jump(const struct four *before, const struct four *after)
{
	double size = fabs(after->low - before->low);

	return size > 0 && size >= (MULTIPLE - 3) * more(before->range, after->range);
}

/* Where the values fit the medians of both sides best. */
static size_t place(const double *values, size_t at, double before, double after)
{
	double sum = 0, least = 0;
	size_t best = at - WIDTH / 2;

	for (size_t i = at - WIDTH / 2; i < at + WIDTH / 2; i++) {
		sum += fabs(values[i] - before) - fabs(values[i] - after);
		if (sum < least) {
			least = sum;
			best = i + 1;
		}
	}
	return best;
}

struct jump {
	size_t at;
	double size; /* in ranges */
};

static int by_size(const void *one, const void *other)
{
	const struct jump *a = one, *b = other;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Whether hardly any value of one side is beyond those of the other: else both are of two modes. */
static bool separates(const double *values, size_t first, size_t at, size_t end)
{
	size_t from = at - first > MIXED ? at - MIXED : first;
	size_t to = end - at > MIXED ? at + MIXED : end;
	double before = 0, after = 0, pairs = (double)((at - from) * (to - at));

	for (size_t i = from; i < at; i++) {
		for (size_t j = at; j < to; j++) {
			before += values[i] < values[j];
			after += values[i] > values[j];
		}
	}
	return fmax(before, after) >= ORDER * pairs;
}

void changepoint_jumps(const double *values, size_t count, struct changepoint_list *list)
{
	struct four *fours;
	struct jump *jumps = NULL;
	size_t found = 0, capacity = 0;
	bool any = true;

	if (count < 2 * WIDTH)
		return;
	fours = take_fours(values, count);
	for (size_t at = WIDTH; at + WIDTH <= count; at++) {
		struct window before, after;
		double size, range;

		/* Both are in the windows of all four places from at / 4 * 4 on. */
		if (!may_jump(&fours[at / 4 - 1], &fours[at / 4 + 1])) {
			at |= 3;
			continue;
		}
		before = window_of(values + at - WIDTH);
		after = window_of(values + at);
		size = fabs(after.middle - before.middle);
		range = fmax(before.range, after.range);
		if (size > 0 && size >= MULTIPLE * range) {
			PERUN_GROW(jumps, found, capacity);
			jumps[found++] =
				(struct jump){place(values, at, before.middle, after.middle),
					      size / (range + 1e-9 * size)};
		}
	}
	perun_free(fours);
	if (found)
		qsort(jumps, found, sizeof *jumps, by_size);
	for (size_t i = 0; i < found; i++)
		changepoint_list_insert(list, jumps[i].at, WIDTH);
	perun_free(jumps);
	while (any) {
		any = false;
		for (size_t i = 0; i < list->count && !any; i++) {
			size_t first = i ? list->at[i - 1] : 0;
			size_t end = i + 1 < list->count ? list->at[i + 1] : count;

			if (!separates(values, first, list->at[i], end)) {
				changepoint_list_remove(list, i);
				any = true;
			}
		}
	}
}
