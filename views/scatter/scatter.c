/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scatter`: resources as points of two keys, with the curves of the models they have. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "scatter.h"

static const struct perun_option scatter_options[] = {
	{.name = "of",
	 .aliases = "-o",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "the key along the vertical axis (default: what is measured)"},
	{.name = "per",
	 .aliases = "-p --per-key",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "the key along the horizontal axis (default: structure-unit-size; where that "
		 "does not vary a parameter, snapshots, order, or the only other one)"},
	{.name = "by",
	 .aliases = "-b",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .default_value = "uid",
	 .help = "a chart for each value of this key"},
	{.name = "together", .help = "all in one chart, told apart by colours; without models"},
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1000,
	 .default_value = "12",
	 .help = "not more charts (or colours) than that: those of the largest sums"},
	{.name = "log",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "none x y both",
	 .default_value = "none",
	 .help = "which axes are logarithmic"},
	{.name = "no-models", .help = "points only"},
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct scatter {
	const struct perun_options *options;
	struct views_table table;
	struct views_numbers x, y;
	struct views_categories by;
	bool whole; /* all of x are whole numbers */
	struct views_figure *figure;
};

static int scatter_open(struct perun_ctx *ctx, const struct perun_options *options,
			const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

static void set_axes(const struct scatter *scatter, struct views_chart *chart)
{
	const char *log = perun_option_string(scatter->options, "log");
	bool both = strcmp(log, "both") == 0;

	views_axis_set(&chart->x, scatter->x.key, scatter->x.unit);
	views_axis_set(&chart->y, scatter->y.key, scatter->y.unit);
	chart->x.margin = 0.02;
	chart->x.whole = scatter->whole;
	chart->x.log_base = both || strcmp(log, "x") == 0 ? 10 : 0;
	chart->y.log_base = both || strcmp(log, "y") == 0 ? 10 : 0;
}

static bool is_point(const struct scatter *scatter, size_t row)
{
	return scatter->by.of_row[row] != PERUN_NO_ID && isfinite(scatter->x.values[row]) &&
	       isfinite(scatter->y.values[row]);
}

/* A chart for each category: points are found in one pass over the rows. */
static void add_charts(struct scatter *scatter)
{
	const bool together = perun_option_flag(scatter->options, "together");
	struct views_chart **charts = perun_alloc_zero(scatter->by.count + 1, sizeof *charts);
	size_t *numbers = perun_alloc_zero(scatter->by.count + 1, sizeof *numbers);

	for (size_t i = 0; i < scatter->by.count; i++) {
		const char *name = scatter->by.names[i];

		charts[i] = together && i
				    ? charts[0]
				    : views_figure_add(scatter->figure, together ? "" : name, "");
		numbers[i] = charts[i]->series_count;
		views_chart_add(charts[i], together ? name : "measured", VIEWS_POINTS, (unsigned)i);
		if (!together)
			charts[i]->series[numbers[i]].color = 0;
		set_axes(scatter, charts[i]);
	}
	for (size_t row = 0; row < scatter->table.count; row++) {
		uint32_t i = scatter->by.of_row[row];

		if (is_point(scatter, row))
			views_series_add(&charts[i]->series[numbers[i]], scatter->x.values[row],
					 scatter->y.values[row], NAN);
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
	const char *key = perun_option_string(scatter->options, "per");
	struct perun_buffer known = {0};
	int status;

	if (!key)
		key = views_table_axis(&scatter->table, "structure-unit-size", scatter->y.key);
	if (key)
		return views_table_numbers(&scatter->table, key, &scatter->x);
	views_table_add_axes(&scatter->table, scatter->y.key, &known);
	status = perun_fail(scatter->table.ctx, PERUN_INPUT,
			    "the view scatter needs a second key with numbers: choose with --per "
			    "one of: %s; the views bars, histogram and box show one key",
			    known.data);
	perun_buffer_free(&known);
	return status;
}

static int load(struct scatter *scatter)
{
	const struct perun_options *options = scatter->options;
	size_t limit = (size_t)perun_option_integer(options, "limit"), points = 0;
	int status = views_table_numbers(&scatter->table, perun_option_string(options, "of"),
					 &scatter->y);

	if (!status)
		status = load_x(scatter);
	if (!status)
		status = views_table_categories(&scatter->table, perun_option_string(options, "by"),
						&scatter->by);
	if (status)
		return status;
	scatter->whole = true;
	for (size_t row = 0; row < scatter->table.count; row++) {
		if (!is_point(scatter, row))
			continue;
		points++;
		scatter->whole &= scatter->x.values[row] == nearbyint(scatter->x.values[row]);
	}
	if (!points)
		return perun_fail(scatter->table.ctx, PERUN_INPUT,
				  "no resource has both numbers, %s and %s", scatter->x.key,
				  scatter->y.key);
	views_categories_limit(&scatter->by, scatter->y.values, scatter->table.count, limit);
	return PERUN_OK;
}

static int draw(struct scatter *scatter, const char *name, const struct perun_canvas *canvas)
{
	struct perun_ctx *ctx = scatter->table.ctx;
	const struct perun_options *options = scatter->options;
	char *title = perun_format("%s per %s", scatter->y.key, scatter->x.key);
	char *subtitle = perun_format("%s · %zu resources", name, scatter->table.count);
	int status = PERUN_OK;

	scatter->figure = views_figure_new(title, subtitle);
	add_charts(scatter);
	if (!perun_option_flag(options, "together") && !perun_option_flag(options, "no-models") &&
	    strcmp(perun_option_string(options, "by"), "uid") == 0)
		status = scatter_add_models(ctx, scatter->table.profile, scatter->x.key,
					    scatter->y.key, scatter->figure);
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
	struct scatter scatter = {.options = instance};
	int status = views_table_open(ctx, profiles[0], scatter.options, &scatter.table);

	(void)count;
	if (!status)
		status = load(&scatter);
	if (status)
		status = perun_fail(ctx, PERUN_OK, "%s", names[0]);
	else
		status = draw(&scatter, names[0], canvas);
	views_numbers_clear(&scatter.x);
	views_numbers_clear(&scatter.y);
	views_categories_clear(&scatter.by);
	views_table_close(&scatter.table);
	return status;
}

static const struct perun_view_ops scatter_ops = {
	.open = scatter_open,
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	.minimum = 1,
	.maximum = 1,
	.show = scatter_show,
};

PERUN_PLUGIN(view, scatter) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "scatter",
			  "resources as points of two keys, with the curves of models"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(scatter_options),
	PERUN_PLUGIN_OPS(scatter_ops),
};
