/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `bars`: a value of resources aggregated per one key and by another. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-view.h"
#include "views/common/plugin.h"
#include "views/common/repeats.h"

static const struct perun_option bars_options[] = {
	VIEWS_FUNCTION_OPTION(
		"how the values of a bar are combined (default for repeated runs: median)"),
	VIEWS_KEY_OPTION("of", "-o", "whose values are aggregated (default: what is measured)"),
	VIEWS_KEY_OPTION("per", "-p",
			 "a place on the axis for each value of this key (default: snapshots; "
			 "where there is "
			 "one uid, or subtype when that has one value)"),
	VIEWS_KEY_OPTION(
		"by", "-b",
		"a bar of its own for each value of this key (default: uid, or subtype where there "
		"is one uid, unless it is on the axis)"),
	{.name = "stacked", .aliases = "-s", .help = "stack the bars of one place"},
	{.name = "grouped",
	 .aliases = "-g",
	 .help = "bars of one place are side by side (default for other functions than sum and "
		 "count)"},
	VIEWS_LIMIT_OPTION("7", "at most N different bars of one place: those of the largest sums"),
	{.name = "places",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 10000,
	 .default_value = "30",
	 .help = "at most N places on the axis"},
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct bars {
	struct views_chart_work work;
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
	const bool additive =
		bars->function == PERUN_AGGREGATE_SUM || bars->function == PERUN_AGGREGATE_COUNT;

	return perun_option_flag(bars->work.options, "grouped") ||
	       (!additive && !perun_option_flag(bars->work.options, "stacked"));
}

/* Without words: snapshots when there are several, else what is called uid. */
static int choose_per(struct bars *bars)
{
	int status;

	bars->per_key = perun_option_string(bars->work.options, "per");
	if (!bars->per_key)
		bars->per_key = "snapshots";
	status = views_table_categories(&bars->work.table, bars->per_key, &bars->work.per);
	if (!status && bars->work.per.count <= 1 &&
	    !perun_option_given(bars->work.options, "per")) {
		views_categories_clear(&bars->work.per);
		bars->per_key = views_table_default_key(&bars->work.table);
		status = views_table_categories(&bars->work.table, bars->per_key, &bars->work.per);
	}
	return status;
}

static int choose_by(struct bars *bars)
{
	bars->by_key = perun_option_string(bars->work.options, "by");
	if (!bars->by_key)
		bars->by_key = views_table_default_key(&bars->work.table);
	if (!perun_option_given(bars->work.options, "by") &&
	    strcmp(bars->per_key, bars->by_key) == 0)
		bars->by_key = NULL;
	return bars->by_key
		       ? views_table_categories(&bars->work.table, bars->by_key, &bars->work.by)
		       : PERUN_OK;
}

/* Where the runs have bars or colours of their own, nothing is repeated within one. */
static bool is_by_run(const struct bars *bars)
{
	const char *per = perun_option_string(bars->work.options, "per");
	const char *by = perun_option_string(bars->work.options, "by");

	return (per && strcmp(per, "order") == 0) || (by && strcmp(by, "order") == 0);
}

static int load(struct views_chart_work *work)
{
	struct bars *bars = (struct bars *)work;
	size_t limit = (size_t)perun_option_integer(bars->work.options, "limit");
	const double *weights;
	size_t places = (size_t)perun_option_integer(bars->work.options, "places");
	int status;

	bars->function =
		perun_aggregate_from_name(perun_option_string(bars->work.options, "function"));
	if (!perun_option_given(bars->work.options, "function") &&
	    views_has_repeats(bars->work.table.rows) && !is_by_run(bars))
		bars->function = PERUN_AGGREGATE_MEDIAN;
	status = views_aggregates_load(work, bars->function);
	if (!status)
		status = choose_per(bars);
	if (!status)
		status = choose_by(bars);
	if (status)
		return status;
	weights = views_aggregates_weights(work, bars->function);
	if (bars->by_key)
		views_categories_limit(&bars->work.by, weights, bars->work.table.count, limit);
	if (!bars->work.per.numbers || bars->work.per.count > places)
		views_categories_limit(&bars->work.per, weights, bars->work.table.count, places);
	return PERUN_OK;
}

/* One series for each value of `by`; where they are stacked each begins where the one before ends. */
static void add_series(struct views_chart_work *work, double *cells, struct views_chart *chart)
{
	const struct bars *bars = (const struct bars *)work;
	const size_t width = bars->by_key ? bars->work.by.count : 1;
	const bool grouped = is_grouped(bars) && width > 1;
	double *tops = perun_alloc_zero(2 * bars->work.per.count + 1, sizeof *tops);

	for (size_t i = 0; i < bars->work.per.count; i++)
		views_axis_add_category(&chart->x, bars->work.per.names[i]);
	for (size_t k = 0; k < width; k++) {
		const char *name = bars->by_key ? bars->work.by.names[k] : "";
		struct views_series *series = views_chart_add(chart, name, VIEWS_BARS, (unsigned)k);

		if (grouped) {
			series->left = -0.4 + 0.8 * (double)k / (double)width;
			series->right = -0.4 + 0.8 * (double)(k + 1) / (double)width;
		}
		for (size_t i = 0; i < bars->work.per.count; i++) {
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

static int draw(struct views_chart_work *work, const char *name, const struct perun_canvas *canvas)
{
	const struct bars *bars = (const struct bars *)work;
	const struct views_aggregates aggregates = {
		.function = bars->function,
		.parts = bars->by_key != NULL,
		.relation = "per",
		.key = bars->per_key,
		.file = "bars.html",
		.subtitle = bars->by_key ? perun_format("%s · by %s", name, bars->by_key)
					 : perun_strdup(name),
		.add = add_series};

	return views_aggregates_draw(work, &aggregates, canvas);
}

static int bars_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		     const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	static const struct views_chart_maker maker = {load, draw};
	const char *per = perun_option_string(instance, "per");
	struct bars bars = {.work.all_metrics = per && strcmp(per, "metric") == 0};

	(void)count;
	return views_show_chart(&maker, &bars.work, instance, ctx, profiles[0], names[0], canvas);
}

VIEW_PLUGIN(bars, "bars", "aggregated values as bars", bars_options, .open = bars_open,
	    VIEWS_CHART_OPS(bars_show));
