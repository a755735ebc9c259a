/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the last value of a series may be a change. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/last-step.h"
#include "core/changepoint/segments.h"

/* Numbers that a bound is taken from, about; it is lowered by this part until that part of all numbers are not below. */
#define SAMPLE 256
#define LOWER  0.95
#define MOST   0.53
/* What rounding, and approximations of quantiles, may make of a limit. */
#define SLACK 1e-6
/* Differences that are a smaller part of the values than this may be rounding. */
#define ROUNDED 1e-8

static bool is_positive(const struct changepoint_so_far *so_far)
{
	return so_far->lowest > 0;
}

/* ---- bounds ----------------------------------------------------------------------------------- */

/* Whether neighbours differ by no less than a bound; ratios are found sooner than logarithms. */
struct step_limit {
	bool ratios;
	double least;
};

static struct step_limit step_limit(const struct changepoint_so_far *so_far)
{
	bool ratios = is_positive(so_far);

	return (struct step_limit){ratios, ratios ? exp(so_far->steps.least) : so_far->steps.least};
}

static bool exceeds(const struct step_limit *limit, double one, double other)
{
	if (limit->ratios)
		return one > other ? one >= limit->least * other : other >= limit->least * one;
	return fabs(one - other) >= limit->least;
}

static double step_between(const struct changepoint_so_far *so_far, double one, double other)
{
	return is_positive(so_far) ? fabs(log(one) - log(other)) : fabs(one - other);
}

/*
 * Add the distances of repeats from their value to a bound; of an odd number one repeat is the value, which does not
 * count.
 */
static void add_distances(struct changepoint_so_far *so_far, double value, const double *repeats,
			  size_t count)
{
	const double least = so_far->distances.least * (is_positive(so_far) ? value : 1);
	uint32_t larger = 0, equal = 0;

	for (size_t i = 0; i < count; i++) {
		larger += fabs(repeats[i] - value) >= least;
		equal += repeats[i] == value;
	}
	so_far->distances.count += (uint32_t)count - (count % 2 == 1 && equal);
	so_far->distances.larger += least > 0 ? larger : 0;
}

static void take_range(struct changepoint_so_far *so_far, double value)
{
	so_far->lowest = fmin(so_far->lowest, value);
	so_far->highest = fmax(so_far->highest, value);
}

/* ---- all values ------------------------------------------------------------------------------- */

/* The values that were measured. */
struct values {
	const struct perun_value_series *series;
	double *values;
	size_t *places;
	size_t count;
};

static const double *repeats_of(const struct values *values, size_t i, size_t *count)
{
	const size_t *starts = values->series->starts + values->places[i];

	*count = starts[1] - starts[0];
	return values->series->repeats + starts[0];
}

static bool has_most(const struct changepoint_bound *bound)
{
	return bound->larger >= MOST * bound->count;
}

static void bound_steps(struct changepoint_so_far *so_far, const struct values *values)
{
	const double *at = values->values;
	size_t every = 1 + values->count / SAMPLE, count = 0;
	double sample[SAMPLE + 1];

	so_far->steps.count = values->count > 0 ? (uint32_t)values->count - 1 : 0;
	for (size_t i = 1; i < values->count; i += every)
		sample[count++] = step_between(so_far, at[i], at[i - 1]);
	so_far->steps.least = count ? perun_median_in_place(sample, count) : 0;
	for (unsigned round = 0; so_far->steps.least > 0 && round < SAMPLE; round++) {
		struct step_limit limit;

		so_far->steps.least *= LOWER;
		limit = step_limit(so_far);
		so_far->steps.larger = 0;
		for (size_t i = 1; i < values->count; i++)
			so_far->steps.larger += exceeds(&limit, at[i], at[i - 1]);
		if (has_most(&so_far->steps))
			break;
	}
}

static void count_distances(struct changepoint_so_far *so_far, const struct values *values)
{
	so_far->distances.count = so_far->distances.larger = 0;
	for (size_t i = 0; i < values->count; i++) {
		size_t count;
		const double *repeats = repeats_of(values, i, &count);

		add_distances(so_far, values->values[i], repeats, count);
	}
}

static void bound_distances(struct changepoint_so_far *so_far, const struct values *values)
{
	size_t every = 1 + (size_t)so_far->repeats / SAMPLE, place = 0, used = 0;
	double sample[SAMPLE + 1];

	for (size_t i = 0; i < values->count; i++) {
		size_t count;
		const double *repeats = repeats_of(values, i, &count);
		double level = is_positive(so_far) ? values->values[i] : 1;

		for (size_t k = (every - place % every) % every; k < count; k += every)
			sample[used++] = fabs(repeats[k] - values->values[i]) / level;
		place += count;
	}
	so_far->distances.least = used ? perun_median_in_place(sample, used) : 0;
	for (unsigned round = 0; so_far->distances.least > 0 && round < SAMPLE; round++) {
		so_far->distances.least *= LOWER;
		count_distances(so_far, values);
		if (has_most(&so_far->distances))
			break;
	}
}

static void take_values(const struct perun_value_series *series, struct values *values)
{
	*values = (struct values){
		.series = series,
		.values = perun_alloc((series->count + 1) * sizeof *values->values),
		.places = perun_alloc((series->count + 1) * sizeof *values->places)};
	for (size_t i = 0; i < series->count; i++) {
		if (isnan(series->values[i]))
			continue;
		values->places[values->count] = i;
		values->values[values->count++] = series->values[i];
	}
}

