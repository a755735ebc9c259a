/* SPDX-License-Identifier: BSD-3-Clause */
/* The points of two models that can be compared. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "checks/common/curves.h"

#define CURVE_POINTS 1000

static double *evenly(double from, double to, size_t count)
{
	double *x = perun_alloc_zero(count + 1, sizeof *x);
	double step = count > 1 ? (to - from) / (double)(count - 1) : 0;

	for (size_t i = 0; i < count; i++)
		x[i] = i > 0 && i == count - 1 ? to : from + (double)i * step;
	return x;
}

static double *copy_of(const double *values, size_t count)
{
	double *copy = perun_alloc_zero(count + 1, sizeof *copy);

	if (count)
		memcpy(copy, values, count * sizeof *copy);
	return copy;
}

static double *values_at(const struct checks_model *model, const double *x, size_t count)
{
	double *y = perun_alloc_zero(count + 1, sizeof *y);

	for (size_t i = 0; i < count; i++)
		y[i] = perun_model_value(&model->model, fabs(x[i]) < 1e-6 ? 1e-6 : x[i]);
	return y;
}

/* ---- regressograms --------------------------------------------------------------------------- */

struct bucket_points {
	double *x, *y;
	size_t count, capacity, y_capacity;
};

static char *model_text(const struct perun_profile *profile, size_t row, const char *name,
			const char *otherwise)
{
	const struct perun_column *column =
		perun_table_column(perun_profile_table(profile, "models"), name);
	struct perun_buffer text = {0};

	if (column && !perun_column_absent(column, row))
		perun_column_print(column, row, &text);
	else
		perun_buffer_printf(&text, "%s", otherwise);
	return perun_buffer_take(&text);
}

/* The points of the resources of a uid. */
static int take_points(struct perun_ctx *ctx, const struct perun_profile *profile, const char *uid,
		       const char *per_key, const char *of_key, struct bucket_points *points)
{
	const struct perun_table *resources = perun_resources(profile);
	const struct perun_column *x = perun_table_column(resources, per_key);
	const struct perun_column *y = perun_table_column(resources, of_key);
	struct perun_groups *groups = NULL;
	size_t group = 0;
	int status;

	if (!x || !y)
		return PERUN_OK;
	status = perun_group_by_uid(ctx, resources, NULL, &groups);
	while (!status && group < groups->count && strcmp(groups->texts[group], uid) != 0)
		group++;
	for (size_t row = 0; !status && group < groups->count && row < groups->rows; row++) {
		double at = perun_column_double(x, row), value = perun_column_double(y, row);

		if (groups->group_of_row[row] != group || !isfinite(at) || isnan(value))
			continue;
		PERUN_GROW(points->x, points->count, points->capacity);
		PERUN_GROW(points->y, points->count, points->y_capacity);
		points->x[points->count] = at;
		points->y[points->count++] = value;
	}
	perun_groups_free(groups);
	return status;
}

static double edge(double from, double to, size_t i, size_t count)
{
	return from + (double)i * ((to - from) / (double)count);
}

/*
 * Which of `count` buckets of equal width over [from, to] an x lies in: they begin with their lower edge,
 * and the last one is closed. What division loses is made good by comparing with the edges themselves.
 */
static size_t bucket_of(double x, double from, double to, size_t count)
{
	double at = (x - from) / (to - from) * (double)count;
	size_t bucket = !(at > 0) ? 0 : at >= (double)count ? count - 1 : (size_t)at;

	if (bucket > 0 && x < edge(from, to, bucket, count))
		bucket--;
	else if (bucket + 1 < count && x >= edge(from, to, bucket + 1, count))
		bucket++;
	return bucket;
}

