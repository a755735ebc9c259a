/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `flow`: a value of resources through the snapshots, or along another key with numbers. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-table.h"

static const struct perun_option flow_options[] = {
	{.name = "function",
	 .metavar = "FUNCTION",
	 .type = PERUN_OPTION_CHOICE,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .choices = "sum mean count nunique median min max",
	 .default_value = "sum",
	 .help = "how the values of one moment become one"},
	{.name = "of",
	 .aliases = "-o",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "whose values are aggregated (default: what is measured)"},
	{.name = "through",
	 .aliases = "-t",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "the key along the horizontal axis: its values are numbers (default: snapshots; "
		 "of one snapshot a parameter, sizes, order, or the only other one)"},
	{.name = "by",
	 .aliases = "-b",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .default_value = "uid",
	 .help = "a line of its own for each value of this key"},
	{.name = "stacked", .aliases = "-s", .help = "areas that stand on each other, not lines"},
	{.name = "accumulate",
	 .flags = PERUN_OPTION_NEGATABLE,
	 .default_value = "true",
	 .help = "add up what was before (sum and count)"},
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1000,
	 .default_value = "7",
	 .help = "not more lines than that: those of the largest sums, and one for the others"},
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct flow {
	const struct perun_options *options;
	struct views_table table;
	struct views_numbers of;
	struct views_categories through, by;
	const char *key; /* along the axis */
	enum perun_aggregate function;
};

static int flow_open(struct perun_ctx *ctx, const struct perun_options *options,
		     const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

/* The horizontal axis: what the user names, else what has several moments. */
static int load_through(struct flow *flow)
{
	struct perun_buffer known = {0};
	int status;

	flow->key = perun_option_string(flow->options, "through");
	if (!flow->key)
		flow->key = views_table_axis(&flow->table, "snapshots", flow->of.key);
	if (!flow->key) {
		views_table_add_axes(&flow->table, flow->of.key, &known);
		status = perun_fail(flow->table.ctx, PERUN_INPUT,
				    "the view flow shows values through several moments, and the "
				    "profile has one snapshot: choose with --through one of: %s; "
				    "the view bars shows one moment",
				    known.data);
		perun_buffer_free(&known);
		return status;
	}
	status = views_table_categories(&flow->table, flow->key, &flow->through);
	if (!status && !flow->through.numbers)
		status = perun_fail(
			flow->table.ctx, PERUN_INPUT,
			"the view flow needs numbers along its axis, and %s has others; choose "
			"another key with --through, or the view bars",
			flow->key);
	return status;
}

static int load(struct flow *flow)
{
	const char *of = perun_option_string(flow->options, "of");
	size_t limit = (size_t)perun_option_integer(flow->options, "limit");
	const double *weights = NULL;
	int status;

	flow->function = perun_aggregate_from_name(perun_option_string(flow->options, "function"));
	if (flow->function == PERUN_COUNT || flow->function == PERUN_NUNIQUE)
		status = views_table_codes(&flow->table, of, &flow->of);
	else
		status = views_table_numbers(&flow->table, of, &flow->of);
	if (!status)
		status = load_through(flow);
	if (!status)
		status = views_table_categories(
			&flow->table, perun_option_string(flow->options, "by"), &flow->by);
	if (flow->function != PERUN_COUNT && flow->function != PERUN_NUNIQUE)
		weights = flow->of.values;
	if (!status)
		views_categories_limit(&flow->by, weights, flow->table.count, limit);
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
	return flow->function == PERUN_SUM || flow->function == PERUN_COUNT;
}

/* What is not there adds nothing; of other functions there is a gap. */
static void fill_gaps(const struct flow *flow, double *cells)
{
	const bool accumulate = perun_option_flag(flow->options, "accumulate");
	const size_t width = flow->by.count;

	if (!is_additive(flow))
		return;
	for (size_t k = 0; k < width; k++) {
		double sum = 0;

		for (size_t i = 0; i < flow->through.count; i++) {
			double *cell = &cells[i * width + k];

			*cell = isnan(*cell) ? 0 : *cell;
			sum += *cell;
			if (accumulate)
				*cell = sum;
		}
	}
}

static void add_series(const struct flow *flow, const double *cells, struct views_chart *chart)
{
	const bool stacked = perun_option_flag(flow->options, "stacked");
	const size_t width = flow->by.count;
	double *tops = perun_alloc_zero(flow->through.count + 1, sizeof *tops);

	for (size_t k = 0; k < width; k++) {
		struct views_series *series = views_chart_add(
			chart, flow->by.names[k], stacked ? VIEWS_BAND : VIEWS_LINE, (unsigned)k);

		series->solid = stacked;
		series->dashed = !stacked && k >= 8;
		for (size_t i = 0; i < flow->through.count; i++) {
			double value = cells[i * width + k], low = tops[i];

			if (stacked)
				tops[i] += isfinite(value) ? value : 0;
			views_series_add(series, flow->through.numbers[i],
					 stacked ? tops[i] : value, low);
		}
	}
	perun_free(tops);
}

static int draw(const struct flow *flow, const char *name, const struct perun_canvas *canvas)
{
	const char *function = perun_aggregate_name(flow->function);
	const char *through = flow->key;
	const bool sums = is_additive(flow) && perun_option_flag(flow->options, "accumulate");
	double *cells = perun_alloc_zero(flow->through.count * flow->by.count + 1, sizeof *cells);
	char *title = perun_format("%s of %s through %s", function, flow->of.key, through);
	char *subtitle =
		perun_format("%s · by %s%s", name, perun_option_string(flow->options, "by"),
			     sums ? ", accumulated" : "");
	struct views_figure *figure = views_figure_new(title, subtitle);
	struct views_chart *chart = views_figure_add(figure, "", "");
	char *up = perun_format("%s of %s", function, flow->of.key);
	int status;

	views_axis_set(&chart->x, through, "");
	views_axis_set(&chart->y, up, flow->of.unit);
	chart->y.from_zero = true;
	chart->x.whole = is_whole(&flow->through);
	chart->y.whole = flow->function == PERUN_COUNT || flow->function == PERUN_NUNIQUE;
	views_aggregate(&flow->table, flow->of.values, &flow->through, &flow->by, flow->function,
			cells);
	fill_gaps(flow, cells);
	add_series(flow, cells, chart);
	status = views_figure_write(flow->table.ctx, figure, flow->options, canvas);
	views_figure_free(figure);
	perun_free(cells);
	perun_free(title);
	perun_free(subtitle);
	perun_free(up);
	return status;
}

static int flow_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		     const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	struct flow flow = {.options = instance};
	int status = views_table_open(ctx, profiles[0], flow.options, &flow.table);

	(void)count;
	if (!status)
		status = load(&flow);
	if (status)
		status = perun_fail(ctx, PERUN_OK, "%s", names[0]);
	else
		status = draw(&flow, names[0], canvas);
	views_numbers_clear(&flow.of);
	views_categories_clear(&flow.through);
	views_categories_clear(&flow.by);
	views_table_close(&flow.table);
	return status;
}

static const struct perun_view_ops flow_ops = {
	.open = flow_open,
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	.minimum = 1,
	.maximum = 1,
	.show = flow_show,
};

PERUN_PLUGIN(view, flow) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "flow", "values through the snapshots of a run"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(flow_options),
	PERUN_PLUGIN_OPS(flow_ops),
};
