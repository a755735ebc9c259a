/* SPDX-License-Identifier: BSD-3-Clause */
/* Weighted windows before and after each value, as Mozilla's Perfherder compares them. */
#include <config.h>

#include <math.h>

#include "core/changepoint/segments.h"

/* Perfherder's own constants. */
#define MIN_BACK 12
#define MAX_BACK 24
#define FORWARD  12
#define MIN_T    7.0

struct window {
	double mean, variance, count;
};

/* `count` values from `nearest` on, in steps of `step`; the nearest weighs most. */
static struct window look(const double *nearest, ptrdiff_t step, size_t count)
{
	struct window window = {.count = (double)count};
	double weights = 0;

	for (size_t i = 0; i < count; i++) {
		double weight = (double)(count - i) / (double)count;

		weights += weight;
		window.mean += weight * nearest[(ptrdiff_t)i * step];
	}
	window.mean /= weights;
	for (size_t i = 0; i < count; i++) {
		double away = nearest[(ptrdiff_t)i * step] - window.mean;

		window.variance += away * away / (double)(count - 1);
	}
	return window;
}

/* Of `back` values before i, or as many as there are, and those from it on. */
static double t_at(const double *values, size_t count, size_t i, size_t back)
{
	struct window before, after;
	double away, error;

	if (i < MIN_BACK || i + FORWARD > count)
		return 0;
	before = look(values + i - 1, -1, i < back ? i : back);
	after = look(values + i, 1, FORWARD);
	away = fabs(after.mean - before.mean);
	error = sqrt(before.variance / before.count + after.variance / after.count);
	return away == 0 ? 0 : error > 0 ? away / error : INFINITY;
}

void changepoint_t_test(const double *values, size_t count, struct changepoint_list *list)
{
	double last = 0, now = 0, next;
	size_t seen = 0; /* where t was large enough before */

	for (size_t i = 0; i < count; i++) {
		size_t back = i > seen ? i - seen : 0;

		/* No further back than that, but for the least window. */
		back = back < MIN_BACK ? MIN_BACK : back > MAX_BACK ? MAX_BACK : back;
		next = t_at(values, count, i + 1, back);
		if (now > MIN_T && now >= last && now > next)
			changepoint_list_add(list, i);
		if (next > MIN_T)
			seen = i + 1;
		last = now;
		now = next;
	}
}
