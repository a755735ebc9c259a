/* SPDX-License-Identifier: BSD-3-Clause */
/* A closer look at each change that was found: do its own two segments bear it out? */
#include <config.h>

#include <math.h>

#include "core/changepoint/segments.h"

/*
 * What the square of a change over its standard error must at least be in its own two segments: that of
 * 3 in 10,000 places where nothing changed is.
 */
#define CONFIRMED 13.0
/* Values on each side of a change that a closer look takes in; and independent ones of a second look. */
#define NEAR    2000
#define NEAREST 60
/* Few values know their variance badly: so many of the common one are added. */
#define PRIOR 10

static double variance(const double *scores, size_t first, size_t end, double *mean)
{
	double sum = 0, squares = 0, n = (double)(end - first);

	for (size_t i = first; i < end; i++)
		sum += scores[i] / n;
	for (size_t i = first; i < end; i++)
		squares += (scores[i] - sum) * (scores[i] - sum);
	*mean = sum;
	return squares;
}

/*
 * (difference of means / its standard error) squared, of two segments by their own variances, with
 * `near` values of each at most. `inflation`: what autocorrelation makes of the squared error. `few`: the
 * place had only few others to be in.
 */
static double closer_look(const double *values, size_t first, size_t at, size_t end, bool few,
			  double near, double *inflation)
{
	double *scores, left, right, one, other, pooled, before, after, error, r = 0, last = 0;
	size_t count, split;

	first = (double)(at - first) > near ? at - (size_t)near : first;
	end = (double)(end - at) > near ? at + (size_t)near : end;
	count = end - first;
	split = at - first;
	left = (double)split;
	right = (double)(end - at);
	scores = perun_alloc_zero(count + 1, sizeof *scores);
	changepoint_scores(values + first, count, scores);
	one = variance(scores, 0, split, &before);
	other = variance(scores, split, count, &after);
	pooled = (one + other) / (double)(count > 2 ? count - 2 : 1);
	for (size_t i = 0; i < count; i++) {
		double now = scores[i] - (i < split ? before : after);

		r += i ? now * last : 0;
		last = now;
	}
	perun_free(scores);
	r = changepoint_unbiased(one + other > 0 ? r / (one + other) : 0, 3, count);
	r = r < 0 ? 0 : r > 0.95 ? 0.95 : r;
	*inflation = (1 + r) / (1 - r);
	one = (one + PRIOR * pooled) / (left - 1 + PRIOR);
	other = (other + PRIOR * pooled) / (right - 1 + PRIOR);
	/* Among many places there are some where a few values are next to each other by chance. */
	if (!few) {
		one = fmax(one, pooled);
		other = fmax(other, pooled);
	}
	error = one / left + other / right;
	error *= *inflation;
	after -= before;
	return error > 0 ? after * after / error : after != 0 ? INFINITY : 0;
}

/*
 * How far a change is borne out by its own two segments, 1 = just so. What holds for all of them must hold
 * for the values next to it as well: noise is not as wide everywhere.
 */
static double borne_out(const double *values, size_t count, const struct changepoint_list *list,
			size_t i)
{
	size_t first = i ? list->at[i - 1] : 0, at = list->at[i];
	size_t end = i + 1 < list->count ? list->at[i + 1] : count;
	/* Of the many places in a long series some look like a change; at its end there are few. */
	bool few = count - at <= CHANGEPOINT_TAIL;
	double inflation, far = closer_look(values, first, at, end, few, NEAR, &inflation);
	double near = closer_look(values, first, at, end, few, NEAREST * inflation, &inflation);
	double least = few ? 0 : changepoint_penalty(count);

	return fmin(far, near) / fmax(least, CONFIRMED);
}

/* Take away what its own two segments do not bear out, the weakest first. */
void changepoint_confirm(const double *values, size_t count, struct changepoint_list *list)
{
	while (list->count) {
		double least = INFINITY;
		size_t weakest = 0;

		for (size_t i = 0; i < list->count; i++) {
			double look = borne_out(values, count, list, i);

			if (look < least) {
				least = look;
				weakest = i;
			}
		}
		if (least >= 1)
			break;
		changepoint_list_remove(list, weakest);
	}
}
