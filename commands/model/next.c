/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --next: which measurements would make a prediction surer. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "model.h"
#include "views/common/sheet.h"

enum { MAX_SERIES = 100 }; /* the costliest decide */

struct pricing {
	const struct model_run *run;
	const char *cost;
};

static double price(const double *point, double total, void *data)
{
	const struct pricing *pricing = data;
	double value;

	if (model_expression(pricing->run->ctx, pricing->run->experiment, pricing->cost, point,
			     total, &value))
		return NAN;
	return value > 0 ? value : NAN;
}

/* What costs most at the target first. */
struct ranked {
	size_t series;
	double value;
};

static int compare_values(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	if (one->value != other->value)
		return one->value > other->value ? -1 : 1;
	return one->series < other->series ? -1 : one->series > other->series;
}

/* Of inclusive values the whole is in those of the call paths that no other one contains. */
static bool is_part_of_another(const struct model_run *run, size_t series)
{
	const struct perun_experiment_series *what = &run->experiment->series[series];
	const struct model_tree *tree = &run->tree;

	for (size_t i = 0; i < tree->count; i++) {
		uint32_t node = tree->order[i];

		if (tree->nodes[node].callpath != what->callpath)
			continue;
		while ((node = tree->nodes[node].parent) != MODEL_NONE) {
			uint32_t above = tree->nodes[node].callpath;

			if (above != MODEL_NONE &&
			    tree->series[above * run->experiment->metric_count + what->metric] !=
				    MODEL_NONE)
				return true;
		}
		return false;
	}
	return false;
}

/* The series that count for the first metric, the costliest first; the caller frees it. */
static struct ranked *rank(const struct model_run *run, const double *target, size_t *count)
{
	const struct perun_experiment *experiment = run->experiment;
	struct ranked *ranked = perun_alloc_zero(experiment->series_count, sizeof *ranked);
	bool inclusive = model_is_inclusive(run, 0);

	*count = 0;
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_scaling_model *growth = &run->growths[i];

		if (experiment->series[i].metric != 0 || !growth->segments ||
		    experiment->series[i].overlaps || (inclusive && is_part_of_another(run, i)))
			continue;
		ranked[(*count)++] = (struct ranked){i, perun_scaling_model_value(growth, target)};
	}
	qsort(ranked, *count, sizeof *ranked, compare_values);
	if (*count > MAX_SERIES)
		*count = MAX_SERIES;
	return ranked;
}

/* --at, or the largest values with four times that of the first parameter. */
static double *find_target(const struct model_run *run)
{
	const struct perun_experiment *experiment = run->experiment;
	size_t n = experiment->parameters;
	double *target = perun_alloc_zero(n, sizeof *target);

	for (size_t p = 0; p < n; p++) {
		target[p] = run->at ? run->at[p] : -INFINITY;
		for (size_t i = 0; !run->at && i < experiment->points; i++)
			target[p] = fmax(target[p], experiment->coordinates[i * n + p]);
	}
	if (!run->at && n)
		target[0] *= 4;
	return target;
}

static void ask(const struct model_run *run, struct model_next *next, const char *cost,
		double budget)
{
	struct pricing pricing = {run, cost};
	size_t count;
	struct ranked *ranked = rank(run, next->target, &count);
	struct perun_next_series *series = perun_alloc_zero(count, sizeof *series);
	struct perun_observations *observations = perun_alloc_zero(count, sizeof *observations);
	struct perun_next_question question = {series,   count, next->target, cost ? price : NULL,
					       &pricing, budget};

	for (size_t i = 0; i < count; i++) {
		perun_experiment_observations(run->experiment, ranked[i].series, run->repeated,
					      &observations[i]);
		series[i] = (struct perun_next_series){&run->growths[ranked[i].series],
						       &observations[i], false};
	}
	next->spread = perun_next_points(&question, next->points, next->wanted);
	question.budget = 0;
	if (budget > 0)
		perun_next_points(&question, &next->dearer, 1);
	next->series = count;
	for (size_t i = 0; i < count; i++) {
		next->left_out += series[i].left_out;
		next->rivals += !series[i].left_out && series[i].growth->runner_up;
		perun_observations_clear(&observations[i]);
	}
	perun_free(observations);
	perun_free(series);
	perun_free(ranked);
}

int model_next_find(struct model_run *run)
{
	struct model_next *next = &run->next;
	const char *cost = perun_option_string(run->options, "cost");
	size_t n = run->experiment->parameters;
	double budget = 0, value;
	int status = PERUN_OK;

	if (!perun_option_given(run->options, "next"))
		return PERUN_OK;
	next->wanted = (size_t)perun_option_integer(run->options, "next");
	next->target = find_target(run);
	next->points = perun_alloc_zero(next->wanted, sizeof *next->points);
	next->room = perun_alloc_zero((next->wanted + 1) * n, sizeof *next->room);
	next->dearer.at = next->room + next->wanted * n;
	for (size_t i = 0; i < next->wanted; i++)
		next->points[i].at = next->room + i * n;
	if (perun_option_given(run->options, "budget"))
		budget = perun_option_number(run->options, "budget");
	if (cost)
		status = model_expression(run->ctx, run->experiment, cost, next->target, 1, &value);
	if (!status)
		ask(run, next, cost, budget);
	while (next->count < next->wanted && next->points[next->count].found)
		next->count++;
	/* One measurement that the budget has no room for, and that is worth more than all it has room for. */
	next->dearer.found =
		next->dearer.found && next->dearer.cost > budget &&
		!(next->count && next->points[next->count - 1].spread <= next->dearer.spread);
	return status;
}

