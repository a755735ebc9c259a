/* SPDX-License-Identifier: BSD-3-Clause */
/* A closer look at each change that was found: do its own two segments bear it out? */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/*
 * What the square of a change over its standard error must at least be in its own two segments: that of
 * 3 in 10,000 places where nothing changed is.
 */
#define CONFIRMED 13.0
/* Values on each side of a change that a closer look takes in; and independent ones of a second look. */
#define NEAR    2000
#define NEAREST 60

/* Residuals of one side about its median. */
static double side_median(const double *values, size_t first, size_t end, double *residuals)
{
	double level = perun_median(values + first, end - first);

	for (size_t i = first; i < end; i++)
		residuals[i] = values[i] - level;
	return level;
}

/* Residuals limited to `limit`, about their mean, which is returned. */
static double limited_mean(double *residuals, size_t first, size_t end, double limit,
			   double *squares)
{
	double mean = 0;

	for (size_t i = first; i < end; i++) {
		residuals[i] = changepoint_limited(residuals[i], limit);
		mean += residuals[i] / (double)(end - first);
	}
	*squares = 0;
	for (size_t i = first; i < end; i++) {
		residuals[i] -= mean;
		*squares += residuals[i] * residuals[i];
	}
	return mean;
}

/*
 * (difference of levels / its standard error) squared, of two segments by their own variances, with
 * `near` values of each at most. `inflation`: what autocorrelation makes of the squared error.
 */
static double closer_look(const double *values, size_t first, size_t at, size_t end, double near,
			  double *inflation)
{
	double *residuals, left, right, one, other, pooled, before, after, error, r = 0, limit;
	size_t count, split;

	first = (double)(at - first) > near ? at - (size_t)near : first;
	end = (double)(end - at) > near ? at + (size_t)near : end;
	count = end - first;
	split = at - first;
	left = (double)split;
	right = (double)(end - at);
	values += first;
	residuals = perun_alloc((count + 1) * sizeof *residuals);
	before = side_median(values, 0, split, residuals);
	after = side_median(values, split, count, residuals);
	limit = changepoint_deviation(residuals, count, 0);
	one = fmax(limit, changepoint_deviation(residuals, split, 0));
	other = fmax(limit, changepoint_deviation(residuals + split, count - split, 0));
	before += limited_mean(residuals, 0, split, CHANGEPOINT_OUTLIER * one, &one);
	after += limited_mean(residuals, split, count, CHANGEPOINT_OUTLIER * other, &other);
	for (size_t i = 1; i < count; i++)
		r += residuals[i] * residuals[i - 1];
	perun_free(residuals);
	pooled = (one + other) / (double)(count > 2 ? count - 2 : 1);
	r = changepoint_unbiased(one + other > 0 ? r / (one + other) : 0, 3, count);
	r = r < 0 ? 0 : r > 0.95 ? 0.95 : r;
	*inflation = (1 + r) / (1 - r);
	one = fmax(one / fmax(left - 1, 1), pooled);
	other = fmax(other / fmax(right - 1, 1), pooled);
	error = one / left + other / right;
	error *= *inflation;
	after -= before;
	return error > 0 ? after * after / error : after != 0 ? INFINITY : 0;
}

/*
 * How far a change is borne out by its own two segments, 1 = just so. What holds for all of them must hold
 * for the values next to it as well: noise is not as wide everywhere.
 */
static double borne_out(const double *values, size_t count, double penalty, bool last,
			const struct changepoint_list *list, size_t i)
{
	size_t first = i ? list->at[i - 1] : 0, at = list->at[i];
	size_t end = i + 1 < list->count ? list->at[i + 1] : count;
	/* Of the many places in a long series some look like a change; at its end there are few. */
	bool few = last && count - at <= CHANGEPOINT_TAIL;
	double inflation, far = closer_look(values, first, at, end, NEAR, &inflation);
	double near = closer_look(values, first, at, end, NEAREST * inflation, &inflation);
	double least = few ? 0 : penalty;

	/* Fewer values are outliers. */
	if (at - first < (i ? CHANGEPOINT_RUN : CHANGEPOINT_EDGE) ||
	    end - at < (i + 1 < list->count || !last ? CHANGEPOINT_RUN : CHANGEPOINT_EDGE))
		return 0;
	return fmin(far, near) / fmax(least, CONFIRMED);
}

/* Take away what its own two segments do not bear out, the weakest first. */
void changepoint_confirm(const double *values, size_t count, double penalty, bool last,
			 struct changepoint_list *list)
{
	while (list->count) {
		double least = INFINITY;
		size_t weakest = 0;

		for (size_t i = 0; i < list->count; i++) {
			double look = borne_out(values, count, penalty, last, list, i);

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
