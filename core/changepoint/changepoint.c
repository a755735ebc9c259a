/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the changes of a series, and saying what each of them is. */
#include <config.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/changepoint.h>
#include <perun/lib/statistics.h>
#include <perun/lib/verdict.h>

#include "core/context/structs.h"
#include "core/changepoint/known-place.h"
#include "core/changepoint/segments.h"
#include "core/statistics/few-runs.h"
#include "core/statistics/sampling.h"
#include "core/statistics/sorted.h"

/* A drift is reported from this many values on, when it is as unlikely as this by chance. */
#define MIN_TREND 10
#define TREND_P   1e-4
/* This many repeats on each side must bear out a change, with this much of a normal deviation. */
#define REPEATS   1000
#define REPEATS_Z 3.0
/* Of the largest value that z can have, for values that may be equal. */
#define NO_OVERLAP 0.85
/* The least changes that are reported by default, of measurements and of whole numbers. */
#define MIN_CHANGE 0.01
#define MIN_WHOLE  0.005
/* Where values drift, a step is one that this many values on each side show by this part of its size. */
#define BESIDE 10
#define ABRUPT 0.4
/* Larger and smaller powers of two do not survive being multiplied a few times. */
#define EXPONENT 200

static const char *const method_names[PERUN_CHANGE_METHODS + 1] = {
	[PERUN_CHANGE_SEGMENTS] = "segments",
	[PERUN_CHANGE_E_DIVISIVE] = "e-divisive",
	[PERUN_CHANGE_STEP] = "step",
	[PERUN_CHANGE_T_TEST] = "t-test",
};

const char *perun_change_method_name(enum perun_change_method method)
{
	return (unsigned)method < PERUN_CHANGE_METHODS ? method_names[method] : NULL;
}

enum perun_change_method perun_change_method_from_name(const char *name)
{
	unsigned method = 0;

	while (method < PERUN_CHANGE_METHODS && strcmp(method_names[method], name) != 0)
		method++;
	return (enum perun_change_method)method;
}

/* The values that were measured, and where they were. */
struct dense {
	double *values; /* in units of `scale` */
	size_t *places;
	size_t count;
	double scale;
	struct changepoint_noise noise; /* of the repeats */
};

/* Values whose squares no double holds are divided by a power of two, which costs no digits. */
static void set_scale(struct dense *dense)
{
	double largest = 0;
	int exponent;

	for (size_t i = 0; i < dense->count; i++)
		largest = fabs(dense->values[i]) > largest ? fabs(dense->values[i]) : largest;
	frexp(largest, &exponent);
	dense->scale =
		abs(exponent) > EXPONENT ? ldexp(1, exponent > 0 ? exponent - 1 : exponent) : 1;
	for (size_t i = 0; dense->scale != 1 && i < dense->count; i++)
		dense->values[i] /= dense->scale;
}

/* All but the noise, of which only changes are judged. */
static int make_dense(struct perun_ctx *ctx, const struct perun_value_series *series,
		      struct dense *dense)
{
	*dense = (struct dense){0};
	for (size_t i = 0; i < series->count; i++) {
		if (isinf(series->values[i]))
			return perun_fail(ctx, PERUN_USAGE, "value %zu of the series is infinite",
					  i);
	}
	dense->values = perun_alloc((series->count + 1) * sizeof *dense->values);
	dense->places = perun_alloc((series->count + 1) * sizeof *dense->places);
	for (size_t i = 0; i < series->count; i++) {
		if (isnan(series->values[i]))
			continue;
		dense->places[dense->count] = i;
		dense->values[dense->count++] = series->values[i];
	}
	dense->places[dense->count] = series->count;
	return PERUN_OK;
}

/* But for what only repeats say. */
static void measure_dense(const struct perun_value_series *series, struct dense *dense)
{
	changepoint_measure(series, dense->values, dense->places, dense->count, &dense->noise);
	set_scale(dense);
}

static void measure_repeats(const struct perun_value_series *series, struct dense *dense)
{
	changepoint_measure_within(series, dense->places, dense->count, &dense->noise);
}

