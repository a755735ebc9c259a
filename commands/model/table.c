/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model: the models as a table, for the terminal or in Markdown. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/common/sheet.h"
#include "model.h"

/* What is listed after the table before "... and N more". */
enum { RANKS = 10, DOUBTS = 10 };

struct table {
	const struct model_run *run;
	struct views_sheet grid;
	bool markdown;
	size_t metric, model, growth, smape, r2, at, band, share, below; /* columns */
};

static bool unicode(const struct table *table)
{
	return table->markdown || table->run->call->unicode;
}

static size_t add_column(struct table *table, const char *title, bool right, unsigned least)
{
	views_sheet_column(&table->grid, title, right, least);
	return table->grid.column_count - 1;
}

static void add_columns(struct table *table)
{
	const struct model_run *run = table->run;

	add_column(table, "Call path", false, 16);
	if (run->experiment->metric_count > 1)
		table->metric = add_column(table, "Metric", false, 8);
	table->model = add_column(table, "Model", false, 12);
	table->growth = add_column(table, "Growth", false, 8);
	table->smape = add_column(table, "SMAPE", true, 0);
	table->r2 = add_column(table, unicode(table) ? "adj. R\xc2\xb2" : "adj. R2", true, 0);
	if (!run->at)
		return;
	table->at = add_column(table, "Predicted", true, 0);
	table->band = add_column(table, "Band", true, 0);
	table->share = add_column(table, "Own", true, 0);
	table->below = add_column(table, "With below", true, 0);
	table->grid.columns[table->r2].drop = 4;
	table->grid.columns[table->smape].drop = 3;
	table->grid.columns[table->model].drop = 2;
	table->grid.columns[table->band].drop = 1;
}

/* The largest power in any term: how badly it grows, whatever the parameters. */
static double power_of(const struct perun_formula *formula)
{
	double largest = 0;

	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		double sum = 0;

		for (uint32_t k = 0; k < term->count; k++) {
			const struct perun_factor *factor = &formula->factors[term->first + k];

			if (factor->piecewise)
				sum += factor->piecewise->pieces[1].power.value;
			else if (!factor->logarithm)
				sum += factor->exponent.value;
		}
		largest = sum > largest ? sum : largest;
	}
	return largest;
}

static enum views_color color_of_growth(const struct perun_scaling_model *growth)
{
	const struct perun_formula *formula = perun_scaling_model_last(growth);
	double power = power_of(formula);

	return formula->term_count == 0 ? VIEWS_DIM
	       : power > 1              ? VIEWS_RED
	       : power == 1             ? VIEWS_YELLOW
					: VIEWS_PLAIN;
}

static enum views_color color_of_error(double smape)
{
	return smape > 20 ? VIEWS_RED : smape > 5 ? VIEWS_YELLOW : VIEWS_PLAIN;
}

static enum views_color color_of_share(double share)
{
	return share >= 0.5 ? VIEWS_RED : share >= 0.1 ? VIEWS_YELLOW : VIEWS_PLAIN;
}

static void set_class(struct table *table, size_t column, const struct perun_scaling_model *growth)
{
	struct perun_buffer text = {0};

	perun_formula_print_class(perun_scaling_model_last(growth),
				  table->run->experiment->parameter_names, &text);
	views_sheet_set(&table->grid, column, color_of_growth(growth), "%s%s", text.data,
			growth->warnings & PERUN_MODEL_TIE ? " ?" : "");
	perun_buffer_free(&text);
}

static void set_value(struct table *table, size_t column, size_t number, double value)
{
	struct perun_buffer text = {0};

	model_add_value(table->run, number, value, &text);
	views_sheet_set(&table->grid, column, VIEWS_PLAIN, "%s", text.data);
	perun_buffer_free(&text);
}

