/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scatter`: resources as points of two keys, with the curves of the models they have. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "scatter.h"
#include "views/common/chart-view.h"
#include "views/common/plugin.h"

static const struct perun_option scatter_options[] = {
	VIEWS_KEY_OPTION("of", "-o", "the key along the vertical axis (default: what is measured)"),
	VIEWS_KEY_OPTION(
		"per", "-p --per-key",
		"the key along the horizontal axis (default: structure-unit-size; where that "
		"does not vary a parameter, snapshots, order, or the only other one)"),
	{.name = "by",
	 .aliases = "-b",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "a chart for each value of this key (default: uid, or subtype where there is one "
		 "uid and no model)"},
	{.name = "together", .help = "all in one chart, distinguished by colours; without models"},
	VIEWS_LIMIT_OPTION("12", "at most N charts (or colours): those of the largest sums"),
	{.name = "log",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "auto none x y both",
	 .default_value = "auto",
	 .help = "which axes are logarithmic; auto: those of an experiment that span much"},
	{.name = "no-models", .help = "points only"},
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct scatter {
	struct views_chart_work work;
	const char *by_key;
	bool whole;              /* all of x are whole numbers */
	unsigned x_base, y_base; /* of logarithmic axes */
	struct views_figure *figure;
};

static void set_axes(const struct scatter *scatter, struct views_chart *chart)
{
	views_axis_set(&chart->x, scatter->work.along.title, scatter->work.along.unit);
	views_axis_set(&chart->y, scatter->work.of.title, scatter->work.of.unit);
	chart->x.margin = 0.02;
	chart->x.whole = scatter->whole;
	chart->x.log_base = scatter->x_base;
	chart->y.log_base = scatter->y_base;
}

static bool is_point(const struct scatter *scatter, size_t row)
{
	return scatter->work.by.of_row[row] != PERUN_NO_ID &&
	       isfinite(scatter->work.along.values[row]) && isfinite(scatter->work.of.values[row]);
}

/* Whether all points lie above zero and the largest is this many times the least; `powers`: of two each. */
static bool spans(const struct scatter *scatter, const double *values, double times, bool *powers)
{
	double low = INFINITY, high = -INFINITY;
	int exponent;

	*powers = true;
	for (size_t row = 0; row < scatter->work.table.count; row++) {
		if (!is_point(scatter, row))
			continue;
		low = fmin(low, values[row]);
		high = fmax(high, values[row]);
		*powers = *powers && frexp(values[row], &exponent) == 0.5;
	}
	return low > 0 && high >= times * low;
}

static void choose_bases(struct scatter *scatter)
{
	const char *log = perun_option_string(scatter->work.options, "log");
	const bool both = strcmp(log, "both") == 0;
	bool powers, other;

	if (strcmp(log, "auto") == 0) {
		if (views_table_is_parameter(&scatter->work.table, scatter->work.along.key) &&
		    spans(scatter, scatter->work.along.values, 4, &powers)) {
			scatter->x_base = powers ? 2 : 10;
			scatter->y_base =
				spans(scatter, scatter->work.of.values, 100, &other) ? 10 : 0;
		}
		return;
	}
	scatter->x_base = both || strcmp(log, "x") == 0 ? 10 : 0;
	scatter->y_base = both || strcmp(log, "y") == 0 ? 10 : 0;
}

/* A chart for each category: points are found in one pass over the rows. */
static void add_charts(struct scatter *scatter)
{
	const bool together = perun_option_flag(scatter->work.options, "together");
	struct views_chart **charts = perun_alloc_zero(scatter->work.by.count + 1, sizeof *charts);
	size_t *numbers = perun_alloc_zero(scatter->work.by.count + 1, sizeof *numbers);

	for (size_t i = 0; i < scatter->work.by.count; i++) {
		const char *name = scatter->work.by.names[i];

		charts[i] = together && i
				    ? charts[0]
				    : views_figure_add(scatter->figure, together ? "" : name, "");
		numbers[i] = charts[i]->series_count;
		views_chart_add(charts[i], together ? name : "measured", VIEWS_POINTS, (unsigned)i);
		if (!together)
			charts[i]->series[numbers[i]].color = 0;
		set_axes(scatter, charts[i]);
	}
	for (size_t row = 0; row < scatter->work.table.count; row++) {
		uint32_t i = scatter->work.by.of_row[row];

		if (is_point(scatter, row))
			views_series_add(&charts[i]->series[numbers[i]],
					 scatter->work.along.values[row],
					 scatter->work.of.values[row], NAN);
	}
	perun_free(charts);
	perun_free(numbers);
}

static void drop_empty_charts(struct views_figure *figure)
{
	size_t count = 0;

	for (size_t i = 0; i < figure->chart_count; i++) {
		struct views_chart *chart = figure->charts[i];
		size_t points = 0;

		for (size_t k = 0; k < chart->series_count; k++)
			points += chart->series[k].count;
		if (points || figure->chart_count == 1)
			figure->charts[count++] = chart;
		else
			views_chart_free(chart);
	}
	figure->chart_count = count;
}

/* The horizontal axis: what the user names, else what varies. */
static int load_x(struct scatter *scatter)
{
	const char *key = perun_option_string(scatter->work.options, "per");
	struct perun_buffer known = {0};
	int status;

	if (!key)
		key = views_table_axis(&scatter->work.table, "structure-unit-size",
				       scatter->work.of.key);
	/* One point is better than none. */
	if (!key && perun_table_column(scatter->work.table.rows, "structure-unit-size"))
		key = "structure-unit-size";
	if (key)
		return views_table_numbers(&scatter->work.table, key, &scatter->work.along);
	views_table_add_axes(&scatter->work.table, scatter->work.of.key, "--per", &known);
	status = perun_fail(scatter->work.table.ctx, PERUN_INPUT,
			    "the view scatter needs a second key with numbers%s; the views bars, "
			    "histogram and box show one key",
			    known.data);
	perun_buffer_free(&known);
	return status;
}

static bool has_models(const struct perun_profile *profile)
{
	const struct perun_table *models = perun_profile_table(profile, "models");

	return models && perun_table_rows(models);
}

static int load(struct views_chart_work *work)
{
	struct scatter *scatter = (struct scatter *)work;
	const struct perun_options *options = scatter->work.options;
	size_t limit = (size_t)perun_option_integer(options, "limit"), points = 0;
	int status = views_table_numbers(&scatter->work.table, perun_option_string(options, "of"),
					 &scatter->work.of);

	scatter->by_key = perun_option_string(options, "by");
	if (!scatter->by_key)
		scatter->by_key = has_models(scatter->work.table.profile)
					  ? "uid"
					  : views_table_default_key(&scatter->work.table);
	if (!status)
		status = load_x(scatter);
	if (!status)
		status = views_table_categories(&scatter->work.table, scatter->by_key,
						&scatter->work.by);
	if (status)
		return status;
	scatter->whole = true;
	for (size_t row = 0; row < scatter->work.table.count; row++) {
		if (!is_point(scatter, row))
			continue;
		points++;
		scatter->whole &= scatter->work.along.values[row] ==
				  nearbyint(scatter->work.along.values[row]);
	}
	if (!points)
		return perun_fail(scatter->work.table.ctx, PERUN_INPUT,
				  "no resource has both numbers, %s and %s",
				  scatter->work.along.key, scatter->work.of.key);
	choose_bases(scatter);
	views_categories_limit(&scatter->work.by, scatter->work.of.values,
			       scatter->work.table.count, limit);
	return PERUN_OK;
}

static int draw(struct views_chart_work *work, const char *name, const struct perun_canvas *canvas)
{
	struct scatter *scatter = (struct scatter *)work;
	struct perun_ctx *ctx = scatter->work.table.ctx;
	const struct views_table *table = &scatter->work.table;
	const size_t rows = table->selection ? perun_selection_count(table->selection, table->count)
					     : table->count;
	const struct perun_options *options = scatter->work.options;
	char *title = perun_format("%s per %s", scatter->work.of.title, scatter->work.along.title);
	char *subtitle = perun_format("%s · %zu resources", name, rows);
	int status = PERUN_OK;

	scatter->figure = views_figure_new(title, subtitle);
	scatter->figure->file = "scatter.html";
	add_charts(scatter);
	if (!perun_option_flag(options, "together") && !perun_option_flag(options, "no-models") &&
	    strcmp(scatter->by_key, "uid") == 0)
		status = scatter_add_models(ctx, scatter->work.table.profile,
					    scatter->work.along.key, scatter->work.of.key,
					    scatter->figure);
	drop_empty_charts(scatter->figure);
	if (!status)
		status = views_figure_write(ctx, scatter->figure, options, canvas);
	views_figure_free(scatter->figure);
	perun_free(title);
	perun_free(subtitle);
	return status;
}

static int scatter_show(void *instance, struct perun_ctx *ctx,
			struct perun_profile *const *profiles, const char *const *names,
			size_t count, const struct perun_canvas *canvas)
{
	static const struct views_chart_maker maker = {load, draw};
	struct scatter scatter = {0};

	(void)count;
	return views_show_chart(&maker, &scatter.work, instance, ctx, profiles[0], names[0],
				canvas);
}

VIEW_PLUGIN(scatter, "scatter", "resources as points of two keys, with curves of models",
	    scatter_options, .open = views_open_chart, VIEWS_CHART_OPS(scatter_show));
