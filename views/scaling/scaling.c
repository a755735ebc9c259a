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
	 .help = "how sure the band around a curve is to hold a new measurement, beyond what was "
		 "measured the true value; 0 for no band"},
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 64,
	 .default_value = "6",
	 .help = "at most N call paths in the chart"},
	{.name = "chart",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "curves map surface dominant fit residuals",
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "what is drawn (default: curves and, with two parameters, map and dominant, in a "
		 "page surface, too)"},
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

/* A page has that many metrics to choose from. */
enum { MAX_METRICS = 32 };

/* What is put together: a figure, the tree below it, and for a page the models of its script. */
struct picture {
	struct views_figure *figure;
	struct views_list list;
	struct perun_buffer body, data;
};

static char *title_of(const struct scaling *scaling)
{
	const char *metric = scaling->experiment->metrics[scaling->metric];

	return perun_format("%s by %s", *metric ? metric : "cost",
			    scaling->experiment->parameter_names[scaling->parameter]);
}

static void start(struct picture *picture, const struct scaling *scaling, const char *name)
{
	struct perun_buffer at = {0};
	char *title = title_of(scaling), *subtitle;

	scaling_add_at(scaling, &at);
	subtitle = perun_format("%s · %zu call path%s, %zu points · predicted at %s", name,
				scaling->count, scaling->count == 1 ? "" : "s",
				scaling->experiment->points, at.data);
	picture->figure = views_figure_new(title, subtitle);
	perun_buffer_free(&at);
	perun_free(subtitle);
	perun_free(title);
}

static int finish(struct picture *picture, const struct scaling *scaling,
		  const struct perun_canvas *canvas)
{
	int status;

	if (!picture->figure->chart_count)
		status = perun_fail(scaling->ctx, PERUN_USAGE,
				    "--chart: map, surface and dominant need two parameters, "
				    "dominant also two call paths");
	else
		status =
			views_figure_write(scaling->ctx, picture->figure, scaling->options, canvas);
	views_figure_free(picture->figure);
	views_list_clear(&picture->list);
	perun_buffer_free(&picture->body);
	perun_buffer_free(&picture->data);
	return status;
}

/* Charts and rows of the metric that is shown, and for a page its models. */
static void add_metric(struct picture *picture, const struct scaling *scaling, bool several)
{
	const bool tree = !perun_option_flag(scaling->options, "no-tree");
	struct scaling_parts parts = {.row = picture->list.count};

	if (scaling->before)
		scaling_draw_comparison(scaling, picture->figure, &parts);
	else
		scaling_draw(scaling, picture->figure, &parts);
	if (tree && several)
		views_list_add(&picture->list, scaling->experiment->metrics[scaling->metric], 0);
	if (tree && scaling->before)
		scaling_list_comparison(scaling, &picture->list);
	else if (tree)
		scaling_list(scaling, &picture->list);
	parts.rows = picture->list.count - parts.row;
	if (picture->data.length)
		scaling_page_metric(scaling, &parts, &picture->data);
}

/* A page whose script moves the curves has all metrics that the call paths asked for have. */
static void add_metrics(struct picture *picture, struct scaling *scaling)
{
	const uint32_t first = scaling->metric;
	const size_t count = scaling->experiment->metric_count;
	const bool several = count > 1;
	size_t added = 1, left = 0;

	scaling_page_start(scaling, &picture->data);
	add_metric(picture, scaling, several);
	for (uint32_t m = 0; m < count; m++) {
		if (m == first)
			continue;
		if (added == MAX_METRICS) {
			left++;
			continue;
		}
		if (scaling_select(scaling, m)) {
			perun_ctx_clear(scaling->ctx);
			continue;
		}
		perun_buffer_add_text(&picture->data, ",\n");
		add_metric(picture, scaling, several);
		added++;
	}
	perun_buffer_printf(&picture->data, "], \"left\": %zu}", left);
	perun_buffer_add_text(&picture->body, "<div id=\"sliders\" hidden></div>");
	picture->figure->page_body = &picture->body;
	picture->figure->page_data = &picture->data;
	picture->figure->page_script = scaling_page_js;
	picture->figure->page_script_size = scaling_page_js_size;
}

static int draw(struct scaling *scaling, const char *name, const struct perun_canvas *canvas)
{
	struct picture picture = {.list = {.count = 0}};

	start(&picture, scaling, name);
	if (scaling->form == PERUN_FORM_HTML && scaling_wants(scaling, "curves"))
		add_metrics(&picture, scaling);
	else
		add_metric(&picture, scaling, false);
	if (!perun_option_flag(scaling->options, "no-tree"))
		picture.figure->list = &picture.list;
	return finish(&picture, scaling, canvas);
}

static int scaling_show(void *instance, struct perun_ctx *ctx,
			struct perun_profile *const *profiles, const char *const *names,
			size_t count, const struct perun_canvas *canvas)
{
	const enum perun_form form = views_figure_form(instance, canvas);
	struct scaling both[2] = {{.ctx = ctx, .options = instance, .form = form},
				  {.ctx = ctx, .options = instance, .form = form}};
	char *name = perun_format(count == 2 ? "%s \u2192 %s" : "%s", names[0], names[count - 1]);
	int status = PERUN_OK;

	both[0].is_before = count == 2;
	for (size_t i = 0; i < count && !status; i++) {
		status = scaling_load(&both[i], profiles[i]);
		if (status)
			status = perun_fail(ctx, PERUN_OK, "%s", names[i]);
	}
	if (!status && count == 2)
		status = scaling_match(&both[0], &both[1]);
	if (!status)
		status = draw(&both[count - 1], name, canvas);
	perun_free(name);
	for (size_t i = 0; i < 2; i++)
		scaling_free(&both[i]);
	return status;
}

VIEW_PLUGIN(scaling, "scaling", "how costs grow with the parameters of an experiment",
	    scaling_options, .open = scaling_open,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	    .minimum = 1, .maximum = 2, .show = scaling_show);