static void set_band(struct table *table, size_t number, const struct perun_prediction *prediction)
{
	struct perun_buffer text = {0};

	if (isnan(prediction->low)) {
		views_sheet_set(&table->grid, table->band, VIEWS_DIM, "unknown");
		return;
	}
	model_add_value(table->run, number, prediction->low, &text);
	perun_buffer_add_text(&text, " .. ");
	model_add_value(table->run, number, prediction->high, &text);
	views_sheet_set(&table->grid, table->band, VIEWS_PLAIN, "%s", text.data);
	perun_buffer_free(&text);
}

/* A formula in the last row; the second segment's in one more. */
static void set_formula(struct table *table, const struct perun_scaling_model *growth)
{
	struct perun_buffer text = {0};
	char *line;

	model_print_formula(table->run, growth, PERUN_SPELLING_SHORT, &text);
	line = strchr(text.data, '\n');
	if (line)
		*line++ = '\0';
	views_sheet_set(&table->grid, table->model, VIEWS_PLAIN, "%s", text.data);
	if (line) {
		views_sheet_row(&table->grid);
		views_sheet_set(&table->grid, table->model, VIEWS_PLAIN, "%s", line);
	}
	perun_buffer_free(&text);
}

static void set_series(struct table *table, uint32_t number)
{
	struct perun_scaling_model tidy, *growth = &tidy;
	struct views_sheet *grid = &table->grid;

	tidy = perun_experiment_tidy_model(table->run->experiment, number,
					   &table->run->growths[number]);
	set_class(table, table->growth, growth);
	views_sheet_set(grid, table->smape, color_of_error(growth->smape), "%.2f %%",
			growth->smape);
	views_sheet_set(grid, table->r2, VIEWS_PLAIN, "%.4f", growth->adjusted_r2);
	if (table->run->at) {
		const struct model_cost *cost = &table->run->costs[number];

		set_value(table, table->at, number, cost->prediction.value);
		set_band(table, number, &cost->prediction);
		if (!model_is_ratio(table->run, table->run->experiment->series[number].metric)) {
			if (table->run->experiment->series[number].overlaps)
				views_sheet_set(grid, table->share, VIEWS_DIM, "overlaps");
			else
				views_sheet_set(grid, table->share, color_of_share(cost->share),
						"%.1f %%", 100 * cost->share);
			views_sheet_set(grid, table->below, VIEWS_PLAIN, "%.1f %%",
					100 * cost->below);
		}
	}
	set_formula(table, growth);
	perun_scaling_model_clear(growth);
}

static void set_name(struct table *table, const struct model_node *node)
{
	const char *const *paths = (const char *const *)table->run->experiment->callpath_names;

	if (table->markdown)
		views_sheet_set(&table->grid, 0, VIEWS_PLAIN, "%s", paths[node->callpath]);
	else
		views_sheet_set(&table->grid, 0, VIEWS_PLAIN, "%*s%s", (int)(2 * node->depth), "",
				node->name);
}

/* The rows of a node: one for each metric; one without anything where nothing was measured. */
static void add_node(struct table *table, uint32_t number)
{
	const struct model_run *run = table->run;
	const struct model_node *node = &run->tree.nodes[number];
	size_t metrics = run->experiment->metric_count;
	bool named = false;

	for (size_t m = 0; m < metrics && node->callpath != MODEL_NONE; m++) {
		uint32_t series = run->tree.series[node->callpath * metrics + m];

		if (series == MODEL_NONE)
			continue;
		views_sheet_row(&table->grid);
		if (!named || table->markdown)
			set_name(table, node);
		named = true;
		if (table->metric)
			views_sheet_set(&table->grid, table->metric, VIEWS_PLAIN, "%s",
					run->experiment->metrics[m]);
		set_series(table, series);
	}
	if (named || table->markdown)
		return;
	views_sheet_row(&table->grid);
	set_name(table, node);
	if (run->at && metrics == 1)
		views_sheet_set(&table->grid, table->below, VIEWS_PLAIN, "%.1f %%",
				100 * run->below[number]);
}

/* ---- what costs most ------------------------------------------------------------------------- */

