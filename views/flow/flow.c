/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `flow`: a value of resources through the snapshots, or along another key with numbers. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-view.h"
#include "views/common/plugin.h"

static const struct perun_option flow_options[] = {
	VIEWS_FUNCTION_OPTION(
		"how the values of one moment become one (along a parameter of an experiment: "
		"mean)"),
	VIEWS_KEY_OPTION("of", "-o", "whose values are aggregated (default: what is measured)"),
	VIEWS_KEY_OPTION(
		"through", "-t",
		"the key along the horizontal axis: its values are numbers (default: snapshots; "
		"of one snapshot a parameter, sizes, order, or the only other one)"),
	{.name = "by",
	 .aliases = "-b",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "a line of its own for each value of this key (default: uid, or subtype where "
		 "there is one uid)"},
	{.name = "stacked", .aliases = "-s", .help = "stacked areas instead of lines"},
	{.name = "accumulate",
	 .flags = PERUN_OPTION_NEGATABLE,
	 .default_value = "true",
	 .help = "add up what was before (sum and count)"},
	VIEWS_LIMIT_OPTION("7",
			   "at most N lines: those of the largest sums, and one for the others"),
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct flow {
	struct views_chart_work work;
	const char *key; /* along the axis */
	const char *by_key;
	enum perun_aggregate function;
};

/* The horizontal axis: what the user names, else what has several moments. */
static int load_through(struct flow *flow)
{
	struct perun_buffer known = {0};
	int status;

	flow->key = perun_option_string(flow->work.options, "through");
	if (!flow->key)
		flow->key = views_table_axis(&flow->work.table, "snapshots", flow->work.of.key);
	/* A run that was looked at once has one moment. */
	if (!flow->key && perun_table_column(perun_resources(flow->work.table.profile), "snapshot"))
		flow->key = "snapshots";
	if (!flow->key) {
		views_table_add_axes(&flow->work.table, flow->work.of.key, "--through", &known);
		status = perun_fail(flow->work.table.ctx, PERUN_INPUT,
				    "the view flow shows values through several moments, and the "
				    "profile has one snapshot%s; the view bars shows one moment",
				    known.data);
		perun_buffer_free(&known);
		return status;
	}
	status = views_table_categories(&flow->work.table, flow->key, &flow->work.per);
	if (!status && !flow->work.per.numbers)
		status = perun_fail(
			flow->work.table.ctx, PERUN_INPUT,
			"the view flow needs numbers along its axis, and %s has others; choose "
			"another key with --through, or the view bars",
			flow->key);
	return status;
}

static int load(struct views_chart_work *work)
{
	struct flow *flow = (struct flow *)work;
	size_t limit = (size_t)perun_option_integer(flow->work.options, "limit");
	int status;

	flow->by_key = perun_option_string(flow->work.options, "by");
	if (!flow->by_key)
		flow->by_key = views_table_default_key(&flow->work.table);
	flow->function =
		perun_aggregate_from_name(perun_option_string(flow->work.options, "function"));
	status = views_aggregates_load(work, flow->function);
	if (!status)
		status = load_through(flow);
	if (!status)
		status = views_table_categories(&flow->work.table, flow->by_key, &flow->work.by);
	/* What was measured at several sizes does not add up to anything. */
	if (!status && !perun_option_given(flow->work.options, "function") &&
	    views_table_is_parameter(&flow->work.table, flow->key))
		flow->function = PERUN_AGGREGATE_MEAN;
	if (!status)
		views_categories_limit(&flow->work.by,
				       views_aggregates_weights(work, flow->function),
				       flow->work.table.count, limit);
	return status;
}

static bool is_whole(const struct views_categories *categories)
{
	for (size_t i = 0; i < categories->count; i++) {
		if (categories->numbers[i] != nearbyint(categories->numbers[i]))
			return false;
	}
	return true;
}

static bool is_additive(const struct flow *flow)
{
	return flow->function == PERUN_AGGREGATE_SUM || flow->function == PERUN_AGGREGATE_COUNT;
}

/* What is not there adds nothing; of other functions there is a gap. */
static void fill_gaps(const struct flow *flow, double *cells)
{
	const bool accumulate = perun_option_flag(flow->work.options, "accumulate");
	const size_t width = flow->work.by.count;

	if (!is_additive(flow))
		return;
	for (size_t k = 0; k < width; k++) {
		double sum = 0;

		for (size_t i = 0; i < flow->work.per.count; i++) {
			double *cell = &cells[i * width + k];

			*cell = isnan(*cell) ? 0 : *cell;
			sum += *cell;
			if (accumulate)
				*cell = sum;
		}
	}
}

static void add_series(struct views_chart_work *work, double *cells, struct views_chart *chart)
{
	const struct flow *flow = (const struct flow *)work;
	const bool stacked = perun_option_flag(flow->work.options, "stacked");
	const size_t width = flow->work.by.count;
	double *tops = perun_alloc_zero(flow->work.per.count + 1, sizeof *tops);

	chart->x.whole = is_whole(&flow->work.per);
	fill_gaps(flow, cells);
	for (size_t k = 0; k < width; k++) {
		struct views_series *series =
			views_chart_add(chart, flow->work.by.names[k],
					stacked ? VIEWS_BAND : VIEWS_LINE, (unsigned)k);

		series->solid = stacked;
		series->dashed = !stacked && k >= 8;
		for (size_t i = 0; i < flow->work.per.count; i++) {
			double value = cells[i * width + k], low = tops[i];

			if (stacked)
				tops[i] += isfinite(value) ? value : 0;
			views_series_add(series, flow->work.per.numbers[i],
					 stacked ? tops[i] : value, low);
		}
	}
	perun_free(tops);
}

static int draw(struct views_chart_work *work, const char *name, const struct perun_canvas *canvas)
{
	const struct flow *flow = (const struct flow *)work;
	const bool sums = is_additive(flow) && perun_option_flag(flow->work.options, "accumulate");
	const struct views_aggregates aggregates = {
		.function = flow->function,
		.parts = true,
		.relation = "through",
		.key = flow->key,
		.file = "flow.html",
		.subtitle = perun_format("%s · by %s%s", name, flow->by_key,
					 sums ? ", accumulated" : ""),
		.add = add_series};

	return views_aggregates_draw(work, &aggregates, canvas);
}

static int flow_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		     const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	static const struct views_chart_maker maker = {load, draw};
	struct flow flow = {0};

	(void)count;
	return views_show_chart(&maker, &flow.work, instance, ctx, profiles[0], names[0], canvas);
}

VIEW_PLUGIN(flow, "flow", "values through the snapshots of a run", flow_options,
	    .open = views_open_chart, VIEWS_CHART_OPS(flow_show));