static void free_dense(struct dense *dense)
{
	changepoint_noise_free(&dense->noise);
	perun_free(dense->values);
	perun_free(dense->places);
}

/* The steps that repeats show. */
static void find_steps(const struct perun_value_series *series, struct dense *dense,
		       struct changepoint_list *steps)
{
	if ((!dense->noise.repeated && !series->starts) ||
	    !changepoint_may_step(series, dense->places, dense->count, &dense->noise))
		return;
	measure_repeats(series, dense);
	changepoint_repeats(series, dense->places, dense->count, &dense->noise, steps);
}

static void find(enum perun_change_method method, const struct perun_value_series *series,
		 struct dense *dense, struct changepoint_list *list,
		 struct changepoint_drift *drift)
{
	struct changepoint_list steps = {0};

	*drift = (struct changepoint_drift){.to = dense->count};
	if (dense->count < 4 && method != PERUN_CHANGE_SEGMENTS)
		return;
	switch (method) {
	case PERUN_CHANGE_E_DIVISIVE:
		changepoint_e_divisive(dense->values, dense->count, list);
		break;
	case PERUN_CHANGE_STEP:
		changepoint_step(dense->values, dense->count, list);
		break;
	case PERUN_CHANGE_T_TEST:
		changepoint_t_test(dense->values, dense->count, list);
		break;
	default:
		find_steps(series, dense, &steps);
		changepoint_segments(dense->values, dense->count, &steps, list, drift);
		perun_free(steps.at);
	}
}

/* The slope within all segments and its interval, from residuals without `slope`. */
static void find_trend(const struct dense *dense, const double *residuals,
		       const struct changepoint_list *list, const struct changepoint_drift *drift,
		       struct perun_segmentation *changes)
{
	double slope = drift->slope, product = 0, squares = 0, left = 0, rest, error, t,
	       count = (double)dense->count;

	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : dense->count;
		double middle = 0;

		for (size_t j = first; j < end; j++)
			middle += changepoint_drift_at(drift, j) / (double)(end - first);
		for (size_t j = first; j < end; j++) {
			double x = changepoint_drift_at(drift, j) - middle;

			product += x * residuals[j];
			squares += x * x;
			left += residuals[j] * residuals[j];
		}
	}
	if (dense->count < MIN_TREND || !(squares > 0))
		return;
	rest = product / squares;
	left = fmax(left - rest * product, 0);
	error = sqrt(left / (count - 2 - (double)list->count) / squares);
	error *= sqrt((1 + changes->correlation) / (1 - changes->correlation));
	slope += rest;
	/* Student's quantile is beyond this one, which is found sooner. */
	if (fabs(slope) <= perun_normal_quantile(1 - TREND_P / 2) * error)
		return;
	t = perun_student_quantile(1 - TREND_P / 2, count - 2 - (double)list->count);
	if (fabs(slope) <= t * error)
		return;
	t = perun_student_quantile(0.975, count - 2 - (double)list->count);
	changes->trend = (struct perun_trend){.found = true,
					      .slope = slope * dense->scale,
					      .low = (slope - t * error) * dense->scale,
					      .high = (slope + t * error) * dense->scale,
					      .since = dense->places[drift->from],
					      .until = dense->places[drift->to]};
}

/* Residuals about the levels (and the slope), and what they say of the noise. */
static void measure_noise(const struct dense *dense, const struct changepoint_list *list,
			  const struct changepoint_drift *drift, struct perun_segmentation *changes)
{
	double *residuals = perun_alloc_zero(dense->count + 1, sizeof *residuals);
	double r;

	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : dense->count;
		double level;

		for (size_t j = first; j < end; j++)
			residuals[j] =
				dense->values[j] - drift->slope * changepoint_drift_at(drift, j);
		level = perun_median(residuals + first, end - first);
		for (size_t j = first; j < end; j++)
			residuals[j] -= level;
	}
	changes->noise = PERUN_MAD_TO_SIGMA * perun_mad(residuals, dense->count, 0);
	for (size_t i = 0; i < dense->count && changes->noise > 0; i++)
		residuals[i] = changepoint_limited(residuals[i], 3 * changes->noise);
	r = perun_autocorrelation(residuals, dense->count, 1);
	changes->correlation = r > 0 ? r : 0;
	if (drift->slope != 0 || list->count == 0)
		find_trend(dense, residuals, list, drift, changes);
	changes->noise *= dense->scale;
	perun_free(residuals);
}

