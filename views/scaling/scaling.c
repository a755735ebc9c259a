/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scaling`: how the costs of call paths grow with the parameters of an experiment. */
#include <config.h>

#include "scaling.h"
#include "views/common/modeler.h"
#include "views/common/plugin.h"

const struct perun_option scaling_options[] = {
	{.name = "callpath",
	 .aliases = "-c",
	 .metavar = "REGEX",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "only call paths that match one of these (default: the costliest at --at)"},
	{.name = "metric",
	 .aliases = "-m",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "what is measured: one of the experiment's metrics (default: the first)"},
	{.name = "parameter",
	 .aliases = "-p",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the parameter along the horizontal axis (default: the first)"},
	{.name = "at",
	 .metavar = "NAME=VALUE",
	 .type = PERUN_OPTION_LIST,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "where costs are predicted (default: the largest values measured, four times "
		 "that for the parameter of the axis)"},
	{.name = "level",
	 .metavar = "PERCENT",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 99.9999,
	 .default_value = "95",
	 .help = "how sure the band around a curve is to hold a new measurement, 0 for no band"},
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 64,
	 .default_value = "6",
	 .help = "not more call paths in the chart than that"},
	{.name = "chart",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "curves map dominant fit residuals",
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "what is drawn (default: curves and, with two parameters, map and dominant)"},
	VIEWS_MEASURE_OPTION,
	VIEWS_MODELER_OPTION(NULL),
	VIEWS_MODELER_SETTING_OPTION("an option of the modeler"),
	{.name = "axes",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "auto linear log",
	 .default_value = "auto",
	 .help = "whether the axes are logarithmic"},
	{.name = "allow-missing", .help = "also call paths that were not measured at every point"},
	{.name = "rows",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6,
	 .default_value = "100",
	 .help = "at most N call paths in the tree, the costliest, with those above; 0 for all"},
	{.name = "no-tree", .help = "leave the call tree with predicted shares out"},
	VIEWS_FIGURE_OPTIONS,
	{0}};

static int scaling_open(struct perun_ctx *ctx, const struct perun_options *options,
			const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

static int draw(struct scaling *scaling, const char *name, const struct perun_canvas *canvas)
{
	const char *metric = scaling->experiment->metrics[scaling->metric];
	struct perun_buffer at = {0}, body = {0}, data = {0};
	char *title = perun_format("%s by %s", *metric ? metric : "cost",
				   scaling->experiment->parameter_names[scaling->parameter]);
	struct views_figure *figure;
	struct views_list list = {.count = 0};
	char *subtitle;
	int status;

	scaling_add_at(scaling, &at);
	subtitle = perun_format("%s · %zu call paths, %zu points · predicted at %s", name,
				scaling->count, scaling->experiment->points, at.data);
	figure = views_figure_new(title, subtitle);
	scaling_draw(scaling, figure);
	if (!figure->chart_count) {
		views_figure_free(figure);
		perun_buffer_free(&at);
		perun_free(title);
		perun_free(subtitle);
		return perun_fail(scaling->ctx, PERUN_USAGE,
				  "--chart: map and dominant need two parameters, dominant also two "
				  "call paths");
	}
	if (!perun_option_flag(scaling->options, "no-tree")) {
		scaling_list(scaling, &list);
		figure->list = &list;
	}
	/* The script moves the curves. */
	if (scaling_wants(scaling, "curves")) {
		scaling_page(scaling, &body, &data);
		figure->page_body = &body;
		figure->page_data = &data;
		figure->page_script = scaling_page_js;
		figure->page_script_size = scaling_page_js_size;
	}
	status = views_figure_write(scaling->ctx, figure, scaling->options, canvas);
	views_figure_free(figure);
	views_list_clear(&list);
	perun_buffer_free(&at);
	perun_buffer_free(&body);
	perun_buffer_free(&data);
	perun_free(title);
	perun_free(subtitle);
	return status;
}

static int scaling_show(void *instance, struct perun_ctx *ctx,
			struct perun_profile *const *profiles, const char *const *names,
			size_t count, const struct perun_canvas *canvas)
{
	struct scaling scaling = {.ctx = ctx, .options = instance};
	int status = scaling_load(&scaling, profiles[0]);

	(void)count;
	if (status)
		status = perun_fail(ctx, PERUN_OK, "%s", names[0]);
	else
		status = draw(&scaling, names[0], canvas);
	scaling_free(&scaling);
	return status;
}

VIEW_PLUGIN(scaling, "scaling", "how costs grow with the parameters of an experiment",
	    scaling_options, .open = scaling_open,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	    .minimum = 1, .maximum = 1, .show = scaling_show);