static double *fill_buckets(const struct bucket_points *points, size_t count, bool median)
{
	double *buckets = perun_alloc_zero(count + 1, sizeof *buckets);
	double *inside = perun_alloc_zero(points->count + 1, sizeof *inside);
	size_t *ends = perun_alloc_zero(count + 1, sizeof *ends);
	double from = points->x[0], to = points->x[0];

	for (size_t i = 1; i < points->count; i++) {
		from = fmin(from, points->x[i]);
		to = fmax(to, points->x[i]);
	}
	if (from == to) {
		from -= 0.5;
		to += 0.5;
	}
	/* ends[b + 1] counts, then is where bucket b begins, at last where it ends. */
	for (size_t i = 0; i < points->count; i++) {
		size_t bucket = bucket_of(points->x[i], from, to, count);

		if (bucket + 1 < count)
			ends[bucket + 1]++;
	}
	for (size_t i = 1; i < count; i++)
		ends[i] += ends[i - 1];
	for (size_t i = 0; i < points->count; i++)
		inside[ends[bucket_of(points->x[i], from, to, count)]++] = points->y[i];
	for (size_t i = 0, start = 0; i < count; start = ends[i++]) {
		if (ends[i] > start)
			buckets[i] = perun_aggregate_values(
				inside + start, ends[i] - start,
				median ? PERUN_AGGREGATE_MEDIAN : PERUN_AGGREGATE_MEAN, 0);
	}
	perun_free(inside);
	perun_free(ends);
	return buckets;
}

/* The regressogram of `model` with another number of buckets; NULL when its resources are gone. */
static int rebucket(struct perun_ctx *ctx, const struct perun_profile *profile,
		    const struct checks_model *model, size_t count, double **buckets)
{
	struct bucket_points points = {0};
	size_t row = model->model.row;
	char *per_key = model_text(profile, row, "per_key", "structure-unit-size");
	char *of_key = model_text(profile, row, "of_key", "amount");
	char *function = model_text(profile, row, "statistic_function", "mean");
	int status = take_points(ctx, profile, model->model.uid, per_key, of_key, &points);

	*buckets = NULL;
	if (!status && points.count)
		*buckets = fill_buckets(&points, count, strcmp(function, "median") == 0);
	perun_free(points.x);
	perun_free(points.y);
	perun_free(per_key);
	perun_free(of_key);
	perun_free(function);
	return status;
}

static bool is_regressogram(const struct checks_model *model)
{
	return strcmp(model->model.kind, "regressogram") == 0;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static int has_values(struct perun_ctx *ctx, const struct checks_model *model)
{
	if (model->parametric || model->value_count)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "the %s model of %s has no values: its list bucket_stats is missing",
			  model->model.kind, model->model.uid);
}

static int points_of_values(struct perun_ctx *ctx, const struct checks_pair *pair,
			    struct checks_points *points)
{
	const struct checks_model *before = pair->baseline, *after = pair->target;
	size_t count = before->value_count;
	int status = PERUN_OK;

	if (count != after->value_count && is_regressogram(before) && is_regressogram(after))
		status = rebucket(ctx, after->profile, after, count, &points->after);
	if (status)
		return status;
	if (!points->after) {
		count = count < after->value_count ? count : after->value_count;
		points->after = copy_of(after->values, count);
	}
	points->x = evenly(before->model.x_start, before->model.x_end, before->value_count);
	points->before = copy_of(before->values, count);
	points->count = count;
	return PERUN_OK;
}

static int points_of_curves(struct perun_ctx *ctx, const struct checks_pair *pair,
			    struct checks_points *points)
{
	double *x = NULL;
	int status = checks_curve(ctx, pair->baseline, CURVE_POINTS, &points->x, &points->before);

	if (!status)
		status = checks_curve(ctx, pair->target, CURVE_POINTS, &x, &points->after);
	points->count = CURVE_POINTS;
	perun_free(x);
	return status;
}

int checks_points_of(struct perun_ctx *ctx, const struct checks_pair *pair,
		     struct checks_points *points)
{
	const struct checks_model *given;
	int status = has_values(ctx, pair->baseline);

	*points = (struct checks_points){0};
	if (!status)
		status = has_values(ctx, pair->target);
	if (status)
		return status;
	if (!pair->baseline->parametric && !pair->target->parametric)
		return points_of_values(ctx, pair, points);
	if (pair->baseline->parametric && pair->target->parametric)
		return points_of_curves(ctx, pair, points);
	given = pair->baseline->parametric ? pair->target : pair->baseline;
	points->count = given->value_count;
	points->x = evenly(given->model.x_start, given->model.x_end, points->count);
	points->before = pair->baseline == given
				 ? copy_of(given->values, points->count)
				 : values_at(pair->baseline, points->x, points->count);
	points->after = pair->target == given ? copy_of(given->values, points->count)
					      : values_at(pair->target, points->x, points->count);
	return PERUN_OK;
}

void checks_points_free(struct checks_points *points)
{
	perun_free(points->x);
	perun_free(points->before);
	perun_free(points->after);
	*points = (struct checks_points){0};
}
