/* SPDX-License-Identifier: BSD-3-Clause */
/* The robust segmentation: levels, with or without a trend, and what stands a closer look. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/statistics.h>

#include "core/changepoint/segments.h"

/* What the square of a change over its standard error must be in its own two segments. */
#define CONFIRMED 13.0
/* Residuals further away than this many deviations are taken for outliers. */
#define OUTLIER       3.0
#define OUTLIER_SHARE 0.12
/* A trend counts as so many changes when models are compared. */
#define TREND_COST 0.7
/* Standard errors from which on a slope within the segments makes a trend worth looking at. */
#define SLOPE_SEEN 2.0
/* Pairs that a slope is estimated from, at most. */
#define SLOPE_PAIRS 4000
/* Values on each side of a change that a closer look takes in. */
#define NEAR 2000
/* How far a change is moved on a closer look. */
#define REACH 60
/* Noise that remembers itself more than this blurs levels: places are left as they are. */
#define MEMORY 0.3
/* Segments shorter than this are not looked into again. */
#define SHORTEST 8

/* The changes of a part of a series, where each must gain `penalty`. */
static void find_levels(const double *values, size_t count, double penalty, bool last,
			struct changepoint_list *list)
{
	double *scores = perun_alloc_zero(count + 1, sizeof *scores);

	changepoint_scores(values, count, scores);
	list->count = 0;
	changepoint_candidates(scores, count, changepoint_correlation(scores, count), penalty,
			       list);
	changepoint_select(scores, count, penalty, last, list);
	perun_free(scores);
}

/*
 * Look again within the segments: what large changes hid, since ranks know order only, stands out
 * among the ranks of a segment.
 */