/* What the repeats add: few versions alone make no p small and no interval finite. */
static void describe_repeats(const struct changepoint_noise *noise, size_t first, size_t at,
			     size_t end, struct perun_change_point *point)
{
	double width;

	point->p = fmin(point->p, changepoint_repeats_p(noise, first, at, end, &width));
	width *= fmax(fabs(point->before), fabs(point->after));
	if (!isfinite(point->low) || !isfinite(point->high)) {
		point->low = point->shift - width;
		point->high = point->shift + width;
	}
}

/* Two versions with repeats and no others: nothing shows how sessions differ. */
static bool is_pair(const struct changepoint_noise *noise)
{
	return noise->differences == 1 && noise->repeated && !noise->exact && !noise->sampled;
}

/* The answer is that of a comparison of the two. */
static void describe_pair(const struct perun_value_series *series, const struct dense *dense,
			  size_t at, struct perun_change_point *point)
{
	struct perun_verdict verdict;

	changepoint_neighbours_p(series, dense->places, at, &dense->noise, &verdict);
	point->p = verdict.p;
	point->low = verdict.low;
	point->high = verdict.high;
}

/* The interval of what the two versions next to a change show, about the levels on both sides of it. */
static void describe_neighbours(const struct perun_value_series *series, const struct dense *dense,
				size_t at, struct perun_change_point *point)
{
	struct perun_verdict verdict;
	double p = changepoint_neighbours_p(series, dense->places, at, &dense->noise, &verdict);

	point->p = fmin(point->p, p);
	if ((isfinite(point->low) && isfinite(point->high)) || !isfinite(verdict.low) ||
	    !isfinite(verdict.high) || !(verdict.after > 0) || !(point->before > 0))
		return;
	point->low = point->after * (verdict.before + verdict.low) / verdict.after - point->before;
	point->high =
		point->after * (verdict.before + verdict.high) / verdict.after - point->before;
}

/* What several versions of a run or two on each side show, where that is more than the two next to the change do. */
static void describe_versions(const struct changepoint_noise *noise, size_t first, size_t at,
			      size_t end, struct perun_change_point *point)
{
	double width, p = changepoint_versions_p(noise, first, at, end, &width), change;

	if (!(p < point->p) || !(point->before > 0) || !(point->after > 0))
		return;
	change = log(point->after / point->before);
	point->p = p;
	point->low = point->before * expm1(change - width);
	point->high = point->before * expm1(change + width);
}

/*
 * p may be that of another test than the interval, which then holds 0 although p says otherwise: the interval becomes
 * that of a normal variable with this p.
 */
static void fit_interval(struct perun_change_point *point)
{
	double width;

	if (!(point->p < 0.05) || !isfinite(point->low) || !isfinite(point->high) ||
	    point->low > 0 || point->high < 0)
		return;
	width = fabs(point->shift) * perun_normal_quantile(0.975) /
		perun_normal_quantile(1 - fmax(point->p, DBL_EPSILON) / 2);
	point->low = point->shift - width;
	point->high = point->shift + width;
}

/* What is printed is the step between the levels: the interval holds it, on its side of 0. */
static void hold_step(struct perun_change_point *point)
{
	double step = point->after - point->before;

	if ((step > 0) != (point->shift > 0))
		return;
	point->low = fmin(point->low, step);
	point->high = fmax(point->high, step);
}

static void describe(const struct perun_value_series *series, const struct dense *dense,
		     size_t first, size_t at, size_t end, double correlation,
		     struct perun_change_point *point)
{
	double inflation = (1 + correlation) / (1 - correlation);
	bool remembers = inflation > 1.05; /* ranks alone do not say how unlikely it is */
	const size_t near = CHANGEPOINT_NEAR;
	size_t from = at - first > near ? at - near : first, to = end - at > near ? at + near : end;
	struct sorted_samples samples;
	struct perun_mann_whitney test;
	struct perun_shift shift;

