/* SPDX-License-Identifier: BSD-3-Clause */
/* The robust segmentation: levels, with or without a trend, and what bears a closer look. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/* Pairs that a slope is estimated from, at most. */
#define SLOPE_PAIRS 4000
/* A slope between values this share of the series apart: few of these have a change between them. */
#define LOCAL 8
/* Of more changes than this none is left out for the sake of the slope. */
#define LEFT_OUT 8
/*
 * One step in the middle of a line takes away so small a part of its squares, count rise^2: 1/12 - 1/48.
 */
#define STAIR 16
/* Noise that remembers itself more than this blurs levels: places are left as they are. */
#define MEMORY 0.3
/* Standard errors that a flat half must be away from a slope. */
#define FLAT 2.0
/* Segments shorter than this are not looked into again. */
#define SHORTEST 8

/* Values between two jumps. */
struct part {
	const double *values;
	size_t count;
	double penalty; /* what a change must gain */
	bool last;      /* the series ends here */
};

/* The changes of a part of a series, where each must gain `penalty`. */
static void find_levels(const double *values, size_t count, double penalty, bool last,
			struct changepoint_list *list)
{
	double *scores = perun_alloc((count + 1) * sizeof *scores);

	changepoint_scores(values, count, scores);
	list->count = 0;
	changepoint_candidates(scores, count, changepoint_correlation(scores, count), penalty,
			       list);
	if (list->count)
		changepoint_select(scores, count, penalty, last, list);
	perun_free(scores);
}

/*
 * Look again within the segments: what large changes hid, since they widen the deviation of all,
 * is clear within a segment.
 */
static void find_hidden(const struct part *part, const double *values,
			struct changepoint_list *list)
{
	struct changepoint_list all = {0}, inner = {0};
	size_t count = part->count;

	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : count;

		if (end - first >= SHORTEST) {
			find_levels(values + first, end - first, part->penalty,
				    part->last && end == count, &inner);
			for (size_t j = 0; j < inner.count; j++)
				changepoint_list_add(&all, first + inner.at[j]);
		}
		if (i < list->count)
			changepoint_list_add(&all, list->at[i]);
	}
	perun_free(inner.at);
	perun_free(list->at);
	*list = all;
}

/* Values without the median of their segment. */
static void remove_levels(const double *values, size_t count, const struct changepoint_list *list,
			  double *residuals)
{
	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : count;
		double level = perun_median(values + first, end - first);

		for (size_t j = first; j < end; j++)
			residuals[j] = values[j] - level;
	}
}

static void limit_residuals(double *residuals, size_t count, double limit)
{
	for (size_t i = 0; i < count; i++)
		residuals[i] = changepoint_limited(residuals[i], limit);
}

/* Slope by the median of the differences of values `lag` apart. */
static double slope_of(const double *values, size_t count, size_t lag)
{
	size_t every = 1 + (count - lag) / SLOPE_PAIRS, pairs = 0;
	double *slopes = perun_alloc(((count - lag) / every + 2) * sizeof *slopes), slope;

	for (size_t i = 0; i + lag < count; i += every)
		slopes[pairs++] = (values[i + lag] - values[i]) / (double)lag;
	slope = perun_median_in_place(slopes, pairs);
	perun_free(slopes);
	return slope;
}

struct model {
	struct changepoint_list list;
	struct changepoint_drift drift;
	double *residuals;
	double spread; /* of the residuals */
};

/* Values of a part: [from, to) of segment i, which may be none. */
static size_t within(const struct changepoint_list *list, size_t i, size_t from, size_t to,
		     size_t *end)
{
	size_t first = i ? list->at[i - 1] : 0;

	*end = i < list->count && list->at[i] < to ? list->at[i] : to;
	first = first > from ? first : from;
	*end = *end > first ? *end : first;
	return first;
}

/*
 * The slope that is left within the segments, between two places, by least squares of limited residuals, and
 * its standard error.
 */
static double slope_within(const double *residuals, size_t from, size_t to,
			   const struct changepoint_list *list, double *error)
{
	double product = 0, squares = 0, left = 0;

	for (size_t i = 0; i <= list->count; i++) {
		size_t end, first = within(list, i, from, to, &end);
		double middle = ((double)first + (double)end - 1) / 2, mean = 0;

		for (size_t j = first; j < end; j++)
			mean += residuals[j] / (double)(end - first);
		for (size_t j = first; j < end; j++) {
			double x = (double)j - middle, y = residuals[j] - mean;

			product += x * y;
			squares += x * x;
			left += y * y;
		}
	}
	if (!(squares > 0)) {
		*error = INFINITY;
		return 0;
	}
	*error = sqrt(fmax(left - product * product / squares, 0) / (double)(to - from) / squares);
	return product / squares;
}

/* Bring the mean of each segment to zero. */
static void center(double *residuals, size_t count, const struct changepoint_list *list)
{
	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : count;
		double sum = 0;

		for (size_t j = first; j < end; j++)
			sum += residuals[j];
		sum /= (double)(end - first);
		for (size_t j = first; j < end; j++)
			residuals[j] -= sum;
	}
}

