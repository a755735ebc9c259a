/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `bars`: a value of resources aggregated per one key and by another. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-table.h"

static const struct perun_option bars_options[] = {
	{.name = "function",
	 .metavar = "FUNCTION",
	 .type = PERUN_OPTION_CHOICE,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .choices = "sum mean count nunique median min max",
	 .default_value = "sum",
	 .help = "how the values of a bar become one"},
	{.name = "of",
	 .aliases = "-o",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "whose values are aggregated (default: what is measured)"},
	{.name = "per",
	 .aliases = "-p",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "a place on the axis for each value of this key (default: snapshots; uid when "
		 "there is one snapshot)"},
	{.name = "by",
	 .aliases = "-b",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "a bar of its own for each value of this key (default: uid, unless it is on the "
		 "axis)"},
	{.name = "stacked", .aliases = "-s", .help = "bars of one place stand on each other"},
	{.name = "grouped",
	 .aliases = "-g",
	 .help = "bars of one place stand side by side (default for other functions than sum and "
		 "count)"},
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1000,
	 .default_value = "7",
	 .help = "not more different bars of one place than that: those of the largest sums"},
	{.name = "places",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 10000,
	 .default_value = "30",
	 .help = "not more places on the axis than that"},
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct bars {
	const struct perun_options *options;
	struct views_table table;
	struct views_numbers of;
	struct views_categories per, by;
	const char *per_key, *by_key; /* by_key NULL = one bar for each place */
	enum perun_aggregate function;
};

static int bars_open(struct perun_ctx *ctx, const struct perun_options *options,
		     const char *subcommand, void **instance)
{
	(void)subcommand;
	if (perun_option_flag(options, "stacked") && perun_option_flag(options, "grouped"))
		return perun_fail(ctx, PERUN_USAGE,
				  "bars are either --stacked or --grouped, not both");
	*instance = (void *)options;
	return PERUN_OK;
}

static bool is_grouped(const struct bars *bars)
{
	const bool additive = bars->function == PERUN_SUM || bars->function == PERUN_COUNT;

	return perun_option_flag(bars->options, "grouped") ||
	       (!additive && !perun_option_flag(bars->options, "stacked"));
}

/* Without words: snapshots when there are several, else what is called uid. */
static int choose_per(struct bars *bars)
{
	int status;

	bars->per_key = perun_option_string(bars->options, "per");
	if (!bars->per_key)
		bars->per_key = "snapshots";
	status = views_table_categories(&bars->table, bars->per_key, &bars->per);
	if (!status && bars->per.count <= 1 && !perun_option_given(bars->options, "per")) {
		views_categories_clear(&bars->per);
		bars->per_key = "uid";
		status = views_table_categories(&bars->table, bars->per_key, &bars->per);
	}
	return status;
}

static int choose_by(struct bars *bars)
{
	bars->by_key = perun_option_string(bars->options, "by");
	if (!bars->by_key && strcmp(bars->per_key, "uid") != 0)
		bars->by_key = "uid";
	return bars->by_key ? views_table_categories(&bars->table, bars->by_key, &bars->by)
			    : PERUN_OK;
}

static int load(struct bars *bars)
{
	const char *of = perun_option_string(bars->options, "of");
	size_t limit = (size_t)perun_option_integer(bars->options, "limit");
	const double *weights = NULL;
	size_t places = (size_t)perun_option_integer(bars->options, "places");
	int status;

	bars->function = perun_aggregate_from_name(perun_option_string(bars->options, "function"));
	if (bars->function == PERUN_COUNT || bars->function == PERUN_NUNIQUE)
		status = views_table_codes(&bars->table, of, &bars->of);
	else
		status = views_table_numbers(&bars->table, of, &bars->of);
	if (!status)
		status = choose_per(bars);
	if (!status)
		status = choose_by(bars);
	if (status)
		return status;
	if (bars->function != PERUN_COUNT && bars->function != PERUN_NUNIQUE)
		weights = bars->of.values;
	if (bars->by_key)
		views_categories_limit(&bars->by, weights, bars->table.count, limit);
	if (!bars->per.numbers || bars->per.count > places)
		views_categories_limit(&bars->per, weights, bars->table.count, places);
	return PERUN_OK;
}

