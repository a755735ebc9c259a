/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that the repeats of neighbouring versions show, however short the series is. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>
#include <perun/lib/verdict.h>

#include "core/changepoint/segments.h"

/* Repeats of a version in the mean; fewer do not show their own noise. */
#define MIN_REPEATS 4
/* From this many differences of neighbouring versions on, these show how sessions differ. */
#define MIN_DIFFERENCES 4
/* Deviations between sessions that a step exceeds when two versions on each side show it. */
#define CONFIRMED 3.0
/* p of one that the first or the last version alone shows, over all places of the series. */
#define ALONE_P 0.01
/* Versions on each side that the size of a step is measured by. */
#define NEAR 5
/* Degrees of freedom of what all repeats together show. */
#define MANY 200

/* ---- noise ------------------------------------------------------------------------------------- */

/* The residuals of one version's repeats about their median, as shares of the level; without the median itself. */
static size_t add_residuals(const double *repeats, size_t count, double median, double level,
			    double *residuals)
{
	bool skip = count % 2 == 1;
	size_t added = 0;

	for (size_t i = 0; i < count; i++) {
		if (skip && repeats[i] == median)
			skip = false;
		else
			residuals[added++] = (repeats[i] - median) / level;
	}
	return added;
}

/* The standard error of the median of `repeats` values whose residuals these are. */
static double error_of_median(double *residuals, size_t count, size_t versions, double repeats)
{
	double sigma = PERUN_MAD_TO_SIGMA * perun_mad(residuals, count, 0), r;

	for (size_t i = 0; i < count; i++)
		residuals[i] = fmax(-3 * sigma, fmin(3 * sigma, residuals[i]));
	r = perun_autocorrelation(residuals, count, 1);
	r = fmax(changepoint_unbiased(r, (double)versions, count), 0);
	return sigma * sqrt(M_PI / 2 / repeats * (1 + r) / (1 - r));
}

/* Of two in the middle the smaller one: a step is more likely than two versions that are equal by chance. */
static double lower_median(double *values, size_t count)
{
	double median = perun_median(values, count), lower = 0;

	for (size_t i = 0; i < count; i++) {
		if (values[i] <= median)
			lower = fmax(lower, values[i]);
	}
	return lower;
}

/* What the repeats show, where there are enough of them. */
static double measure_within(const struct perun_value_series *series, const size_t *places,
			     size_t count, double typical, double *residuals)
{
	size_t total = 0, added = 0;

	for (size_t i = 0; i < count; i++) {
		size_t first = series->starts[places[i]];
		size_t repeats = series->starts[places[i] + 1] - first;
		double median = series->values[places[i]];

		added += add_residuals(series->repeats + first, repeats, median,
				       typical > 0 ? typical : median, residuals + added);
		total += repeats;
	}
	return error_of_median(residuals, added, count, (double)total / (double)count);
}

void changepoint_measure(const struct perun_value_series *series, const double *values,
			 const size_t *places, size_t count, struct changepoint_noise *noise)
{
	bool starts = series->repeats && series->starts, logarithms = true;
	double *residuals, typical = 0;
	size_t total = 0;

	*noise = (struct changepoint_noise){.levels = perun_alloc_zero(count + 1, sizeof(double)),
					    .differences = count ? count - 1 : 0};
	for (size_t i = 0; i < count; i++) {
		total += starts ? series->starts[places[i] + 1] - series->starts[places[i]] : 1;
		logarithms &= values[i] > 0;
		typical = fmax(typical, fabs(values[i]));
	}
	if (count < 2 || !(typical > 0))
		return;
	residuals = perun_alloc_zero(total + count + 1, sizeof *residuals);
	for (size_t i = 0; i < count; i++)
		noise->levels[i] = logarithms ? log(values[i]) : values[i] / typical;
	noise->repeated = total >= MIN_REPEATS * count;
	if (noise->repeated)
		noise->within =
			measure_within(series, places, count, logarithms ? 0 : typical, residuals);
	for (size_t i = 1; i < count; i++)
		residuals[i - 1] = fabs(noise->levels[i] - noise->levels[i - 1]);
	if (noise->differences >= MIN_DIFFERENCES)
		noise->between = PERUN_MAD_TO_SIGMA * lower_median(residuals, count - 1) / M_SQRT2;
	perun_free(residuals);
}

void changepoint_noise_free(struct changepoint_noise *noise)
{
	perun_free(noise->levels);
	*noise = (struct changepoint_noise){0};
}

double changepoint_floor(const struct changepoint_noise *noise)
{
	double square = noise->between * noise->between - noise->within * noise->within;

	return square > 0 ? CONFIRMED * sqrt(2 * square) : 0;
}

double changepoint_repeats_p(const struct changepoint_noise *noise, size_t first, size_t at,
			     size_t end, double *width)
{
	size_t from = at - first > NEAR ? at - NEAR : first, to = end - at > NEAR ? at + NEAR : end;
	double step = perun_median(noise->levels + at, to - at) -
		      perun_median(noise->levels + from, at - from);
	double error = fmax(noise->within, noise->between) *
		       sqrt(1 / (double)(at - from) + 1 / (double)(to - at));
	double freedom = noise->between > noise->within ? (double)noise->differences : MANY;

	*width = perun_student_quantile(0.975, freedom) * error;
	return error > 0 ? 2 * perun_student_cdf(-fabs(step) / error, freedom) : step == 0;
}

/* ---- steps ------------------------------------------------------------------------------------- */

/* What a comparison of the two versions says, as perun check head makes it. */
static bool is_judged(const struct perun_value_series *series, const size_t *places, size_t at,
		      const struct changepoint_noise *noise)
{
	const struct perun_verdict_options options = {.struct_size = sizeof options,
						      .floor = changepoint_floor(noise)};
	const double *repeats[2];
	size_t counts[2];
	struct perun_verdict verdict;

	for (size_t side = 0; side < 2; side++) {
		size_t place = places[at - 1 + side];

		if (series->repeats && series->starts) {
			repeats[side] = series->repeats + series->starts[place];
			counts[side] = series->starts[place + 1] - series->starts[place];
		} else {
			repeats[side] = series->values + place;
			counts[side] = 1;
		}
	}
	perun_judge(repeats[0], counts[0], repeats[1], counts[1], &options, &verdict);
	return verdict.answer == PERUN_VERDICT_INCREASE || verdict.answer == PERUN_VERDICT_DECREASE;
}

void changepoint_repeats(const struct perun_value_series *series, const size_t *places,
			 size_t count, const struct changepoint_noise *noise,
			 struct changepoint_list *list)
{
	const double *levels = noise->levels;
	double error = M_SQRT2 * fmax(noise->within, noise->between);
	double freedom = noise->between > noise->within ? (double)noise->differences : MANY;
	double alone = error * perun_student_quantile(1 - ALONE_P / 2 / (double)count, freedom);

	for (size_t i = 1; i < count; i++) {
		size_t before = i > 1 ? i - 2 : i - 1, after = i + 1 < count ? i + 1 : i;
		double up = fmin(levels[i], levels[after]) - fmax(levels[before], levels[i - 1]);
		double down = fmin(levels[before], levels[i - 1]) - fmax(levels[i], levels[after]);
		bool confirmed = before < i - 1 && after > i;

		if (fmax(up, down) <= (confirmed ? CONFIRMED * error : alone))
			continue;
		if ((confirmed && noise->repeated) || is_judged(series, places, i, noise))
			changepoint_list_add(list, i);
	}
}