	sorted_samples_make(&samples, dense->values + from, at - from, dense->values + at, to - at);
	sorted_shift(&samples, 0.95, inflation, &shift);
	sorted_ranks(&samples, remembers ? 0 : 1, &test);
	sorted_samples_free(&samples);
	*point = (struct perun_change_point){
		.index = dense->places[at],
		.first = dense->places[first],
		.end = dense->places[end],
		.before = dense->scale * perun_median(dense->values + first, at - first),
		.after = dense->scale * perun_median(dense->values + at, end - at),
		.shift = dense->scale * shift.shift,
		.low = dense->scale * shift.low,
		.high = dense->scale * shift.high,
		.p = remembers ? erfc(fabs(test.z) / sqrt(inflation) * M_SQRT1_2) : test.p,
	};
	if (is_pair(&dense->noise))
		describe_pair(series, dense, at, point);
	else if (dense->noise.repeated)
		describe_repeats(&dense->noise, first, at, end, point);
	else if (series->starts)
		describe_neighbours(series, dense, at, point);
	if (series->starts && !dense->noise.repeated)
		describe_versions(&dense->noise, first, at, end, point);
	if (!isnan(point->p))
		point->p = changepoint_sharper_p(series, correlation, point);
	if (dense->noise.sampled)
		point->p = fmax(point->p, changepoint_samples_p(series, dense->places,
								&dense->noise, first, at, end));
	fit_interval(point);
	hold_step(point);
}

/* Whether the repeats that the values are medians of say the same. */
static bool repeats_agree(const struct perun_value_series *series,
			  const struct perun_change_point *point)
{
	size_t first, at, end;
	struct perun_mann_whitney test;
	double n, m, wanted;

	if (!series->repeats || !series->starts)
		return true;
	first = series->starts[point->first];
	at = series->starts[point->index];
	end = series->starts[point->end];
	first = at - first > REPEATS ? at - REPEATS : first;
	end = end - at > REPEATS ? at + REPEATS : end;
	/* With one repeat a value, repeats say nothing that the values do not. */
	if (end - at <= point->end - point->index || at - first <= point->index - point->first)
		return true;
	perun_mann_whitney(series->repeats + first, at - first, series->repeats + at, end - at,
			   &test);
	/* Few repeats can show no more than that they do not overlap. */
	n = (double)(at - first);
	m = (double)(end - at);
	wanted = fmin(REPEATS_Z, NO_OVERLAP * (n * m - 1) / sqrt(n * m * (n + m + 1) / 3));
	return point->after > point->before ? test.z >= wanted : test.z <= -wanted;
}

static double size_of(const struct perun_change_point *point)
{
	double size = fabs(point->after - point->before) / fabs(point->before);

	return isnan(size) ? 0 : size;
}

/* Whether the values next to a change show it, and not only the drift of those further away. */
static bool is_abrupt(const struct dense *dense, size_t first, size_t at, size_t end,
		      const struct perun_change_point *point)
{
	size_t from = at - first > BESIDE ? at - BESIDE : first;
	size_t to = end - at > BESIDE ? at + BESIDE : end;
	double step = perun_median(dense->values + at, to - at) -
		      perun_median(dense->values + from, at - from);

	return step * dense->scale / (point->after - point->before) >= ABRUPT;
}

/*
 * Changes that count keep the levels that they were found between. Of the others the smallest is taken away,
 * one after the other: what is left of a flight of small ones may count.
 */
static void describe_all(const struct perun_value_series *series, const struct dense *dense,
			 struct changepoint_list *list, double threshold, bool drifts,
			 struct perun_segmentation *changes)
{
	bool *counts = perun_alloc_zero(list->count + 1, sizeof *counts);
	struct perun_change_point *points = perun_alloc_zero(list->count + 1, sizeof *points);
	size_t from = 0, to = list->count;

