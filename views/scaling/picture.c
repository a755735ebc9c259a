/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scaling`: its charts, its tree, and what the page's script needs. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/common/chart-draw.h"

#include "scaling.h"

enum { CURVE = 160, MAX_BANDS = 3 };

/* ---- words ----------------------------------------------------------------------------------- */

void scaling_add_at(const struct scaling *scaling, struct perun_buffer *out)
{
	for (size_t p = 0; p < scaling->experiment->parameters; p++)
		perun_buffer_printf(out, "%s%s = %.6g", p ? ", " : "",
				    scaling->experiment->parameter_names[p], scaling->at[p]);
}

void scaling_add_formula(const struct scaling *scaling, size_t i, struct perun_buffer *out)
{
	struct perun_scaling_model growth = perun_experiment_tidy_model(
		scaling->experiment, scaling->series[i], scaling_growth(scaling, i));

	for (uint32_t k = 0; k < growth.segments; k++) {
		if (k)
			perun_buffer_printf(out, " up to %.6g, then ", growth.until);
		perun_formula_print(growth.formulas[k], scaling->experiment->parameter_names,
				    PERUN_SPELLING_SHORT, out);
	}
	perun_scaling_model_clear(&growth);
}

/* ---- axes ------------------------------------------------------------------------------------ */

bool scaling_has_linear_axes(const struct scaling *scaling)
{
	return strcmp(perun_option_string(scaling->options, "axes"), "linear") == 0;
}

static bool is_power_of_two(double value)
{
	int exponent;

	return value > 0 && frexp(value, &exponent) == 0.5;
}

unsigned scaling_base(const struct scaling *scaling, size_t parameter)
{
	const struct perun_experiment *experiment = scaling->experiment;
	const char *axes = perun_option_string(scaling->options, "axes");
	bool powers = true;

	if (strcmp(axes, "linear") == 0 || scaling->low[parameter] <= 0)
		return 0;
	if (strcmp(axes, "auto") == 0 && scaling->high[parameter] < 4 * scaling->low[parameter])
		return 0;
	for (size_t i = 0; i < experiment->points; i++)
		powers = powers &&
			 is_power_of_two(
				 experiment->coordinates[i * experiment->parameters + parameter]);
	return powers ? 2 : 10;
}

void scaling_range(const struct scaling *scaling, size_t parameter, double *low, double *high)
{
	*low = fmin(scaling->low[parameter], scaling->at[parameter]);
	*high = fmax(scaling->high[parameter], scaling->at[parameter]);
	if (!(*low < *high))
		*high = *low == 0 ? 1 : *low + fabs(*low);
}

double scaling_between(double low, double high, unsigned base, double share)
{
	return base ? low * pow(high / low, share) : low + (high - low) * share;
}

/* Costs that differ by more than ten times are distinguished by their logarithms only. */
static unsigned value_base(const struct scaling *scaling, const struct views_chart *chart)
{
	const char *axes = perun_option_string(scaling->options, "axes");
	double low = INFINITY, high = 0;

	if (strcmp(axes, "linear") == 0)
		return 0;
	for (size_t i = 0; i < chart->series_count; i++) {
		for (size_t k = 0; k < chart->series[i].count; k++) {
			double value = chart->series[i].y[k];

			if (!isfinite(value) || chart->series[i].mark == VIEWS_BAND)
				continue;
			if (value <= 0 && chart->series[i].mark == VIEWS_POINTS)
				return 0;
			if (value > 0) {
				low = fmin(low, value);
				high = fmax(high, value);
			}
		}
	}
	return high > 10 * low || strcmp(axes, "log") == 0 ? 10 : 0;
}

/* Bands of many curves would hide each other: these are only there when they are asked for. */
static double level_of(const struct scaling *scaling)
{
	if (scaling->chosen_count > MAX_BANDS && !perun_option_given(scaling->options, "level"))
		return 0;
	return perun_option_number(scaling->options, "level") / 100;
}

void scaling_band(const struct scaling *scaling, size_t i, double low, double high,
		  struct views_series *band)
{
	const size_t parameters = scaling->experiment->parameters;
	double *at = perun_alloc_zero((CURVE + 1) * parameters, sizeof *at);
	struct perun_prediction predictions[CURVE + 1];
	const double level = level_of(scaling);
	const struct perun_scaling_model *growth = scaling_growth(scaling, i);
	unsigned base = scaling_base(scaling, scaling->parameter);
	struct perun_observations observations;

	perun_experiment_observations(scaling->experiment, scaling->series[i], scaling->repeated,
				      &observations);
	for (int k = 0; k <= CURVE; k++) {
		double *place = at + (size_t)k * parameters;

		memcpy(place, scaling->at, parameters * sizeof *place);
		place[scaling->parameter] = scaling_between(low, high, base, (double)k / CURVE);
	}
	if (growth->segments && level > 0) {
		perun_scaling_model_predict_all(growth, &observations, at, CURVE + 1, level,
						predictions);
		for (int k = 0; k <= CURVE; k++)
			views_series_add(band, at[(size_t)k * parameters + scaling->parameter],
					 predictions[k].high, predictions[k].low);
	}
	perun_observations_clear(&observations);
	perun_free(at);
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* Of several parameters only what was measured where the others have the value that is asked for. */
static bool is_on_line(const struct scaling *scaling, const double *coordinate)
{
	for (size_t p = 0; p < scaling->experiment->parameters; p++) {
		if (p != scaling->parameter && coordinate[p] != scaling->at[p])
			return false;
	}
	return true;
}

void scaling_add_points(const struct scaling *scaling, size_t i, const char *name, unsigned color,
			struct views_chart *chart)
{
	const struct perun_experiment_series *series = scaling_series(scaling, i);
	struct views_series *points = views_chart_add(chart, name, VIEWS_POINTS, color);

	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *measurement =
			&scaling->experiment->measurements[series->first + k];
		const double *coordinate = scaling_coordinate(scaling, measurement);

		if (is_on_line(scaling, coordinate))
			views_series_add(points, coordinate[scaling->parameter],
					 scaling_measured(scaling, measurement), NAN);
	}
}

/* What repetitions ranged over, where it is known. */
static void add_spread(const struct scaling *scaling, size_t i, unsigned color,
		       struct views_chart *chart)
{
	const struct perun_experiment_series *series = scaling_series(scaling, i);
	struct views_series *lines =
		views_chart_add(chart, scaling_name(scaling, i), VIEWS_LINE, color);

	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *measurement =
			&scaling->experiment->measurements[series->first + k];
		const double *coordinate = scaling_coordinate(scaling, measurement);

		if (!is_on_line(scaling, coordinate) ||
		    !(measurement->minimum < measurement->maximum))
			continue;
		views_series_add(lines, coordinate[scaling->parameter], measurement->minimum, NAN);
		views_series_add(lines, coordinate[scaling->parameter], measurement->maximum, NAN);
		views_series_add(lines, NAN, NAN, NAN);
	}
}

void scaling_add_curve(const struct scaling *scaling, size_t i, const char *name, unsigned color,
		       bool dashed, struct views_chart *chart)
{
	const size_t parameters = scaling->experiment->parameters;
	double *coordinate = perun_memdup(scaling->at, parameters * sizeof *scaling->at);
	struct views_series *line = views_chart_add(chart, name, VIEWS_LINE, color);
	unsigned base = scaling_base(scaling, scaling->parameter);
	double low, high;

	line->dashed = dashed;
	scaling_range(scaling, scaling->parameter, &low, &high);
	for (int k = 0; k <= CURVE; k++) {
		double x = scaling_between(low, high, base, (double)k / CURVE);

		coordinate[scaling->parameter] = x;
		views_series_add(line, x, scaling_predicted(scaling, i, coordinate), NAN);
	}
	perun_free(coordinate);
}

/* The band of predictions where the curve runs. */
static void add_band(const struct scaling *scaling, size_t i, unsigned color,
		     struct views_chart *chart)
{
	struct views_series *band =
		views_chart_add(chart, scaling_name(scaling, i), VIEWS_BAND, color);
	double low, high;

	scaling_range(scaling, scaling->parameter, &low, &high);
	scaling_band(scaling, i, low, high, band);
}

char *scaling_others(const struct scaling *scaling)
{
	struct perun_buffer note = {0};

	for (size_t p = 0; p < scaling->experiment->parameters; p++) {
		if (p != scaling->parameter)
			perun_buffer_printf(&note, "%s%s = %.6g", note.length ? ", " : "where ",
					    scaling->experiment->parameter_names[p],
					    scaling->at[p]);
	}
	return perun_buffer_take(&note);
}

void scaling_finish_curves(const struct scaling *scaling, struct views_chart *chart)
{
	const char *name = scaling->experiment->parameter_names[scaling->parameter];

	views_axis_set(&chart->x, name, "");
	views_axis_set(&chart->y, scaling->experiment->metrics[scaling->metric], scaling->unit);
	chart->x.log_base = scaling_base(scaling, scaling->parameter);
	chart->y.log_base = value_base(scaling, chart);
	chart->y.from_zero = !chart->y.log_base;
	if (scaling->at[scaling->parameter] > scaling->high[scaling->parameter]) {
		char *text = perun_format("measured up to %s = %.6g", name,
					  scaling->high[scaling->parameter]);

		views_chart_add_rule(chart, false, scaling->high[scaling->parameter], text);
		perun_free(text);
	}
}

/* What the bands hold on both sides of where the data end. */
static void name_bands(struct views_chart *chart)
{
	for (size_t i = 0; i < chart->rule_count; i++) {
		struct views_rule *rule = &chart->rules[i];
		char *text = perun_format("%s; beyond: all forms that fit", rule->text);

		perun_free(rule->text);
		rule->text = text;
		rule->hint = perun_strdup("Up to here the bands hold a measurement, beyond "
					  "the true value, over all forms that fit");
	}
}

static void draw_curves(const struct scaling *scaling, struct views_figure *figure)
{
	char *note = scaling_others(scaling);
	struct views_chart *chart = views_figure_add(figure, "", note);

	for (size_t k = 0; k < scaling->chosen_count; k++) {
		const char *name = scaling_name(scaling, scaling->chosen[k]);

		add_band(scaling, scaling->chosen[k], (unsigned)k, chart);
		scaling_add_curve(scaling, scaling->chosen[k], name, (unsigned)k, false, chart);
		add_spread(scaling, scaling->chosen[k], (unsigned)k, chart);
		scaling_add_points(scaling, scaling->chosen[k], name, (unsigned)k, chart);
	}
	scaling_finish_curves(scaling, chart);
	name_bands(chart);
	perun_free(note);
}

/* ---- two parameters -------------------------------------------------------------------------- */

void scaling_fill_map(const struct scaling *scaling, size_t other,
		      double (*value)(const double *at, void *data), void *data,
		      struct views_heat *heat)
{
	const size_t parameters = scaling->experiment->parameters;
	double *coordinate = perun_memdup(scaling->at, parameters * sizeof *scaling->at);
	double low = INFINITY, high = -INFINITY;
	double range[4];
	unsigned across = scaling_base(scaling, scaling->parameter),
		 up = scaling_base(scaling, other);

	scaling_range(scaling, scaling->parameter, &range[0], &range[1]);
	scaling_range(scaling, other, &range[2], &range[3]);
	for (size_t k = 0; k <= heat->columns; k++)
		heat->x[k] = scaling_between(range[0], range[1], across,
					     (double)k / (double)heat->columns);
	for (size_t k = 0; k <= heat->rows; k++)
		heat->y[k] =
			scaling_between(range[2], range[3], up, (double)k / (double)heat->rows);
	for (size_t k = 0; k < heat->columns * heat->rows; k++) {
		double x = ((double)(k % heat->columns) + 0.5) / (double)heat->columns;
		double y = ((double)(k / heat->columns) + 0.5) / (double)heat->rows;

		coordinate[scaling->parameter] = scaling_between(range[0], range[1], across, x);
		coordinate[other] = scaling_between(range[2], range[3], up, y);
		heat->values[k] = value(coordinate, data);
		low = fmin(low, heat->values[k]);
		high = fmax(high, heat->values[k]);
	}
	heat->logarithmic = low > 0 && high > 10 * low;
	heat->contours = true;
	/* What rounding makes of one value has no lines. */
	for (size_t k = 0; k < heat->columns * heat->rows && high - low < 1e-9 * fabs(high); k++)
		heat->values[k] = isfinite(heat->values[k]) ? high : heat->values[k];
	perun_free(coordinate);
}

struct asked {
	const struct scaling *scaling;
	size_t series;
};

static double predict(const double *at, void *data)
{
	const struct asked *asked = data;

	return scaling_predicted(asked->scaling, asked->series, at);
}

/* A call path, one of those chosen, over two parameters; points where it was measured. */
static void draw_heat(const struct scaling *scaling, size_t number, struct views_figure *figure)
{
	const struct perun_experiment *experiment = scaling->experiment;
	const size_t i = scaling->chosen[number], other = scaling->parameter == 0;
	const struct perun_experiment_series *series = scaling_series(scaling, i);
	struct views_chart *chart =
		views_figure_add(figure, scaling_name(scaling, i),
				 "predicted by its model; points are where it was measured");
	struct views_series *points;

	views_axis_set(&chart->x, experiment->parameter_names[scaling->parameter], "");
	views_axis_set(&chart->y, experiment->parameter_names[other], "");
	chart->x.log_base = scaling_base(scaling, scaling->parameter);
	chart->y.log_base = scaling_base(scaling, other);
	/* Room around the outermost points. */
	chart->x.margin = chart->y.margin = 0.03;
	scaling_fill_map(scaling, other, predict, &(struct asked){scaling, i},
			 views_chart_add_heat(chart, SCALING_COLUMNS, SCALING_ROWS,
					      experiment->metrics[scaling->metric], scaling->unit));
	points = views_chart_add(chart, "", VIEWS_POINTS, 1);
	for (size_t k = 0; k < series->count; k++) {
		const double *coordinate =
			scaling_coordinate(scaling, &experiment->measurements[series->first + k]);
		bool there = true;

		for (size_t p = 2; p < experiment->parameters; p++)
			there = there && coordinate[p] == scaling->at[p];
		if (there)
			views_series_add(points, coordinate[scaling->parameter], coordinate[other],
					 NAN);
	}
}

bool scaling_wants(const struct scaling *scaling, const char *chart)
{
	size_t count = perun_option_count(scaling->options, "chart");
	bool wanted = !count && strcmp(chart, "residuals") != 0 && strcmp(chart, "fit") != 0 &&
		      (strcmp(chart, "surface") != 0 || scaling->form == PERUN_FORM_HTML);

	for (size_t i = 0; i < count; i++)
		wanted |= strcmp(perun_option_string_at(scaling->options, "chart", i), chart) == 0;
	return wanted;
}

void scaling_draw(const struct scaling *scaling, struct views_figure *figure,
		  struct scaling_parts *parts)
{
	bool several = scaling->experiment->parameters >= 2;

	parts->chart = figure->chart_count;
	parts->dominant = SIZE_MAX;
	if (scaling_wants(scaling, "curves"))
		draw_curves(scaling, figure);
	/* Of those that were asked for, else of the costliest. */
	for (size_t k = 0; k < scaling->chosen_count && scaling_wants(scaling, "map") && several &&
			   (!k || perun_option_given(scaling->options, "callpath"));
	     k++)
		draw_heat(scaling, k, figure);
	if (scaling_wants(scaling, "surface") && several)
		scaling_draw_surface(scaling, figure);
	if (scaling_wants(scaling, "dominant") && several && scaling->count > 1) {
		parts->dominant = figure->chart_count - parts->chart;
		scaling_draw_dominant(scaling, figure);
	}
	if (scaling_wants(scaling, "fit"))
		scaling_draw_fit(scaling, figure);
	if (scaling_wants(scaling, "residuals"))
		scaling_draw_residuals(scaling, figure);
	parts->charts = figure->chart_count - parts->chart;
}