static void take_drift(const double *values, size_t count, const struct changepoint_drift *drift,
		       double *flat)
{
	if (drift->slope == 0)
		memcpy(flat, values, count * sizeof *flat);
	for (size_t i = 0; drift->slope != 0 && i < count; i++)
		flat[i] = values[i] - drift->slope * changepoint_drift_at(drift, i);
}

/* The residuals of a model whose changes are known, and a slope improved by what they show. */
static void model_fit(struct model *model, const double *values, double *flat, size_t count)
{
	double error;

	if (!model->residuals)
		model->residuals = perun_alloc((count + 1) * sizeof *model->residuals);
	remove_levels(flat, count, &model->list, model->residuals);
	model->spread = PERUN_MAD_TO_SIGMA * perun_mad(model->residuals, count, 0);
	if (model->drift.slope == 0 || !(model->spread > 0))
		return;
	limit_residuals(model->residuals, count, CHANGEPOINT_OUTLIER * model->spread);
	model->drift.slope += slope_within(model->residuals, model->drift.from, model->drift.to,
					   &model->list, &error);
	take_drift(values, count, &model->drift, flat);
	remove_levels(flat, count, &model->list, model->residuals);
	model->spread = PERUN_MAD_TO_SIGMA * perun_mad(model->residuals, count, 0);
}

/* How much the residuals remember of the one before. */
static double correlation_of(struct model *model, size_t count)
{
	limit_residuals(model->residuals, count, CHANGEPOINT_OUTLIER * model->spread);
	return perun_autocorrelation(model->residuals, count, 1);
}

/* A model of a drift and the changes on top of it. */
static void model_make(struct model *model, const struct part *part, struct changepoint_drift drift)
{
	const double *values = part->values;
	size_t count = part->count;
	double *flat = perun_alloc((count + 1) * sizeof *flat);

	*model = (struct model){.drift = drift};
	take_drift(values, count, &drift, flat);
	find_levels(flat, count, part->penalty, part->last, &model->list);
	if (model->list.count)
		find_hidden(part, flat, &model->list);
	model_fit(model, values, flat, count);
	if (model->list.count) {
		double least = correlation_of(model, count) < MEMORY ? 0 : 2 * CHANGEPOINT_OUTLIER;

		if (changepoint_relocate(flat, count, least, &model->list) || drift.slope != 0)
			model_fit(model, values, flat, count);
	}
	perun_free(flat);
}

static void model_free(struct model *model)
{
	perun_free(model->list.at);
	perun_free(model->residuals);
}

/* The slope that is left within the segments of a model, and its standard error. */
static double slope_left(struct model *model, size_t count, double *error)
{
	limit_residuals(model->residuals, count, CHANGEPOINT_OUTLIER * model->spread);
	return slope_within(model->residuals, model->drift.from, model->drift.to, &model->list,
			    error);
}

/* Whether a slope goes on: levels on a line are steep in a part of it only, and flat in another one. */
static bool goes_on(struct model *model, size_t count)
{
	double slope = model->drift.slope, r = correlation_of(model, count);
	double inflation = r > 0 ? sqrt((1 + r) / fmax(1 - r, 0.02)) : 1;

	for (size_t half = 0; half < 2; half++) {
		size_t middle = (model->drift.from + model->drift.to) / 2;
		double error,
			left = slope_within(model->residuals, half ? middle : model->drift.from,
					    half ? model->drift.to : middle, &model->list, &error);

		left = copysign(1, slope) * (slope + left);
		if (left + FLAT * inflation * error < fabs(slope) / 4)
			return false;
	}
	return true;
}

/* A slope is one more coefficient (Schwarz, 1978); where it begins and ends are places to be chosen. */
static double drift_cost(const struct changepoint_drift *drift, const struct part *part)
{
	double places = (drift->from > 0) + (drift->to < part->count);

	return drift->slope != 0 ? log((double)part->count) + places * part->penalty : 0;
}

/* Which of two models explains the values better, outliers limited alike. */
static bool is_better(struct model *one, struct model *other, const struct part *part)
{
	size_t count = part->count;
	double spread = fmin(one->spread, other->spread), cost;

	if (!(spread > 0))
		return one->spread < other->spread && one->list.count < other->list.count;
	limit_residuals(one->residuals, count, CHANGEPOINT_OUTLIER * spread);
	limit_residuals(other->residuals, count, CHANGEPOINT_OUTLIER * spread);
	center(one->residuals, count, &one->list);
	center(other->residuals, count, &other->list);
	cost = changepoint_penalties(&one->list, count, part->penalty, part->last) -
	       changepoint_penalties(&other->list, count, part->penalty, part->last) +
	       drift_cost(&one->drift, part) - drift_cost(&other->drift, part);
	return changepoint_gain(one->residuals, other->residuals, count) > cost;
}

