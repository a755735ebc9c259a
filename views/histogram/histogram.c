/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `histogram`: how often which values were measured, and their density. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-draw.h"
#include "views/common/chart-spread.h"
#include "views/common/chart-view.h"
#include "views/common/plugin.h"

enum { DENSITY = 240, MAX_EXACT = 20000 };

static const struct perun_option histogram_options[] = {
	VIEWS_KEY_OPTION("of", "-o", "whose values are counted (default: what is measured)"),
	VIEWS_KEY_OPTION(
		"by", "-b",
		"a chart for each value of this key (default: subtype if there are several, else "
		"uid)"),
	{.name = "bins",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 2000,
	 .help = "how many bars (default: by the rules of Sturges and of Freedman and Diaconis)"},
	VIEWS_LIMIT_OPTION("6", "at most N charts: those of the largest sums"),
	{.name = "no-density", .help = "without the curve of the kernel density"},
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct histogram {
	struct views_chart_work work;
	const char *by_key;
};

/* Bins of equal width over the values; the last one includes its end. Returns their width. */
static double add_bins(const struct histogram *histogram, const struct views_spread *spread,
		       struct views_chart *chart)
{
	const double low = spread->quartiles[0], high = spread->quartiles[4];
	size_t bins = (size_t)perun_option_integer(histogram->work.options, "bins"), *counts;
	struct views_series *bars = views_chart_add(chart, "values", VIEWS_BARS, 0);
	double width, start = low;

	bins = bins ? bins : views_spread_bins(spread);
	width = (high - low) / (double)bins;
	if (!(width > 0)) {
		/* All are equal: one bar around them. */
		width = (low == 0 ? 1 : fabs(low) / 10) / (double)bins;
		start = low - width * (double)bins / 2;
		chart->x.margin = 2;
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
	/* Not finer than the bars: far outliers make these wide. */
	const double bandwidth = fmax(views_spread_bandwidth(spread), width / 2);
	const double low = spread->quartiles[0] - 2 * bandwidth;
	const double high = spread->quartiles[4] + 2 * bandwidth;
	struct views_series *line;

	if (!(spread->quartiles[4] > spread->quartiles[0]) || spread->count < 5 ||
	    spread->count > MAX_EXACT)
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
	const struct views_scale scale = {.unit = perun_unit_of(histogram->work.of.unit)};
	struct perun_buffer note = {0}, median = {0};
	struct views_chart *chart;

	perun_buffer_printf(&note, "%zu value%s", spread->count, spread->count == 1 ? "" : "s");
	if (spread->first || spread->end < spread->count)
		perun_buffer_add_text(&note, ", ");
	views_spread_add_outliers(&histogram->work.table, spread, histogram->work.of.unit, &note);
	chart = views_figure_add(figure, name, note.data);
	views_axis_set(&chart->x, histogram->work.of.title, histogram->work.of.unit);
	views_axis_set(&chart->y, "resources", "");
	chart->y.from_zero = chart->y.whole = true;
	chart->x.margin = 0.02;
	chart->y.margin = 0.12; /* for the word of the median */
	if (perun_option_flag(histogram->work.options, "no-density"))
		add_bins(histogram, spread, chart);
	else
		add_density(spread, add_bins(histogram, spread, chart), chart);
	perun_buffer_add_text(&median, "median ");
	views_scale_add_value(&scale, spread->quartiles[2], &median);
	views_chart_add_rule(chart, false, spread->quartiles[2], median.data);
	perun_buffer_free(&note);
	perun_buffer_free(&median);
}

static int load(struct views_chart_work *work)
{
	struct histogram *histogram = (struct histogram *)work;
	size_t limit = (size_t)perun_option_integer(histogram->work.options, "limit");
	const char *of = perun_option_string(histogram->work.options, "of");
	int status = views_table_numbers(&histogram->work.table, of, &histogram->work.of);

	if (status)
		return status;
	histogram->by_key = perun_option_string(histogram->work.options, "by");
	if (!histogram->by_key)
		histogram->by_key = views_table_default_group(&histogram->work.table);
	status = views_table_categories(&histogram->work.table, histogram->by_key,
					&histogram->work.by);
	if (!status)
		views_categories_limit(&histogram->work.by, histogram->work.of.values,
				       histogram->work.table.count, limit);
	return status;
}

static int draw(struct views_chart_work *work, const char *name, const struct perun_canvas *canvas)
{
	struct histogram *histogram = (struct histogram *)work;
	char *title = perun_format("%s by %s", histogram->work.of.title, histogram->by_key);
	struct views_figure *figure = views_figure_new(title, name);
	int status = PERUN_OK;

	for (size_t i = 0; i < histogram->work.by.count; i++) {
		struct views_spread spread;

		views_spread_of(&histogram->work.table, histogram->work.of.values,
				&histogram->work.by, i, &spread);
		if (spread.count)
			add_chart(histogram, &spread, histogram->work.by.names[i], figure);
		views_spread_clear(&spread);
	}
	if (!figure->chart_count)
		status = perun_fail(histogram->work.table.ctx, PERUN_INPUT, "%s: no values of %s",
				    name, histogram->work.of.key);
	if (!status)
		status = views_figure_write(histogram->work.table.ctx, figure,
					    histogram->work.options, canvas);
	views_figure_free(figure);
	perun_free(title);
	return status;
}

static int histogram_show(void *instance, struct perun_ctx *ctx,
			  struct perun_profile *const *profiles, const char *const *names,
			  size_t count, const struct perun_canvas *canvas)
{
	static const struct views_chart_maker maker = {load, draw};
	struct histogram histogram = {0};

	(void)count;
	return views_show_chart(&maker, &histogram.work, instance, ctx, profiles[0], names[0],
				canvas);
}

VIEW_PLUGIN(histogram, "histogram", "how often which values were measured", histogram_options,
	    .open = views_open_chart, VIEWS_CHART_OPS(histogram_show));
