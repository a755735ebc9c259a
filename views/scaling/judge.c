/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scaling`: charts of what dominates where, and of how well models fit. */
#include <config.h>

#include <math.h>

#include "scaling.h"

/* Few enough that each cell is drawn as a mark, which also shows without colours. */
enum { COLUMNS = 20, ROWS = 12 };

/* ---- what dominates -------------------------------------------------------------------------- */

/* The call path that costs most at a coordinate; SIZE_MAX = none costs anything. */
static size_t costliest(const struct scaling *scaling, const double *coordinate)
{
	size_t found = SIZE_MAX;
	double most = 0;

	for (size_t i = 0; i < scaling->count; i++) {
		double value = scaling_cost(scaling, i, coordinate);

		if (value > most) {
			most = value;
			found = i;
		}
	}
	return found;
}

/* The winner of each cell of a grid over two parameters. */
static size_t *winners(const struct scaling *scaling, size_t other, double *x, double *y)
{
	const size_t parameters = scaling->experiment->parameters;
	double *coordinate = perun_memdup(scaling->at, parameters * sizeof *scaling->at);
	size_t *won = perun_alloc_zero((size_t)COLUMNS * ROWS, sizeof *won);
	double low, high;

	scaling_range(scaling, scaling->parameter, &low, &high);
	for (size_t k = 0; k < COLUMNS; k++)
		x[k] = scaling_between(low, high, scaling_base(scaling, scaling->parameter),
				       ((double)k + 0.5) / COLUMNS);
	scaling_range(scaling, other, &low, &high);
	for (size_t k = 0; k < ROWS; k++)
		y[k] = scaling_between(low, high, scaling_base(scaling, other),
				       ((double)k + 0.5) / ROWS);
	for (size_t k = 0; k < (size_t)COLUMNS * ROWS; k++) {
		coordinate[scaling->parameter] = x[k % COLUMNS];
		coordinate[other] = y[k / COLUMNS];
		won[k] = costliest(scaling, coordinate);
	}
	perun_free(coordinate);
	return won;
}

/* That of its curve. */
static unsigned color_of(const struct scaling *scaling, size_t i, unsigned *next)
{
	for (size_t k = 0; k < scaling->chosen_count; k++)
		if (scaling->chosen[k] == i)
			return (unsigned)k;
	return (unsigned)scaling->chosen_count + (*next)++;
}

void scaling_draw_dominant(const struct scaling *scaling, struct views_figure *figure)
{
	const struct perun_experiment *experiment = scaling->experiment;
	const size_t other = scaling->parameter == 0;
	struct views_chart *chart = views_figure_add(figure, "What costs most where",
						     "by the models of all call paths");
	double x[COLUMNS], y[ROWS];
	size_t *won = winners(scaling, other, x, y);
	bool *drawn = perun_alloc_zero(scaling->count + 1, sizeof *drawn);
	unsigned next = 0;

	views_axis_set(&chart->x, experiment->parameter_names[scaling->parameter], "");
	views_axis_set(&chart->y, experiment->parameter_names[other], "");
	chart->x.log_base = scaling_base(scaling, scaling->parameter);
	chart->y.log_base = scaling_base(scaling, other);
	chart->x.margin = chart->y.margin = 0.03;
	for (size_t k = 0; k < (size_t)COLUMNS * ROWS; k++) {
		struct views_series *cells;

		if (won[k] == SIZE_MAX || drawn[won[k]])
			continue;
		drawn[won[k]] = true;
		cells = views_chart_add(chart, scaling_name(scaling, won[k]), VIEWS_POINTS,
					color_of(scaling, won[k], &next));
		for (size_t m = k; m < (size_t)COLUMNS * ROWS; m++)
			if (won[m] == won[k])
				views_series_add(cells, x[m % COLUMNS], y[m / COLUMNS], NAN);
	}
	perun_free(won);
	perun_free(drawn);
}

/* ---- how well models fit --------------------------------------------------------------------- */

void scaling_draw_fit(const struct scaling *scaling, struct views_figure *figure)
{
	const struct perun_experiment *experiment = scaling->experiment;
	struct views_chart *chart =
		views_figure_add(figure, "Measured and predicted", "on the line they are the same");
	double low = INFINITY, high = -INFINITY;
	struct views_series *line;
	char *title = perun_format("measured %s", experiment->metrics[scaling->metric]);

	views_axis_set(&chart->x, title, scaling->unit);
	views_axis_set(&chart->y, "predicted", scaling->unit);
	for (size_t k = 0; k < scaling->chosen_count; k++) {
		const struct perun_experiment_series *series =
			scaling_series(scaling, scaling->chosen[k]);
		struct views_series *points =
			views_chart_add(chart, scaling_name(scaling, scaling->chosen[k]),
					VIEWS_POINTS, (unsigned)k);

		for (size_t m = 0; m < series->count; m++) {
			const struct perun_measurement *measurement =
				&experiment->measurements[series->first + m];
			double x = scaling_measured(scaling, measurement);
			double y = scaling_predicted(scaling, scaling->chosen[k],
						     scaling_coordinate(scaling, measurement));

			views_series_add(points, x, y, NAN);
			if (isfinite(x) && isfinite(y)) {
				low = fmin(low, fmin(x, y));
				high = fmax(high, fmax(x, y));
			}
		}
	}
	if (low > 0 && high > 10 * low)
		chart->x.log_base = chart->y.log_base = 10;
	line = views_chart_add(chart, "", VIEWS_LINE, (unsigned)scaling->chosen_count);
	for (int k = 0; k < 2 && low < high; k++)
		views_series_add(line, k ? high : low, k ? high : low, NAN);
	perun_free(title);
}

void scaling_draw_residuals(const struct scaling *scaling, struct views_figure *figure)
{
	const struct perun_experiment *experiment = scaling->experiment;
	struct views_chart *chart = views_figure_add(
		figure, "Residuals", "measured values above or below what the models say");

	views_axis_set(&chart->x, experiment->parameter_names[scaling->parameter], "");
	views_axis_set(&chart->y, "measured above the model", "%");
	chart->x.log_base = scaling_base(scaling, scaling->parameter);
	for (size_t k = 0; k < scaling->chosen_count; k++) {
		const struct perun_experiment_series *series =
			scaling_series(scaling, scaling->chosen[k]);
		struct views_series *points =
			views_chart_add(chart, scaling_name(scaling, scaling->chosen[k]),
					VIEWS_POINTS, (unsigned)k);

		for (size_t m = 0; m < series->count; m++) {
			const struct perun_measurement *measurement =
				&experiment->measurements[series->first + m];
			const double *at = scaling_coordinate(scaling, measurement);
			double predicted = scaling_predicted(scaling, scaling->chosen[k], at);

			if (predicted != 0)
				views_series_add(
					points, at[scaling->parameter],
					100 * (scaling_measured(scaling, measurement) - predicted) /
						fabs(predicted),
					NAN);
		}
	}
	views_chart_add_rule(chart, true, 0, "");
}
