/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `box`: quartiles, whiskers and outliers of repeated measurements. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-draw.h"
#include "views/common/chart-spread.h"
#include "views/common/chart-view.h"
#include "views/common/plugin.h"

static const struct perun_option box_options[] = {
	VIEWS_KEY_OPTION("of", "-o", "whose values are shown (default: what is measured)"),
	VIEWS_KEY_OPTION(
		"by", "-b",
		"a box for each value of this key (default: subtype if there are several, else "
		"uid)"),
	{.name = "as-recorded",
	 .help = "keep the order of the profile (default: the largest sums first)"},
	VIEWS_LIMIT_OPTION("20", "at most N boxes: those of the largest sums"),
	{.name = "log", .help = "a logarithmic axis"},
	VIEWS_TABLE_OPTIONS,
	VIEWS_FIGURE_OPTIONS,
	{0}};

struct box {
	struct views_chart_work work;
	const char *by_key;
};

/* Several points joined by lines, and a gap after them. */
static void add_path(struct views_series *line, const double (*points)[2], size_t count)
{
	for (size_t i = 0; i < count; i++)
		views_series_add(line, points[i][0], points[i][1], NAN);
	views_series_add(line, NAN, NAN, NAN);
}

enum { FILLS, LINES, POINTS };

static void add_box(struct views_chart *chart, const struct views_spread *spread, double y,
		    unsigned fill)
{
	const double *q = spread->quartiles;
	const double least = spread->values[spread->first];
	const double greatest = spread->values[spread->end - 1];
	const double outline[][2] = {{q[1], y - 0.3},
				     {q[3], y - 0.3},
				     {q[3], y + 0.3},
				     {q[1], y + 0.3},
				     {q[1], y - 0.3}};
	const double parts[][2][2] = {{{q[2], y - 0.3}, {q[2], y + 0.3}},
				      {{least, y}, {q[1], y}},
				      {{q[3], y}, {greatest, y}},
				      {{least, y - 0.12}, {least, y + 0.12}},
				      {{greatest, y - 0.12}, {greatest, y + 0.12}}};
	struct views_series *band = &chart->series[fill];

	views_series_add(band, q[1], y + 0.3, y - 0.3);
	views_series_add(band, q[3], y + 0.3, y - 0.3);
	views_series_add(band, NAN, NAN, NAN);
	add_path(&chart->series[LINES], outline, 5);
	for (int i = 0; i < 5; i++)
		add_path(&chart->series[LINES], parts[i], 2);
	for (size_t i = 0; i < spread->count; i++) {
		if (i < spread->first || i >= spread->end)
			views_series_add(&chart->series[POINTS], spread->values[i], y, NAN);
	}
}

static void add_row(const struct box *box, const struct views_spread *spread, const char *name,
		    struct views_list *list)
{
	const struct views_scale scale = {.unit = perun_unit_of(box->work.of.unit)};
	struct views_list_row *row = views_list_add(list, name, 0);
	struct perun_buffer text = {0};

	views_scale_add_value(&scale, spread->quartiles[2], &text);
	row->columns[0] = perun_buffer_take(&text);
	views_scale_add_value(&scale, spread->quartiles[1], &text);
	perun_buffer_add_text(&text, " to ");
	views_scale_add_value(&scale, spread->quartiles[3], &text);
	row->columns[1] = perun_buffer_take(&text);
	perun_buffer_printf(&text, "%zu value%s", spread->count, spread->count == 1 ? "" : "s");
	if (spread->first || spread->end < spread->count)
		perun_buffer_add_text(&text, ", ");
	views_spread_add_outliers(&box->work.table, spread, box->work.of.unit, &text);
	row->columns[VIEWS_LIST_WORDS] = perun_buffer_take(&text);
}

static int draw(struct views_chart_work *work, const char *name, const struct perun_canvas *canvas)
{
	struct box *box = (struct box *)work;
	struct views_list list = {.titles = {box->by_key, "median", "quartiles", NULL, "values"}};
	char *title = perun_format("%s by %s", box->work.of.title, box->by_key);
	struct views_figure *figure = views_figure_new(title, name);
	struct views_chart *chart = views_figure_add(figure, "", "");
	int status;

	views_axis_set(&chart->x, box->work.of.title, box->work.of.unit);
	chart->x.log_base = perun_option_flag(box->work.options, "log") ? 10 : 0;
	chart->x.margin = 0.03;
	views_chart_add(chart, "", VIEWS_BAND, 0);
	views_chart_add(chart, "", VIEWS_LINE, 0);
	views_chart_add(chart, "", VIEWS_POINTS, 1);
	/* The first one above. */
	for (size_t i = box->work.by.count; i-- > 0;)
		views_axis_add_category(&chart->y, box->work.by.names[i]);
	for (size_t i = 0; i < box->work.by.count; i++) {
		struct views_spread spread;

		views_spread_of(&box->work.table, box->work.of.values, &box->work.by, i, &spread);
		if (spread.count) {
			add_box(chart, &spread, (double)(box->work.by.count - 1 - i), FILLS);
			add_row(box, &spread, box->work.by.names[i], &list);
		}
		views_spread_clear(&spread);
	}
	figure->list = &list;
	status = views_figure_write(box->work.table.ctx, figure, box->work.options, canvas);
	views_figure_free(figure);
	views_list_clear(&list);
	perun_free(title);
	return status;
}

static int load(struct views_chart_work *work)
{
	struct box *box = (struct box *)work;
	size_t limit = (size_t)perun_option_integer(box->work.options, "limit");
	int status = views_table_numbers(
		&box->work.table, perun_option_string(box->work.options, "of"), &box->work.of);

	if (status)
		return status;
	box->by_key = perun_option_string(box->work.options, "by");
	if (!box->by_key)
		box->by_key = views_table_default_group(&box->work.table);
	status = views_table_categories(&box->work.table, box->by_key, &box->work.by);
	if (!status &&
	    (!perun_option_flag(box->work.options, "as-recorded") || box->work.by.count > limit))
		views_categories_limit(&box->work.by, box->work.of.values, box->work.table.count,
				       limit);
	return status;
}

static int box_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		    const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	static const struct views_chart_maker maker = {load, draw};
	struct box box = {0};

	(void)count;
	return views_show_chart(&maker, &box.work, instance, ctx, profiles[0], names[0], canvas);
}

VIEW_PLUGIN(box, "box", "quartiles and outliers of repeated measurements", box_options,
	    .open = views_open_chart, VIEWS_CHART_OPS(box_show));
