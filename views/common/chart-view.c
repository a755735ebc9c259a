/* SPDX-License-Identifier: BSD-3-Clause */
/* What the views share that draw charts of the resources of one profile. */
#include <config.h>

#include "views/common/chart-view.h"

int views_open_chart(struct perun_ctx *ctx, const struct perun_options *options,
		     const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

int views_show_chart(const struct views_chart_maker *maker, struct views_chart_work *work,
		     void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
		     const char *name, const struct perun_canvas *canvas)
{
	char *called = NULL;
	int status;

	work->options = instance;
	status = views_table_open(ctx, profile, work->options, &work->table);
	if (!status && !work->all_metrics)
		status = views_table_one_metric(&work->table, work->options);
	if (!status)
		status = maker->load(work);
	if (!status && work->table.other_metrics)
		called = perun_format(
			"%s \u00b7 also measured: %s (--by metric, --where \"metric = ...\")", name,
			work->table.other_metrics);
	if (status)
		status = perun_fail(ctx, PERUN_OK, "%s", name);
	else
		status = maker->draw(work, called ? called : name, canvas);
	perun_free(called);
	views_numbers_clear(&work->of);
	views_numbers_clear(&work->along);
	views_categories_clear(&work->by);
	views_categories_clear(&work->per);
	views_table_close(&work->table);
	return status;
}

/* ---- values of several rows as one ------------------------------------------------------------- */

static bool is_counted(enum perun_aggregate function)
{
	return function == PERUN_AGGREGATE_COUNT || function == PERUN_AGGREGATE_NUNIQUE;
}

int views_aggregates_load(struct views_chart_work *work, enum perun_aggregate function)
{
	const char *of = perun_option_string(work->options, "of");

	return is_counted(function) ? views_table_codes(&work->table, of, &work->of)
				    : views_table_numbers(&work->table, of, &work->of);
}

const double *views_aggregates_weights(const struct views_chart_work *work,
				       enum perun_aggregate function)
{
	return is_counted(function) ? NULL : work->of.values;
}

int views_aggregates_draw(struct views_chart_work *work, const struct views_aggregates *aggregates,
			  const struct perun_canvas *canvas)
{
	const struct views_categories *by = aggregates->parts ? &work->by : NULL;
	const char *function = perun_aggregate_name(aggregates->function);
	double *cells = perun_alloc_zero(work->per.count * (by ? by->count : 1) + 1, sizeof *cells);
	char *title = perun_format("%s of %s %s %s", function, work->of.title, aggregates->relation,
				   aggregates->key);
	struct views_figure *figure = views_figure_new(title, aggregates->subtitle);
	struct views_chart *chart = views_figure_add(figure, "", "");
	char *up = perun_format("%s of %s", function, work->of.title);
	int status;

	figure->file = aggregates->file;
	views_axis_set(&chart->x, aggregates->key, "");
	views_axis_set(&chart->y, up, work->of.unit);
	chart->y.from_zero = true;
	chart->y.whole = is_counted(aggregates->function);
	views_aggregate(&work->table, work->of.values, &work->per, by, aggregates->function, cells);
	aggregates->add(work, cells, chart);
	status = views_figure_write(work->table.ctx, figure, work->options, canvas);
	views_figure_free(figure);
	perun_free(cells);
	perun_free(title);
	perun_free(aggregates->subtitle);
	perun_free(up);
	return status;
}