static void find_hidden(const double *values, size_t count, struct changepoint_list *list)
{
	struct changepoint_list all = {0}, inner = {0};
	double penalty = changepoint_penalty(count);

	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : count;

		if (end - first >= SHORTEST) {
			find_levels(values + first, end - first, penalty, end == count, &inner);
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
		residuals[i] = fmax(-limit, fmin(limit, residuals[i]));
}

/* Slope by the median of the differences of values `lag` apart. */
static double slope_of(const double *values, size_t count, size_t lag)
{
	size_t every = 1 + (count - lag) / SLOPE_PAIRS, pairs = 0;
	double *slopes = perun_alloc_zero((count - lag) / every + 2, sizeof *slopes), slope;

	for (size_t i = 0; i + lag < count; i += every)
		slopes[pairs++] = (values[i + lag] - values[i]) / (double)lag;
	slope = perun_median_in_place(slopes, pairs);
	perun_free(slopes);
	return slope;
}

struct model {
	struct changepoint_list list;
	double slope;
	double *residuals;
	double spread; /* of the residuals */
};

/* The slope that is left within the segments, by least squares of limited residuals. */
static double slope_within(const double *residuals, size_t count,
			   const struct changepoint_list *list, double *error)
{
	double product = 0, squares = 0, left = 0;

	for (size_t i = 0; i <= list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0;
		size_t end = i < list->count ? list->at[i] : count;
		double middle = ((double)first + (double)end - 1) / 2, n = (double)(end - first);

		for (size_t j = first; j < end; j++)
			product += ((double)j - middle) * residuals[j];
		squares += n * (n * n - 1) / 12;
	}
	for (size_t j = 0; j < count; j++)
		left += residuals[j] * residuals[j];
	*error = squares > 0 ? sqrt(left / (double)count / squares) : INFINITY;
	return squares > 0 ? product / squares : 0;
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

static void take_slope(const double *values, size_t count, double slope, double *flat)
{
	for (size_t i = 0; i < count; i++)
		flat[i] = values[i] - slope * (double)i;
}

/* The residuals of a model whose changes are known, and a slope improved by what they show. */
static void model_fit(struct model *model, const double *values, double *flat, size_t count)
{
	double error;

	model->residuals = perun_alloc_zero(count + 1, sizeof *model->residuals);
	remove_levels(flat, count, &model->list, model->residuals);
	model->spread = PERUN_MAD_TO_SIGMA * perun_mad(model->residuals, count, 0);
	if (model->slope == 0 || !(model->spread > 0))
		return;
	limit_residuals(model->residuals, count, OUTLIER * model->spread);
	model->slope += slope_within(model->residuals, count, &model->list, &error);
	take_slope(values, count, model->slope, flat);
	remove_levels(flat, count, &model->list, model->residuals);
	model->spread = PERUN_MAD_TO_SIGMA * perun_mad(model->residuals, count, 0);
}

/* A model of a slope (0 = none) and, if wanted, changes. */
static void model_make(struct model *model, const double *values, size_t count, double slope,
		       bool changes)
{
	double *flat = perun_alloc_zero(count + 1, sizeof *flat);

	*model = (struct model){.slope = slope};
	take_slope(values, count, slope, flat);
	if (changes)
		find_levels(flat, count, changepoint_penalty(count), true, &model->list);
	if (model->list.count)
		find_hidden(flat, count, &model->list);
	model_fit(model, values, flat, count);
	perun_free(flat);
}

static void model_free(struct model *model)
{
	perun_free(model->list.at);
	perun_free(model->residuals);
}

/* Steps that stand for a drift leave some of it within each segment. */
static bool shows_slope(struct model *model, size_t count, double *slope)
{
	double error;

	if (!(model->spread > 0))
		return false;
	limit_residuals(model->residuals, count, OUTLIER * model->spread);
	*slope = slope_within(model->residuals, count, &model->list, &error);
	return fabs(*slope) > SLOPE_SEEN * error;
}

/* Which of two models explains the values better, outliers limited alike. */
static bool is_better(struct model *one, struct model *other, size_t count)
{
	double spread = fmin(one->spread, other->spread), cost;

	if (!(spread > 0))
		return one->spread < other->spread && one->list.count < other->list.count;
	limit_residuals(one->residuals, count, OUTLIER * spread);
	limit_residuals(other->residuals, count, OUTLIER * spread);
	center(one->residuals, count, &one->list);
	center(other->residuals, count, &other->list);
	cost = (double)one->list.count - (double)other->list.count;
	cost += TREND_COST * ((one->slope != 0) - (other->slope != 0));
	return changepoint_gain(one->residuals, other->residuals, count) >
	       cost * changepoint_penalty(count);
}

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

static double loss(double away, double spread)
{
	away /= spread;
	return fmin(away * away, OUTLIER * OUTLIER);
}

/* Put a change where the values themselves fit their levels best, outliers limited. */
static size_t best_place(const double *values, size_t first, size_t at, size_t end)
{
	double before = perun_median(values + first, at - first);
	double after = perun_median(values + at, end - at), spread, sum = 0, least = INFINITY;
	double *away = perun_alloc_zero(end - first, sizeof *away);
	size_t far = 0;

	for (size_t i = first; i < end; i++)
		away[i - first] = values[i] - (i < at ? before : after);
	spread = PERUN_MAD_TO_SIGMA * perun_mad(away, end - first, 0);
	for (size_t i = 0; i < end - first; i++)
		far += fabs(away[i]) > OUTLIER * spread;
	perun_free(away);
	/* So many are no outliers, but a second mode, which tells something as well. */
	if (!(spread > 0) || (double)far > OUTLIER_SHARE * (double)(end - first))
		return at;
	for (size_t i = first + 1; i < end; i++) {
		sum += loss(values[i - 1] - before, spread) - loss(values[i - 1] - after, spread);
		if (sum < least - 1e-9) {
			least = sum;
			at = i;
		}
	}
	return at;
}

static void relocate(const double *values, size_t count, struct changepoint_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0, at = list->at[i];
		size_t end = i + 1 < list->count ? list->at[i + 1] : count;

		first = at - first > REACH ? at - REACH : first;
		end = end - at > REACH ? at + REACH : end;
		/* Better levels with each better place. */
		for (unsigned round = 0; round < 3; round++) {
			at = best_place(values, first, list->at[i], end);
			if (at == list->at[i])
				break;
			list->at[i] = at;
		}
	}
}

/* (difference of means / its standard error) squared, of two segments by their own variances. */
static double closer_look(const double *values, size_t first, size_t at, size_t end)
{
	size_t count = end - first, split = at - first;
	double *scores = perun_alloc_zero(count + 1, sizeof *scores);
	double left = (double)split, right = (double)(count - split), one, other, pooled;
	double before, after, away, error, r = 0, square = 0;

	changepoint_scores(values + first, count, scores);
	one = variance(scores, 0, split, &before);
	other = variance(scores, split, count, &after);
	away = after - before;
	pooled = (one + other) / (double)(count > 2 ? count - 2 : 1);
	for (size_t i = 0; i < count; i++) {
		double now = scores[i] - (i < split ? before : after);

		r += i ? now * square : 0;
		square = now;
	}
	r = one + other > 0 ? r / (one + other) : 0;
	r = r < 0 ? 0 : r > 0.9 ? 0.9 : r;
	/* Few values know their variance badly: three of the common one are added. */
	error = (one + 3 * pooled) / (left + 2) / left + (other + 3 * pooled) / (right + 2) / right;
	error *= (1 + r) / (1 - r);
	perun_free(scores);
	return error > 0 ? away * away / error : away != 0 ? INFINITY : 0;
}

/* Take away what its own two segments do not bear out, the weakest first. */
static void confirm(const double *values, size_t count, struct changepoint_list *list)
{
	while (list->count) {
		double least = INFINITY;
		size_t weakest = 0;

		for (size_t i = 0; i < list->count; i++) {
			size_t first = i ? list->at[i - 1] : 0;
			size_t end = i + 1 < list->count ? list->at[i + 1] : count;
			double look;

			if (list->at[i] - first > NEAR)
				first = list->at[i] - NEAR;
			if (end - list->at[i] > NEAR)
				end = list->at[i] + NEAR;
			look = closer_look(values, first, list->at[i], end);

			if (look < least) {
				least = look;
				weakest = i;
			}
		}
		if (least >= CONFIRMED)
			break;
		changepoint_list_remove(list, weakest);
	}
}

/* Keep the better one of both in `best`, free the other. */
static bool take_better(struct model *best, struct model *other, size_t count)
{
	bool better = is_better(other, best, count);

	if (better) {
		struct model kept = *best;

		*best = *other;
		*other = kept;
	}
	model_free(other);
	return better;
}

static double correlation_of(struct model *model, size_t count)
{
	limit_residuals(model->residuals, count, OUTLIER * model->spread);
	return perun_autocorrelation(model->residuals, count, 1);
}

void changepoint_segments(const double *values, size_t count, struct changepoint_list *list,
			  double *slope)
{
	struct model best, other;
	double slopes[2];

	*slope = 0;
	if (count < 4)
		return;
	model_make(&best, values, count, 0, true);
	if (best.list.count && count >= 10) {
		/* Without any change, then with changes on top of the slope, where there is one. */
		slopes[0] = slope_of(values, count, count / 2);
		model_make(&other, values, count, slopes[0], false);
		if (take_better(&best, &other, count)) {
			model_make(&other, values, count, slopes[0], true);
			take_better(&best, &other, count);
		} else if (shows_slope(&best, count, &slopes[1])) {
			model_make(&other, values, count, slopes[1], true);
			take_better(&best, &other, count);
		}
	}
	*list = best.list;
	best.list = (struct changepoint_list){0};
	*slope = best.slope;
	if (list->count) {
		double *flat = perun_alloc_zero(count, sizeof *flat);

		for (size_t i = 0; i < count; i++)
			flat[i] = values[i] - best.slope * (double)i;
		if (correlation_of(&best, count) < MEMORY)
			relocate(flat, count, list);
		confirm(flat, count, list);
		perun_free(flat);
	}
	model_free(&best);
}
