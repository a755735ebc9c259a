/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scatter`: curves of the models that a profile holds. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scatter.h"

enum { CURVE = 200 };
static const char growth_kind[] = "pmnf";

/* A value of a model by its name: an own column, or a member of the text of the whole. */
static struct perun_json *values_of(const struct perun_table *models, size_t row, const char *name)
{
	struct perun_json *values = perun_all_key_values_of(models, row, name);
	char *inner;

	if (perun_json_count(values))
		return values;
	perun_json_free(values);
	inner = perun_format("json:%s", name);
	values = perun_all_key_values_of(models, row, inner);
	perun_free(inner);
	return values;
}

/* Whether a key of the model, when it says one, is the one that is drawn. */
static bool is_over(const struct perun_table *models, size_t row, const char *name, const char *key)
{
	struct perun_json *values = values_of(models, row, name);
	const char *text = perun_json_count(values)
				   ? perun_json_as_string(perun_json_at(values, 0), NULL)
				   : NULL;
	bool same = !text || strcmp(text, key) == 0;

	perun_json_free(values);
	return same;
}

/* The numbers of bucket_stats; NaN for what is none. */
static double *bucket_values(const struct perun_table *models, size_t row, size_t *count)
{
	struct perun_json *values = values_of(models, row, "bucket_stats");
	const struct perun_json *list = perun_json_count(values) ? perun_json_at(values, 0) : NULL;
	double *numbers;

	/* An array may come as one value, or as each of its own. */
	if (list && perun_json_type(list) != PERUN_JSON_TYPE_ARRAY)
		list = values;
	*count = list ? perun_json_count(list) : 0;
	numbers = perun_alloc_zero(*count + 1, sizeof *numbers);
	for (size_t i = 0; i < *count; i++) {
		if (!perun_json_as_double(perun_json_at(list, i), &numbers[i]))
			numbers[i] = NAN;
	}
	perun_json_free(values);
	return numbers;
}

static int by_number(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return one < other ? -1 : one > other;
}

/* The x of the points in ascending order: where smoothed values of each point lie. */
static double *sorted_x(const struct views_series *points)
{
	double *x = perun_memdup(points->x, points->count * sizeof *x);

	qsort(x, points->count, sizeof *x, by_number);
	return x;
}

static void add_steps(struct views_series *line, const struct perun_model *model,
		      const double *values, size_t count)
{
	double width = (model->x_end - model->x_start) / (double)count;

	for (size_t i = 0; i < count; i++) {
		views_series_add(line, model->x_start + width * (double)i, values[i], NAN);
		views_series_add(line, model->x_start + width * (double)(i + 1), values[i], NAN);
	}
}

static void add_smoothed(struct views_series *line, const struct views_series *points,
			 const struct perun_model *model, const double *values, size_t count)
{
	double *x = count == points->count ? sorted_x(points) : NULL;

	for (size_t i = 0; i < count; i++)
		views_series_add(line,
				 x ? x[i]
				   : model->x_start + (model->x_end - model->x_start) * (double)i /
							      (double)(count > 1 ? count - 1 : 1),
				 values[i], NAN);
	perun_free(x);
}

/* b0 + b1 x^b2 log2(x)^b3, as scaling experiments are modelled by. */
static void add_growth(struct views_series *line, const struct perun_model *model)
{
	const double *b = model->coefficients;
	const double low = model->x_start, high = model->x_end;

	if (model->coefficient_count < 4)
		return;
	for (int i = 0; i <= CURVE; i++) {
		/* Closer together where x is small: axes may be logarithmic. */
		double x = low > 0 ? low * pow(high / low, (double)i / CURVE)
				   : low + (high - low) * i / CURVE;

		views_series_add(line, x, b[0] + b[1] * pow(x, b[2]) * pow(log2(x), b[3]), NAN);
	}
}

static char *name_of(const struct perun_model *model)
{
	char *name = isnan(model->r_square)
			     ? perun_strdup(model->kind)
			     : perun_format("%s (r\u00b2 %.3f)", model->kind, model->r_square);

	for (char *c = name; *c; c++) {
		if (*c == '_')
			*c = ' ';
	}
	return name;
}

static int add_curve(struct perun_ctx *ctx, const struct perun_table *models,
		     const struct perun_model *model, struct views_chart *chart)
{
	size_t number = chart->series_count, count;
	char *name = name_of(model);
	struct views_series *line;
	int status = PERUN_OK;

	line = views_chart_add(chart, name, VIEWS_LINE, (unsigned)number);
	perun_free(name);
	line->dashed = number >= 8; /* the colours begin again */
	if (strcmp(model->kind, growth_kind) == 0) {
		add_growth(line, model);
	} else if (perun_model_is_param(model->kind)) {
		double *x = NULL, *y = NULL;

		status = perun_plot_data_from_coefficients_of(ctx, model, CURVE, &x, &y);
		for (int i = 0; !status && i < CURVE; i++)
			views_series_add(line, x[i], y[i], NAN);
		perun_free(x);
		perun_free(y);
	} else {
		double *values = bucket_values(models, model->row, &count);

		if (strcmp(model->kind, "regressogram") == 0)
			add_steps(line, model, values, count);
		else
			add_smoothed(line, &chart->series[0], model, values, count);
		perun_free(values);
	}
	return status;
}

static bool is_known(const struct perun_model *model)
{
	return perun_model_is_param(model->kind) || perun_model_is_nonparam(model->kind) ||
	       strcmp(model->kind, growth_kind) == 0;
}

static struct views_chart *chart_of(const struct views_figure *figure, const char *uid)
{
	for (size_t i = 0; i < figure->chart_count; i++) {
		if (strcmp(figure->charts[i]->title, uid) == 0)
			return figure->charts[i];
	}
	return NULL;
}

/* Perun's profiles know the last part of a call path only: models of it belong there, too. */
static struct views_chart *chart_of_path(const struct views_figure *figure, const char *uid)
{
	struct views_chart *chart = chart_of(figure, uid);
	const char *last = uid, *arrow;

	while ((arrow = strstr(last, "->")))
		last = arrow + 2;
	return chart || last == uid ? chart : chart_of(figure, last);
}

int scatter_add_models(struct perun_ctx *ctx, const struct perun_profile *profile, const char *per,
		       const char *of, struct views_figure *figure)
{
	const struct perun_table *models = perun_profile_table(profile, "models");
	int status = PERUN_OK;

	for (size_t row = 0; models && row < perun_table_rows(models) && !status; row++) {
		struct perun_model model;
		struct views_chart *chart;

		perun_model_read(profile, row, &model);
		chart = chart_of_path(figure, model.uid);
		if (chart && is_known(&model) && is_over(models, row, "per_key", per) &&
		    is_over(models, row, "of_key", of))
			status = add_curve(ctx, models, &model, chart);
		perun_model_clear(&model);
	}
	return status;
}