void model_next_clear(struct model_next *next)
{
	perun_free(next->target);
	perun_free(next->points);
	perun_free(next->room);
}

static void print_error(struct perun_buffer *text, double spread)
{
	perun_buffer_printf(text, spread < 0.1 ? "%.2g %%" : "%.0f %%", 100 * spread);
}

static void add_point(const struct model_run *run, const struct perun_next_point *point,
		      struct views_sheet *sheet)
{
	bool priced = perun_option_given(run->options, "cost");
	struct perun_buffer text = {0};
	size_t column = 0;

	views_sheet_row(sheet);
	model_print_point(run, point->at, &text);
	views_sheet_set(sheet, column++, VIEWS_PLAIN, "%s", text.data);
	if (priced)
		views_sheet_set(sheet, column++, VIEWS_PLAIN, "%.4g", point->cost);
	perun_buffer_clear(&text);
	print_error(&text, point->spread);
	views_sheet_set(sheet, column++, VIEWS_PLAIN, "%s", text.data);
	if (run->next.rivals)
		views_sheet_set(sheet, column, VIEWS_PLAIN, "%zu of %zu", point->decided,
				run->next.rivals);
	perun_buffer_free(&text);
}

static void print_dearer(const struct model_run *run)
{
	const struct perun_next_point *point = &run->next.dearer;
	struct perun_buffer at = {0}, error = {0};

	if (!point->found)
		return;
	model_print_point(run, point->at, &at);
	print_error(&error, point->spread);
	model_print(
		run,
		"\nWorth more than that: one measurement at %s, with a cost of %.4g and an error "
		"of %s then.\n",
		at.data, point->cost, error.data);
	perun_buffer_free(&at);
	perun_buffer_free(&error);
}

void model_next_print(const struct model_run *run)
{
	const struct model_next *next = &run->next;
	struct views_sheet sheet = {0};
	struct perun_buffer target = {0}, error = {0};

	if (!next->target)
		return;
	model_print_point(run, next->target, &target);
	print_error(&error, next->spread);
	model_print_title(run, "What to measure next");
	if (isnan(next->spread))
		model_print(run,
			    "Nothing can be said of %s: too few points, models in two parts, or a "
			    "prediction of 0.\n",
			    target.data);
	else
		model_print(run, "The prediction of %s at %s has an expected error of %s.\n",
			    run->experiment->metrics[0], target.data, error.data);
	if (next->left_out && !isnan(next->spread))
		model_print(run,
			    "%zu of %zu call paths %s left out: which forms they could have is not "
			    "known, as of models in two parts.\n",
			    next->left_out, next->series, next->left_out == 1 ? "is" : "are");
	if (!next->count && !isnan(next->spread))
		model_print(run, "No measurement %swould make it smaller.\n",
			    perun_option_given(run->options, "budget") ? "within the budget " : "");
	perun_buffer_free(&target);
	perun_buffer_free(&error);
	if (!next->count) {
		print_dearer(run);
		return;
	}
	model_print(run, "\n");
	views_sheet_column(&sheet, "Measure", false, 0);
	if (perun_option_given(run->options, "cost"))
		views_sheet_column(&sheet, "Cost", true, 0);
	views_sheet_column(&sheet, "Error then", true, 0);
	if (next->rivals)
		views_sheet_column(&sheet, "Rivals decided", true, 0);
	for (size_t i = 0; i < next->count; i++)
		add_point(run, &next->points[i], &sheet);
	views_sheet_write(&sheet, &run->canvas, 1);
	views_sheet_clear(&sheet);
	print_dearer(run);
}

static void write_point(struct perun_json_writer *json, const struct model_run *run,
			const struct perun_next_point *point)
{
	perun_json_write_object_start(json);
	model_write_point(json, run, "point", point->at);
	model_write_number(json, "cost", point->cost);
	model_write_number(json, "error", point->spread);
	model_write_number(json, "rivals_decided", (double)point->decided);
	perun_json_write_object_end(json);
}

void model_next_json(const struct model_run *run, struct perun_json_writer *json)
{
	const struct model_next *next = &run->next;

	if (!next->target)
		return;
	perun_json_write_key_text(json, "next");
	perun_json_write_object_start(json);
	model_write_point(json, run, "target", next->target);
	perun_json_write_key_text(json, "error");
	if (isnan(next->spread))
		perun_json_write_null(json);
	else
		perun_json_write_double(json, next->spread);
	perun_json_write_key_text(json, "points");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < next->count; i++)
		write_point(json, run, &next->points[i]);
	perun_json_write_array_end(json);
	if (next->dearer.found) {
		perun_json_write_key_text(json, "worth_more");
		write_point(json, run, &next->dearer);
	}
	model_write_number(json, "rivals", (double)next->rivals);
	model_write_number(json, "left_out", (double)next->left_out);
	perun_json_write_object_end(json);
}