	for (;;) {
		size_t smallest = SIZE_MAX;

		for (size_t i = from; i < to; i++) {
			size_t first = i ? list->at[i - 1] : 0;
			size_t end = i + 1 < list->count ? list->at[i + 1] : dense->count;

			if (counts[i])
				continue;
			describe(series, dense, first, list->at[i], end, changes->correlation,
				 &points[i]);
			counts[i] =
				size_of(&points[i]) >= threshold &&
				repeats_agree(series, &points[i]) &&
				(!drifts || is_abrupt(dense, first, list->at[i], end, &points[i]));
		}
		for (size_t i = 0; i < list->count; i++) {
			if (!counts[i] && (smallest == SIZE_MAX ||
					   size_of(&points[i]) < size_of(&points[smallest])))
				smallest = i;
		}
		if (smallest == SIZE_MAX)
			break;
		changepoint_list_remove(list, smallest);
		for (size_t i = smallest; i < list->count; i++) {
			counts[i] = counts[i + 1];
			points[i] = points[i + 1];
		}
		/* Only its neighbours separate other values now. */
		from = smallest > 0 ? smallest - 1 : 0;
		to = smallest < list->count ? smallest + 1 : list->count;
	}
	perun_free(counts);
	changes->points = points;
	changes->count = list->count;
}

/* The default: exact values, such as sizes and counts, need less than measured ones. */
static double threshold_of(const struct perun_change_options *options, const struct dense *dense)
{
	bool whole = true;

	if (options->threshold != 0)
		return options->threshold;
	for (size_t i = 0; whole && i < dense->count; i++)
		whole = dense->values[i] == trunc(dense->values[i]);
	return whole && dense->scale == 1 ? MIN_WHOLE : MIN_CHANGE;
}

/* Describe what is left of changes when some are `dropped`. */
static int keep_the_rest(struct perun_ctx *ctx, const struct perun_value_series *series,
			 const struct perun_change_options *options, const bool *dropped,
			 struct perun_segmentation *changes)
{
	struct changepoint_list list = {0};
	struct dense dense;
	size_t count = changes->count, at = 0;
	int status = make_dense(ctx, series, &dense);

	for (size_t i = 0; !status && i < count; i++) {
		while (at < dense.count && dense.places[at] < changes->points[i].index)
			at++;
		if (!dropped[i])
			changepoint_list_add(&list, at);
	}
	if (!status) {
		if (list.count) {
			measure_dense(series, &dense);
			measure_repeats(series, &dense);
		}
		perun_free(changes->points);
		describe_all(series, &dense, &list, threshold_of(options, &dense), false, changes);
	}
	perun_free(list.at);
	free_dense(&dense);
	return status;
}

/* p of a change whose place was chosen among all of its neighbourhood, between any two values (Bonferroni). */
static double chosen_p(const struct perun_value_series *series,
		       const struct perun_change_point *point)
{
	double places = 0;

	if (isnan(point->p))
		return 0;
	for (size_t i = point->first; i < point->end; i++)
		places += !isnan(series->values[i]);
	return fmin(point->p * (places - 1), 1);
}

static size_t measured_of(const struct perun_value_series *series)
{
	size_t measured = 0;

	for (size_t i = 0; i < series->count; i++)
		measured += !isnan(series->values[i]);
	return measured;
}

/* As of two versions alone: what unchanged programs hardly ever show, where earlier versions show nothing. */
static bool is_certain(const struct perun_value_series *series,
		       const struct perun_change_point *point)
{
	const size_t *starts = series->starts;
	size_t before = point->index, runs, others;
	struct perun_verdict verdict;

	if (series->exact || series->sample > 0 || series->deviations || !series->repeats ||
	    !starts || measured_of(series) >= CHANGEPOINT_FEW)
		return false;
	while (before > point->first && starts[before] == starts[before - 1])
		before--;
	if (before == point->first)
		return false;
	before--;
	runs = starts[point->index + 1] - starts[point->index];
	others = starts[before + 1] - starts[before];
	if (runs >= FEW_RUNS && others >= FEW_RUNS) {
		perun_judge(series->repeats + starts[before], others,
			    series->repeats + starts[point->index], runs, NULL, &verdict);
		return verdict.disjoint;
	}
	runs = runs < others ? runs : others;
	return runs > 0 && point->before > 0 && point->after > 0 &&
	       few_runs_p(runs, fabs(log(point->after) - log(point->before))) <=
		       few_runs_certain_p(runs);
}