void changepoint_so_far_start(struct changepoint_so_far *so_far,
			      const struct perun_value_series *series)
{
	struct values values;

	so_far->last[0] = so_far->last[1] = so_far->last[2] = NAN;
	so_far->lowest = INFINITY;
	so_far->highest = -INFINITY;
	so_far->steps = so_far->distances = (struct changepoint_bound){0};
	so_far->count = 0;
	so_far->repeats = 0;
	if (!series)
		return;
	take_values(series, &values);
	for (size_t i = 0; i < values.count; i++) {
		size_t count;

		take_range(so_far, values.values[i]);
		repeats_of(&values, i, &count);
		so_far->repeats += count;
	}
	for (size_t i = 0; i < 3 && i < values.count; i++)
		so_far->last[i] = values.values[values.count - 1 - i];
	so_far->count = (uint32_t)values.count;
	if (isfinite(so_far->lowest) && isfinite(so_far->highest)) {
		bound_steps(so_far, &values);
		bound_distances(so_far, &values);
	}
	perun_free(values.values);
	perun_free(values.places);
}

/* ---- one more value --------------------------------------------------------------------------- */

void changepoint_so_far_add(struct changepoint_so_far *so_far, double value, const double *repeats,
			    size_t count)
{
	bool positive = is_positive(so_far);

	take_range(so_far, value);
	/* On another scale nothing is known of the differences before. */
	if (positive != is_positive(so_far))
		so_far->steps.least = so_far->distances.least = 0;
	if (so_far->count) {
		struct step_limit limit = step_limit(so_far);

		so_far->steps.count++;
		so_far->steps.larger += exceeds(&limit, value, so_far->last[0]);
	}
	so_far->repeats += count;
	add_distances(so_far, value, repeats, count);
	so_far->last[2] = so_far->last[1];
	so_far->last[1] = so_far->last[0];
	so_far->last[0] = value;
	so_far->count++;
}

/* ---- the last value --------------------------------------------------------------------------- */

/* Of exact values each version speaks for itself, so the one before it is enough. */
static bool may_step_exactly(const double *last)
{
	if (last[0] == last[1])
		return false;
	return !(last[0] > 0 && last[1] > 0 &&
		 fabs(log(last[0]) - log(last[1])) <= (1 - SLACK) * CHANGEPOINT_EXACT);
}

/* The lower one of two in the middle is no less than this. */
static double lower_median(const struct changepoint_bound *bound)
{
	size_t below = bound->count - bound->larger;

	return bound->count && below < (bound->count + (size_t)1) / 2 ? bound->least : 0;
}

static double largest(const struct changepoint_so_far *so_far)
{
	return fmax(fabs(so_far->lowest), fabs(so_far->highest));
}

/* What changepoint_measure() has for `between`, on the scale of the values, at least. */
static double least_between(const struct changepoint_so_far *so_far)
{
	double least = lower_median(&so_far->steps);

	/* Logarithms of smaller values are those of others. */
	if (so_far->steps.count < CHANGEPOINT_DIFFERENCES ||
	    (is_positive(so_far) && so_far->lowest <= 2 * CHANGEPOINT_ZERO * so_far->highest) ||
	    least <= ROUNDED * (is_positive(so_far) ? 1 : largest(so_far)))
		return 0;
	return PERUN_MAD_TO_SIGMA * least / M_SQRT2;
}

/* The same for `within`; what repeats remember of the one before makes it larger. */
static double least_within(const struct changepoint_so_far *so_far)
{
	double repeats = (double)so_far->repeats / (double)so_far->count;
	double least = lower_median(&so_far->distances);

	if (repeats < CHANGEPOINT_REPEATS ||
	    least <= ROUNDED * (is_positive(so_far) ? 1 : largest(so_far)))
		return 0;
	return PERUN_MAD_TO_SIGMA * least * sqrt(M_PI / 2 / repeats);
}

/* Whether the value before the last one is far from both of its neighbours: see changepoint_repeats(). */
static bool takes_back(const struct changepoint_so_far *so_far)
{
	const double *last = so_far->last;
	double step;

	if (so_far->count < 3 || !is_positive(so_far))
		return false;
	step = fmin(fabs(log(last[1] / last[0])), fabs(log(last[1] / last[2])));
	return (last[1] < last[0]) == (last[1] < last[2]) &&
	       step > (1 - SLACK) * (last[1] < last[0] ? CHANGEPOINT_LOWER_ALONE
						       : CHANGEPOINT_HIGHER_ALONE);
}

bool changepoint_may_end_in_step(const struct changepoint_so_far *so_far, bool exact)
{
	const double *last = so_far->last;
	double before = so_far->count > 2 ? last[2] : last[1], nearest, quantile, error;

	if (so_far->count < 2)
		return false;
	if (!isfinite(so_far->lowest) || !isfinite(so_far->highest))
		return true;
	if (exact)
		return may_step_exactly(last);
	if (takes_back(so_far))
		return true;
	if (last[0] > fmax(last[1], before))
		nearest = fmax(last[1], before);
	else if (last[0] < fmin(last[1], before))
		nearest = fmin(last[1], before);
	else
		return false;
	error = M_SQRT2 * fmax(least_between(so_far), least_within(so_far));
	/* A normal quantile is less than those of Student's distribution, by which steps are found. */
	quantile = perun_normal_quantile(1 - CHANGEPOINT_ALONE_P / 2 / so_far->count);
	return step_between(so_far, last[0], nearest) > (1 - SLACK) * error * quantile;
}