/* Keep the better one of both in `best`, free the other. */
static bool take_better(struct model *best, struct model *other, const struct part *part)
{
	bool better = (other->drift.slope == 0 || goes_on(other, part->count)) &&
		      is_better(other, best, part);

	if (better) {
		struct model kept = *best;

		*best = *other;
		*other = kept;
	}
	model_free(other);
	return better;
}

static bool try_drift(struct model *best, const struct part *part, struct changepoint_drift drift)
{
	struct model other;

	model_make(&other, part, drift);
	return take_better(best, &other, part);
}

/*
 * Leave out changes on top of a slope that only make up for a slope too steep: without one of them the
 * slope is another.
 */
static void leave_out(struct model *best, const struct part *part)
{
	const double *values = part->values;
	size_t count = part->count;

	double *flat = perun_alloc((count + 1) * sizeof *flat);

	for (size_t i = 0; best->drift.slope != 0 && i < best->list.count;) {
		struct model other = {.drift = best->drift};

		if (best->list.count > LEFT_OUT)
			break;
		for (size_t j = 0; j < best->list.count; j++) {
			if (j != i)
				changepoint_list_add(&other.list, best->list.at[j]);
		}
		take_drift(values, count, &other.drift, flat);
		model_fit(&other, values, flat, count);
		i = take_better(best, &other, part) ? 0 : i + 1;
	}
	perun_free(flat);
}

/*
 * Changes on top of a slope that values near each other show: between those far apart are the changes. It
 * is looked for where the slope alone would make a step of the series worth its price.
 */
static void try_local_slope(struct model *best, const struct part *part)
{
	const double *values = part->values;
	size_t count = part->count;
	struct changepoint_drift line = {.to = count};
	struct model other;
	double n = (double)count, rise, left, error;

	if (best->list.count == 0 || count / LOCAL < 2)
		return;
	line.slope = slope_of(values, count, count / LOCAL);
	rise = line.slope * n / best->spread;
	if (!(n * rise * rise / STAIR > part->penalty))
		return;
	/* Steps that represent a drift take up most of it, but not all, within each segment. */
	left = copysign(1, line.slope) * slope_left(best, count, &error);
	if (left + 3 * error < fabs(line.slope) / 4)
		return;
	model_make(&other, part, line);
	take_better(best, &other, part);
}

static void find_within(const struct part *part, struct changepoint_list *list,
			struct changepoint_drift *drift)
{
	const double *values = part->values;
	size_t count = part->count;
	struct changepoint_drift line = {.to = count};
	struct model best;

	*drift = line;
	list->count = 0;
	if (count < 4)
		return;
	model_make(&best, part, line);
	if (best.list.count && count >= 10) {
		line.slope = slope_of(values, count, count / 2);
		try_drift(&best, part, line);
		try_local_slope(&best, part);
		leave_out(&best, part);
	}
	/* Several changes may be a drift of a stretch. */
	if (best.list.count > 1) {
		changepoint_find_drift(values, count, &line);
		if (line.slope != 0)
			try_drift(&best, part, line);
	}
	perun_free(list->at);
	*list = best.list;
	best.list = (struct changepoint_list){0};
	*drift = best.drift;
	if (list->count) {
		double *flat = perun_alloc(count * sizeof *flat);

		take_drift(values, count, drift, flat);
		changepoint_confirm(flat, count, part->penalty, part->last, list);
		perun_free(flat);
	}
	model_free(&best);
}

void changepoint_segments(const double *values, size_t count, const struct changepoint_list *steps,
			  struct changepoint_list *list, struct changepoint_drift *drift)
{
	struct changepoint_list jumps = {0}, inner = {0};
	double penalty = changepoint_penalty(count);
	size_t longest = 0;

	*drift = (struct changepoint_drift){.to = count};
	for (size_t i = 0; i <= steps->count; i++) {
		size_t first = i ? steps->at[i - 1] : 0;
		size_t end = i < steps->count ? steps->at[i] : count;

		inner.count = 0;
		changepoint_jumps(values + first, end - first, &inner);
		for (size_t j = 0; j < inner.count; j++)
			changepoint_list_add(&jumps, first + inner.at[j]);
		if (i < steps->count)
			changepoint_list_add(&jumps, end);
	}
	for (size_t i = 0; i <= jumps.count; i++) {
		size_t first = i ? jumps.at[i - 1] : 0;
		size_t end = i < jumps.count ? jumps.at[i] : count;
		struct part part = {values + first, end - first, penalty, end == count};
		struct changepoint_drift own;

		find_within(&part, &inner, &own);
		for (size_t j = 0; j < inner.count; j++)
			changepoint_list_add(list, first + inner.at[j]);
		if (i < jumps.count)
			changepoint_list_add(list, end);
		if (own.slope != 0 && part.count > longest) {
			longest = part.count;
			*drift = (struct changepoint_drift){own.slope, first + own.from,
							    first + own.to};
		}
	}
	perun_free(inner.at);
	perun_free(jumps.at);
}