/*
 * Drop changes of a series. Those that are left are changes between other segments now: what these do not bear
 * out with the p at `most` that is kept among all series goes as well.
 */
static int drop_changes(struct perun_ctx *ctx, const struct perun_value_series *series,
			const struct perun_change_options *options, double most, bool *dropped,
			struct perun_segmentation *changes)
{
	bool any = true;
	int status = PERUN_OK;

	while (!status && any) {
		status = keep_the_rest(ctx, series, options, dropped, changes);
		any = false;
		for (size_t i = 0; !status && i < changes->count; i++) {
			dropped[i] = chosen_p(series, &changes->points[i]) > most &&
				     !is_certain(series, &changes->points[i]);
			any |= dropped[i];
		}
	}
	return status;
}

/*
 * Whether chance explains every change of so few samples: the least p that changepoint_samples_p() may have is that of all of
 * them in the version with the fewest profiles (Gilbert, "A modified false discovery rate multiple-comparisons
 * procedure for discrete data", 2005).
 */
static bool is_beyond_finding(const struct perun_value_series *series, double level)
{
	double samples = 0, fewest = INFINITY, all = 0;

	if (!(series->sample > 0))
		return false;
	for (size_t i = 0; i < series->count; i++) {
		double profiles = 1;

		if (isnan(series->values[i]))
			continue;
		if (series->repeats && series->starts) {
			profiles = (double)(series->starts[i + 1] - series->starts[i]);
			for (size_t k = series->starts[i]; k < series->starts[i + 1]; k++)
				samples += series->repeats[k] / series->sample;
		} else {
			samples += series->values[i] / series->sample;
		}
		fewest = fmin(fewest, profiles);
		all += profiles;
	}
	return 2 * perun_normal_cdf(-(samples_root(samples / fewest) - samples_root(0)) /
				    sqrt(1 / fewest + 1 / (all - fewest))) >
	       level;
}

/* A series without a change is a test that found nothing, where there was something to compare. */
static size_t tests_of(const struct perun_value_series *series,
		       const struct perun_segmentation *changes, double level)
{
	if (changes->count)
		return changes->count;
	return measured_of(series) > 1 && !is_beyond_finding(series, level);
}

/* The p of all tests together becomes that of each change that is kept. Returns how many are dropped. */
static size_t settle(const struct perun_value_series *series, struct perun_segmentation *changes,
		     double level, const double *p, bool *dropped)
{
	size_t gone = 0;

	for (size_t i = 0; i < changes->count; i++) {
		struct perun_change_point *point = &changes->points[i];

		dropped[i] = dropped[i] && !is_certain(series, point);
		gone += dropped[i];
		if (!dropped[i])
			point->p = fmax(point->p, fmin(p[i], level));
	}
	return gone;
}

int perun_correct_changes(struct perun_ctx *ctx, const struct perun_value_series *series,
			  size_t count, const struct perun_change_options *options, double level,
			  struct perun_segmentation *changes)
{
	size_t *tests = perun_alloc_zero(count + 1, sizeof *tests);
	size_t all = 0, next = 0, kept = 0;
	double *p;
	bool *dropped;
	int status = PERUN_OK;

	for (size_t i = 0; i < count; i++) {
		tests[i] = tests_of(&series[i], &changes[i], level);
		all += tests[i];
	}
	p = perun_alloc_zero(all + 1, sizeof *p);
	dropped = perun_alloc_zero(all + 1, sizeof *dropped);
	for (size_t i = 0; i < count; i++) {
		if (changes[i].count == 0 && tests[i])
			p[next++] = 1;
		for (size_t j = 0; j < changes[i].count; j++)
			p[next++] = chosen_p(&series[i], &changes[i].points[j]);
	}
	perun_benjamini_hochberg(p, all, p);
	for (size_t i = 0; i < all; i++) {
		dropped[i] = p[i] > level;
		kept += !dropped[i];
	}
	next = 0;
	for (size_t i = 0; !status && i < count; i++) {
		size_t gone = settle(&series[i], &changes[i], level, p + next, dropped + next);

		if (gone)
			status = drop_changes(ctx, &series[i], options,
					      level * (double)kept / (double)all, dropped + next,
					      &changes[i]);
		next += tests[i];
	}
	perun_free(dropped);
	perun_free(p);
	perun_free(tests);
	return status;
}

