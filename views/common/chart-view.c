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