/* One series for each value of `by`; where they are stacked each begins where the one before ends. */
static void add_series(const struct bars *bars, const double *cells, struct views_chart *chart)
{
	const size_t width = bars->by_key ? bars->by.count : 1;
	const bool grouped = is_grouped(bars) && width > 1;
	double *tops = perun_alloc_zero(2 * bars->per.count + 1, sizeof *tops);

	for (size_t k = 0; k < width; k++) {
		const char *name = bars->by_key ? bars->by.names[k] : "";
		struct views_series *series = views_chart_add(chart, name, VIEWS_BARS, (unsigned)k);

		if (grouped) {
			series->left = -0.4 + 0.8 * (double)k / (double)width;
			series->right = -0.4 + 0.8 * (double)(k + 1) / (double)width;
		}
		for (size_t i = 0; i < bars->per.count; i++) {
			double value = cells[i * width + k];
			/* Negative values are stacked below zero. */
			double *top = &tops[2 * i + (value < 0)], low = grouped ? 0 : *top;

			if (!isfinite(value))
				continue;
			*top = low + value;
			views_series_add(series, (double)i, *top, low);
		}
	}
	perun_free(tops);
}

static int draw(const struct bars *bars, const char *name, const struct perun_canvas *canvas)
{
	const size_t width = bars->by_key ? bars->by.count : 1;
	const char *function = perun_aggregate_name(bars->function);
	double *cells = perun_alloc_zero(bars->per.count * width + 1, sizeof *cells);
	char *title = perun_format("%s of %s per %s", function, bars->of.key, bars->per_key);
	char *subtitle =
		bars->by_key ? perun_format("%s · by %s", name, bars->by_key) : perun_strdup(name);
	struct views_figure *figure = views_figure_new(title, subtitle);
	struct views_chart *chart = views_figure_add(figure, "", "");
	char *up = perun_format("%s of %s", function, bars->of.key);
	int status;

	views_axis_set(&chart->x, bars->per_key, "");
	views_axis_set(&chart->y, up, bars->of.unit);
	chart->y.from_zero = true;
	chart->y.whole = bars->function == PERUN_COUNT || bars->function == PERUN_NUNIQUE;
	for (size_t i = 0; i < bars->per.count; i++)
		views_axis_add_category(&chart->x, bars->per.names[i]);
	views_aggregate(&bars->table, bars->of.values, &bars->per, bars->by_key ? &bars->by : NULL,
			bars->function, cells);
	add_series(bars, cells, chart);
	status = views_figure_write(bars->table.ctx, figure, bars->options, canvas);
	views_figure_free(figure);
	perun_free(cells);
	perun_free(title);
	perun_free(subtitle);
	perun_free(up);
	return status;
}

static int bars_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		     const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	struct bars bars = {.options = instance};
	int status = views_table_open(ctx, profiles[0], bars.options, &bars.table);

	(void)count;
	if (!status)
		status = load(&bars);
	if (status)
		status = perun_fail(ctx, PERUN_OK, "%s", names[0]);
	else
		status = draw(&bars, names[0], canvas);
	views_numbers_clear(&bars.of);
	views_categories_clear(&bars.per);
	views_categories_clear(&bars.by);
	views_table_close(&bars.table);
	return status;
}

static const struct perun_view_ops bars_ops = {
	.open = bars_open,
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	.minimum = 1,
	.maximum = 1,
	.show = bars_show,
};

PERUN_PLUGIN(view, bars) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "bars", "aggregated values as bars"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(bars_options),
	PERUN_PLUGIN_OPS(bars_ops),
};
