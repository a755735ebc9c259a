/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `histogram`: how often which values were measured, and their density. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-draw.h"
#include "views/common/chart-spread.h"

enum { DENSITY = 240, MOST_EXACT = 20000 };

static const struct perun_option histogram_options[] = {
	{.name = "of",
	 .aliases = "-o",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "whose values are counted (default: what is measured)"},
	{.name = "by",
	 .aliases = "-b",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_STRING,
	 .help = "a chart for each value of this key (default: subtype if there are several, else "
		 "uid)"},
	{.name = "bins",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 2000,
	 .help = "how many bars (default: by the rules of Sturges and of Freedman and Diaconis)"},
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1000,
	 .default_value = "6",
	 .help = "not more charts than that: those of the largest sums"},
	{.name = "no-density", .help = "without the curve of the kernel density"},
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct histogram {
	const struct perun_options *options;
	struct views_table table;
	struct views_numbers of;
	struct views_categories by;
	const char *by_key;
};

static int histogram_open(struct perun_ctx *ctx, const struct perun_options *options,
			  const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

/* Bins of equal width over the values; the last one includes its end. Returns their width. */
static double add_bins(const struct histogram *histogram, const struct views_spread *spread,
		       struct views_chart *chart)
{
	const double low = spread->quartiles[0], high = spread->quartiles[4];
	size_t bins = (size_t)perun_option_integer(histogram->options, "bins"), *counts;
	struct views_series *bars = views_chart_add(chart, "values", VIEWS_BARS, 0);
	double width, start = low;

	bins = bins ? bins : views_spread_bins(spread);
	width = (high - low) / (double)bins;
	if (!(width > 0)) {
		/* All are equal: one bar around them. */
		width = (low == 0 ? 1 : fabs(low) / 10) / (double)bins;
		start = low - width * (double)bins / 2;
	}
	bars->left = -width / 2;
	bars->right = width / 2;
	counts = perun_alloc_zero(bins, sizeof *counts);
	for (size_t i = 0; i < spread->count; i++) {
		double place = (spread->values[i] - start) / width;
		size_t bin = place > 0 ? (size_t)place : 0;

		counts[bin < bins ? bin : bins - 1]++;
	}
	for (size_t i = 0; i < bins; i++)
		views_series_add(bars, start + width * ((double)i + 0.5), (double)counts[i], 0);
	perun_free(counts);
	return width;
}

/* The density times the area of all bars, so that both have the same height. */
static void add_density(const struct views_spread *spread, double width, struct views_chart *chart)
{
	const double bandwidth = views_spread_bandwidth(spread);
	const double low = spread->quartiles[0] - 2 * bandwidth;
	const double high = spread->quartiles[4] + 2 * bandwidth;
	struct views_series *line;

	if (!(bandwidth > 0) || spread->count < 5 || spread->count > MOST_EXACT)
		return;
	line = views_chart_add(chart, "kernel density", VIEWS_LINE, 1);
	for (int i = 0; i <= DENSITY; i++) {
		double x = low + (high - low) * i / DENSITY;
		double y = views_spread_density(spread, bandwidth, x);

		views_series_add(line, x, y * (double)spread->count * width, NAN);
	}
}

static void add_chart(const struct histogram *histogram, const struct views_spread *spread,
		      const char *name, struct views_figure *figure)
{
	const struct views_scale scale = {.unit = views_unit_of(histogram->of.unit)};
	struct perun_buffer note = {0}, median = {0};
	struct views_chart *chart;

	perun_buffer_printf(&note, "%zu value%s", spread->count, spread->count == 1 ? "" : "s");
	if (spread->first || spread->end < spread->count)
		perun_buffer_add_text(&note, ", ");
	views_spread_add_outliers(&histogram->table, spread, histogram->of.unit, &note);
	chart = views_figure_add(figure, name, note.data);
	views_axis_set(&chart->x, histogram->of.key, histogram->of.unit);
	views_axis_set(&chart->y, "resources", "");
	chart->y.from_zero = chart->y.whole = true;
	chart->x.margin = 0.02;
	if (perun_option_flag(histogram->options, "no-density"))
		add_bins(histogram, spread, chart);
	else
		add_density(spread, add_bins(histogram, spread, chart), chart);
	perun_buffer_add_text(&median, "median ");
	views_scale_add_value(&scale, spread->quartiles[2], &median);
	views_chart_add_rule(chart, false, spread->quartiles[2], median.data);
	perun_buffer_free(&note);
	perun_buffer_free(&median);
}

static int load(struct histogram *histogram)
{
	size_t limit = (size_t)perun_option_integer(histogram->options, "limit");
	const char *of = perun_option_string(histogram->options, "of");
	int status = views_table_numbers(&histogram->table, of, &histogram->of);

	if (status)
		return status;
	histogram->by_key = perun_option_string(histogram->options, "by");
	if (!histogram->by_key)
		histogram->by_key = views_table_default_group(&histogram->table);
	status = views_table_categories(&histogram->table, histogram->by_key, &histogram->by);
	if (!status)
		views_categories_limit(&histogram->by, histogram->of.values, histogram->table.count,
				       limit);
	return status;
}

static int draw(const struct histogram *histogram, const char *name,
		const struct perun_canvas *canvas)
{
	char *title = perun_format("%s by %s", histogram->of.key, histogram->by_key);
	struct views_figure *figure = views_figure_new(title, name);
	int status = PERUN_OK;

	for (size_t i = 0; i < histogram->by.count; i++) {
		struct views_spread spread;

		views_spread_of(&histogram->table, histogram->of.values, &histogram->by, i,
				&spread);
		if (spread.count)
			add_chart(histogram, &spread, histogram->by.names[i], figure);
		views_spread_clear(&spread);
	}
	if (!figure->chart_count)
		status = perun_fail(histogram->table.ctx, PERUN_INPUT, "%s: no values of %s", name,
				    histogram->of.key);
	if (!status)
		status = views_figure_write(histogram->table.ctx, figure, histogram->options,
					    canvas);
	views_figure_free(figure);
	perun_free(title);
	return status;
}

static int histogram_show(void *instance, struct perun_ctx *ctx,
			  struct perun_profile *const *profiles, const char *const *names,
			  size_t count, const struct perun_canvas *canvas)
{
	struct histogram histogram = {.options = instance};
	int status = views_table_open(ctx, profiles[0], histogram.options, &histogram.table);

	(void)count;
	if (!status)
		status = load(&histogram);
	if (status)
		status = perun_fail(ctx, PERUN_OK, "%s", names[0]);
	else
		status = draw(&histogram, names[0], canvas);
	views_numbers_clear(&histogram.of);
	views_categories_clear(&histogram.by);
	views_table_close(&histogram.table);
	return status;
}

static const struct perun_view_ops histogram_ops = {
	.open = histogram_open,
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	.minimum = 1,
	.maximum = 1,
	.show = histogram_show,
};

PERUN_PLUGIN(view, histogram) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "histogram", "how often which values were measured"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(histogram_options),
	PERUN_PLUGIN_OPS(histogram_ops),
};