static void print_heading(const struct table *table, const char *text)
{
	if (table->markdown)
		model_print(table->run, "\n");
	model_print_title(table->run, text);
}

static void print_grid(struct table *table, unsigned code)
{
	views_sheet_write(&table->grid, &table->run->canvas, code);
	views_sheet_clear(&table->grid);
}

static void print_more(const struct model_run *run, size_t count)
{
	if (count)
		model_print(run, "\n... and %zu more\n", count);
}

static void add_rank(struct table *table, uint32_t number)
{
	const struct model_run *run = table->run;
	const struct perun_experiment_series *series = &run->experiment->series[number];
	const struct model_cost *cost = &run->costs[number];

	views_sheet_row(&table->grid);
	views_sheet_set(&table->grid, 0, color_of_share(cost->share), "%.1f %%", 100 * cost->share);
	set_value(table, 1, number, cost->own);
	set_class(table, 2, &run->growths[number]);
	views_sheet_set(&table->grid, 3, VIEWS_PLAIN, "%s",
			run->experiment->callpath_names[series->callpath]);
}

static void print_ranking(const struct model_run *run, bool markdown)
{
	size_t count = run->experiment->series_count;
	struct perun_buffer heading = {0}, point = {0};

	model_print_point(run, run->at, &point);
	for (size_t i = 0; i < count;) {
		uint32_t metric = run->experiment->series[run->ranking[i]].metric;
		struct table table = {.run = run, .markdown = markdown};
		size_t listed = 0, left = 0;

		if (model_is_ratio(run, metric)) {
			i++;
			continue;
		}
		perun_buffer_clear(&heading);
		perun_buffer_printf(&heading, "What costs most at %s: %s", point.data,
				    run->experiment->metrics[metric]);
		print_heading(&table, heading.data);
		add_column(&table, "Share", true, 0);
		add_column(&table, "Own", true, 0);
		add_column(&table, "Growth", false, 8);
		add_column(&table, "Call path", false, 16);
		for (; i < count && run->experiment->series[run->ranking[i]].metric == metric;
		     i++) {
			if (run->experiment->series[run->ranking[i]].overlaps)
				continue;
			if (listed == RANKS)
				left++;
			else if (run->costs[run->ranking[i]].share > 0 || listed == 0)
				listed++, add_rank(&table, run->ranking[i]);
		}
		print_grid(&table, 4 | 8);
		print_more(run, left);
	}
	perun_buffer_free(&heading);
	perun_buffer_free(&point);
}

/* ---- doubts ---------------------------------------------------------------------------------- */

static void add_doubt(struct table *table, size_t number)
{
	const struct model_run *run = table->run;
	const struct perun_experiment_series *series = &run->experiment->series[number];
	const struct perun_scaling_model *growth = &run->growths[number];
	struct views_sheet *grid = &table->grid;
	struct perun_buffer text = {0};
	struct model_doubt doubt;

	model_doubt(run, number, &doubt);
	views_sheet_row(grid);
	views_sheet_set(grid, 0, VIEWS_PLAIN, "%s",
			run->experiment->callpath_names[series->callpath]);
	if (table->metric)
		views_sheet_set(grid, table->metric, VIEWS_PLAIN, "%s",
				run->experiment->metrics[series->metric]);
	if (growth->runner_up) {
		perun_formula_print(growth->runner_up, run->experiment->parameter_names,
				    PERUN_SPELLING_SHORT, &text);
		views_sheet_set(grid, table->model, VIEWS_PLAIN, "%s", text.data);
		views_sheet_set(grid, table->smape, VIEWS_PLAIN, "%.2f %%",
				growth->runner_up_smape);
	}
	if (doubt.next) {
		perun_buffer_clear(&text);
		model_print_point(run, doubt.next, &text);
		views_sheet_set(grid, table->at, VIEWS_PLAIN, "%s", text.data);
		if (growth->runner_up)
			views_sheet_set(grid, table->share, VIEWS_PLAIN, "%.1f %%",
					100 * doubt.difference);
	}
	perun_buffer_free(&text);
	model_doubt_clear(&doubt);
}

