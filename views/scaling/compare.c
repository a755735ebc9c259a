/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `scaling`: two experiments side by side. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-draw.h"

#include "scaling.h"

/* ---- what is compared ------------------------------------------------------------------------ */

static int match_parameters(const struct scaling *before, const struct scaling *after)
{
	const struct perun_experiment *one = before->experiment, *other = after->experiment;
	bool same = one->parameters == other->parameters;

	for (size_t p = 0; same && p < one->parameters; p++)
		same = strcmp(one->parameter_names[p], other->parameter_names[p]) == 0;
	if (same)
		return PERUN_OK;
	return perun_fail(
		after->ctx, PERUN_USAGE,
		"the experiments have different parameters: %zu of them, the first is %s, "
		"against %zu, the first is %s",
		one->parameters, one->parameter_names[0], other->parameters,
		other->parameter_names[0]);
}

int scaling_match(struct scaling *before, struct scaling *after)
{
	int status = match_parameters(before, after);

	if (status)
		return status;
	for (size_t p = 0; p < after->experiment->parameters; p++) {
		before->at[p] = after->at[p];
		before->low[p] = after->low[p] = fmin(before->low[p], after->low[p]);
		before->high[p] = after->high[p] = fmax(before->high[p], after->high[p]);
	}
	after->before = before;
	return scaling_select(after, after->metric);
}

/* ---- charts ---------------------------------------------------------------------------------- */

static void draw_curves(const struct scaling *before, const struct scaling *after,
			struct views_figure *figure)
{
	char *note = scaling_others(after);
	struct views_chart *chart = views_figure_add(figure, "", note);

	for (size_t k = 0; k < after->chosen_count; k++) {
		const size_t i = after->chosen[k];
		const char *name = scaling_name(after, i);
		const size_t other = scaling_find(before, name);
		/* On a terminal only marks distinguish them. */
		const unsigned color =
			after->form == PERUN_FORM_TERMINAL ? 2 * (unsigned)k : (unsigned)k;
		const unsigned old_color = after->form == PERUN_FORM_TERMINAL ? color + 1 : color;

		if (other != SIZE_MAX) {
			char *old = perun_format("%s before", name);

			scaling_add_curve(before, other, old, old_color, true, chart);
			scaling_add_points(before, other, old, old_color, chart);
			perun_free(old);
		}
		scaling_add_curve(after, i, name, color, false, chart);
		scaling_add_points(after, i, name, color, chart);
	}
	scaling_finish_curves(after, chart);
	perun_free(note);
}

struct ratio {
	const struct scaling *before, *after;
	size_t was, is;
};

static double find_ratio(const double *at, void *data)
{
	const struct ratio *ratio = data;
	double was = scaling_predicted(ratio->before, ratio->was, at);
	double is = scaling_predicted(ratio->after, ratio->is, at);

	return was > 0 && is > 0 ? is / was : NAN;
}

/* How many times as much the first call path costs over two parameters. */
static void draw_map(const struct scaling *before, const struct scaling *after,
		     struct views_figure *figure)
{
	const struct perun_experiment *experiment = after->experiment;
	const size_t other = after->parameter == 0;
	const char *name = scaling_name(after, after->chosen[0]);
	struct ratio ratio = {before, after, scaling_find(before, name), after->chosen[0]};
	struct views_chart *chart;

	if (ratio.was == SIZE_MAX)
		return;
	chart = views_figure_add(figure, name,
				 "how many times as much as before the models predict");
	views_axis_set(&chart->x, experiment->parameter_names[after->parameter], "");
	views_axis_set(&chart->y, experiment->parameter_names[other], "");
	chart->x.log_base = scaling_base(after, after->parameter);
	chart->y.log_base = scaling_base(after, other);
	scaling_fill_map(
		after, other, find_ratio, &ratio,
		views_chart_add_heat(chart, SCALING_COLUMNS, SCALING_ROWS, "after by before", ""));
}

void scaling_draw_comparison(const struct scaling *after, struct views_figure *figure,
			     struct scaling_parts *parts)
{
	parts->chart = figure->chart_count;
	parts->dominant = SIZE_MAX;
	if (scaling_wants(after, "curves"))
		draw_curves(after->before, after, figure);
	if (scaling_wants(after, "map") && after->experiment->parameters >= 2)
		draw_map(after->before, after, figure);
	parts->charts = figure->chart_count - parts->chart;
}

/* ---- tree ------------------------------------------------------------------------------------ */

struct listing {
	const struct scaling *before, *after;
	struct views_list *list;
};

static char *amount(const struct scaling *scaling, double value)
{
	const struct views_scale scale = {.unit = perun_unit_of(scaling->unit)};
	struct perun_buffer text = {0};

	if (isfinite(value))
		views_scale_add_value(&scale, value, &text);
	return perun_buffer_take(&text);
}

static char *change(double was, double is)
{
	if (!(was > 0) || !(is > 0))
		return NULL;
	return is >= 2 * was ? perun_format("%.3g\u00d7", is / was)
			     : perun_format("%+.1f %%", 100 * (is / was - 1));
}

static void add_row(void *data, size_t i, const char *name, unsigned depth)
{
	const struct listing *listing = data;
	const struct scaling *before = listing->before, *after = listing->after;
	struct views_list_row *row = views_list_add(listing->list, name, depth);
	struct perun_buffer models = {0};
	size_t other;
	double was, is;

	if (i == SIZE_MAX)
		return;
	is = scaling_predicted(after, i, after->at);
	other = scaling_find(before, scaling_name(after, i));
	was = other == SIZE_MAX ? NAN : scaling_predicted(before, other, after->at);
	if (after->whole > 0 && isfinite(scaling_cost(after, i, after->at)))
		row->share = fmax(is, 0) / after->whole;
	row->columns[0] = other == SIZE_MAX ? perun_strdup("new") : amount(before, was);
	row->columns[1] = amount(after, is);
	row->columns[2] = change(was, is);
	if (other != SIZE_MAX) {
		scaling_add_formula(before, other, &models);
		perun_buffer_add_text(&models, " \u2192 ");
	}
	scaling_add_formula(after, i, &models);
	row->columns[VIEWS_LIST_WORDS] = perun_buffer_take(&models);
}

void scaling_list_comparison(const struct scaling *after, struct views_list *list)
{
	const struct scaling *before = after->before;
	struct listing listing = {before, after, list};

	list->titles[0] = "call path";
	list->titles[1] = "before";
	list->titles[2] = "after";
	list->titles[3] = "change";
	list->titles[4] = "models";
	scaling_walk(after, add_row, &listing);
	for (size_t i = 0; i < before->count; i++) {
		const char *name = scaling_name(before, i);
		struct perun_buffer models = {0};
		struct views_list_row *row;

		if (scaling_find(after, name) != SIZE_MAX)
			continue;
		row = views_list_add(list, name, 0);
		row->columns[0] = amount(before, scaling_predicted(before, i, before->at));
		row->columns[1] = perun_strdup("gone");
		scaling_add_formula(before, i, &models);
		row->columns[VIEWS_LIST_WORDS] = perun_buffer_take(&models);
	}
}