int perun_find_changes(struct perun_ctx *ctx, const struct perun_value_series *series,
		       const struct perun_change_options *given, struct perun_segmentation *changes)
{
	struct perun_change_options taken, *options = &taken;
	struct perun_value_series known;
	struct changepoint_list list = {0};
	struct dense dense;
	struct changepoint_drift drift;
	int status;

	PERUN_STRUCT_TAKE(options, given);
	PERUN_STRUCT_TAKE(&known, series);
	series = &known;
	*changes = (struct perun_segmentation){0};
	if ((unsigned)options->method >= PERUN_CHANGE_METHODS)
		return perun_fail(ctx, PERUN_USAGE, "there is no method %u to find changes",
				  (unsigned)options->method);
	status = make_dense(ctx, series, &dense);
	if (!status) {
		measure_dense(series, &dense);
		find(options->method, series, &dense, &list, &drift);
		if (list.count)
			measure_repeats(series, &dense);
		measure_noise(&dense, &list, &drift, changes);
		describe_all(series, &dense, &list, threshold_of(options, &dense), drift.slope != 0,
			     changes);
	}
	perun_free(list.at);
	free_dense(&dense);
	return status;
}

/* The first value that was measured at a place of the series or after it. */
static size_t value_at(const struct dense *dense, size_t place)
{
	size_t at = 0;

	while (at < dense->count && dense->places[at] < place)
		at++;
	return at;
}

/* Changes with one more become those that were found, which keep their p, if that one is a change; whether it is. */
static bool take_known(struct perun_segmentation *with, size_t place, double level,
		       const struct changepoint_known *known, struct perun_segmentation *changes)
{
	struct perun_change_point *found = NULL;

	if (with->count != changes->count + 1)
		return false;
	for (size_t i = 0; i < with->count; i++) {
		struct perun_change_point *point = &with->points[i];

		if (point->index == place)
			found = point;
		else
			point->p = changes->points[found ? i - 1 : i].p;
	}
	if (!found || (found->after > found->before) != known->rises)
		return false;
	found->p = fmin(found->p, known->p);
	if (found->p > level)
		return false;
	fit_interval(found);
	hold_step(found);
	perun_segmentation_free(changes);
	*changes = *with;
	*with = (struct perun_segmentation){0};
	return true;
}

int changepoint_add_known(struct perun_ctx *ctx, const struct perun_value_series *series,
			  const struct perun_change_options *options, double level,
			  const struct changepoint_known *known, struct perun_segmentation *changes,
			  bool *added)
{
	const struct changepoint_drift none = {0};
	struct perun_segmentation with = {0};
	struct changepoint_list list = {0};
	struct dense dense;
	int status = make_dense(ctx, series, &dense);
	size_t at = value_at(&dense, known->place);

	for (size_t i = 0; i < changes->count; i++)
		changepoint_list_add(&list, value_at(&dense, changes->points[i].index));
	changepoint_list_insert(&list, at, 1);
	if (!status && at > 0 && at < dense.count && list.count > changes->count) {
		measure_dense(series, &dense);
		measure_repeats(series, &dense);
		measure_noise(&dense, &list, &none, &with);
		describe_all(series, &dense, &list, threshold_of(options, &dense), false, &with);
		*added |= take_known(&with, dense.places[at], level, known, changes);
	}
	perun_segmentation_free(&with);
	perun_free(list.at);
	free_dense(&dense);
	return status;
}

double perun_session_floor(const struct perun_value_series *series)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct dense dense;
	double floor = 0;

	if (!make_dense(quiet, series, &dense)) {
		measure_dense(series, &dense);
		measure_repeats(series, &dense);
		floor = changepoint_floor(&dense.noise);
	}
	free_dense(&dense);
	perun_ctx_free(quiet);
	return floor;
}

void perun_segmentation_free(struct perun_segmentation *changes)
{
	perun_free(changes->points);
	*changes = (struct perun_segmentation){0};
}