static size_t count_warned(const struct model_run *run, unsigned warning)
{
	size_t count = 0;

	for (size_t i = 0; i < run->experiment->series_count; i++)
		count += (run->growths[i].warnings & warning) != 0;
	return count;
}

/* How many models are not what the reader would take them for, a line for each way. */
static void print_warned(const struct model_run *run)
{
	static const struct {
		unsigned warning;
		const char *one, *more, *what;
	} kinds[] = {
		{PERUN_MODEL_FALLING, "has", "have",
		 "negative exponents, because the values fall; Extra-P does not try these"},
		{PERUN_MODEL_STEEP, "has", "have",
		 "exponents above 3, because the values rise so fast; Extra-P does not try these"},
		{PERUN_MODEL_MISFIT, "is", "are",
		 "off by more than 40 % on average (SMAPE): none of the terms that are tried "
		 "explains the values"},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t count = count_warned(run, kinds[i].warning);

		if (count)
			model_print(run, "\n%zu of %zu models %s %s.\n", count,
				    run->experiment->series_count,
				    count == 1 ? kinds[i].one : kinds[i].more, kinds[i].what);
	}
}

static void print_below_zero(const struct model_run *run)
{
	size_t below = 0, first = 0;

	for (size_t i = run->experiment->series_count; i-- > 0;)
		if (model_is_below_zero(run, i))
			below++, first = i;
	if (!below)
		return;
	model_print(run,
		    "\n%zu of %zu models fall below zero there and cannot hold so far, first: ",
		    below, run->experiment->series_count);
	model_print_safe(run,
			 run->experiment->callpath_names[run->experiment->series[first].callpath]);
	model_print(run, "\n");
}

static void print_doubts(const struct model_run *run, bool markdown)
{
	struct table table = {.run = run, .markdown = markdown};
	size_t listed = 0, left = count_warned(run, PERUN_MODEL_TIE),
	       few = count_warned(run, PERUN_MODEL_FEW_POINTS);

	print_warned(run);
	print_below_zero(run);
	if (few + left == 0)
		return;
	print_heading(&table, "What the data do not settle");
	if (few)
		model_print(run,
			    "%zu of %zu models come from fewer than five values of a parameter.\n",
			    few, run->experiment->series_count);
	if (left)
		model_print(run,
			    "%s%zu of %zu models (marked ?) have a rival that fits as well:\n\n",
			    few && markdown ? "\n" : "", left, run->experiment->series_count);
	else
		model_print(run, "Measure more values.\n");
	add_column(&table, "Call path", false, 16);
	if (run->experiment->metric_count > 1)
		table.metric = add_column(&table, "Metric", false, 8);
	table.model = add_column(&table, "Rival", false, 12);
	table.smape = add_column(&table, "SMAPE", true, 0);
	table.at = add_column(&table, "Differ most at", false, 0);
	table.share = add_column(&table, "By", true, 0);
	for (size_t i = 0; i < run->experiment->series_count && listed < DOUBTS; i++)
		if (run->growths[i].warnings & PERUN_MODEL_TIE)
			add_doubt(&table, i), listed++;
	if (listed)
		print_grid(&table, 1u | 1u << table.model);
	print_more(run, left - listed);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int print_run(const struct model_run *run, bool markdown)
{
	struct table table = {.run = run, .markdown = markdown};

	add_columns(&table);
	for (size_t i = 0; i < run->tree.count; i++)
		add_node(&table, run->tree.order[i]);
	print_grid(&table, 1u | 1u << table.model | 1u << table.growth);
	if (run->at)
		print_ranking(run, markdown);
	if (run->scaling.whole)
		model_scaling_print(run);
	print_doubts(run, markdown);
	model_next_print(run);
	return PERUN_OK;
}

int model_table(const struct model_run *run)
{
	return print_run(run, false);
}

int model_markdown(const struct model_run *run)
{
	return print_run(run, true);
}
