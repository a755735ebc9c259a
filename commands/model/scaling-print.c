/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --scaling: what the whole program reaches, and what keeps it from more. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include <perun/lib/units.h>

#include "views/common/sheet.h"
#include "model.h"

enum { LOSSES = 5 };

/* What a call path takes more than it would in ideal scaling, where it was not measured by its model. */
struct loss {
	uint32_t series;
	double amount; /* of time at all processors together */
};

static int compare_losses(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	if (x->amount != y->amount)
		return x->amount > y->amount ? -1 : 1;
	return x->series < y->series ? -1 : x->series > y->series;
}

/* The derived cost of a call path grows in proportion to the processors in ideal weak scaling, and not in strong. */
static size_t find_losses(const struct model_run *run, double processors, struct loss *losses,
			  double *total)
{
	const struct perun_experiment *experiment = run->experiment;
	double *at = run->scaling.at;
	size_t count = 0;

	*total = 0;
	for (uint32_t i = 0; i < experiment->series_count; i++) {
		const struct perun_scaling_model *growth = &run->growths[i];
		double first, then;

		if (experiment->series[i].metric != run->scaling.first + MODEL_COST ||
		    experiment->series[i].overlaps)
			continue;
		at[run->scaling.parameter] = run->scaling.least;
		first = perun_scaling_model_value(growth, at);
		at[run->scaling.parameter] = processors;
		then = perun_scaling_model_value(growth, at);
		if (!run->scaling.strong)
			first *= processors / run->scaling.least;
		if (!(then > first))
			continue;
		losses[count++] = (struct loss){i, then - first};
		*total += then - first;
	}
	qsort(losses, count, sizeof *losses, compare_losses);
	return count;
}

static void print_losses(const struct model_run *run, double processors)
{
	const struct perun_experiment *experiment = run->experiment;
	struct loss *losses = perun_alloc_zero(experiment->series_count + 1, sizeof *losses);
	struct views_sheet sheet = {0};
	double total;
	size_t count = find_losses(run, processors, losses, &total);

	if (count && !model_is_inclusive(run, run->scaling.time)) {
		model_print(run, "\nWhat is lost there, by call path:\n\n");
		views_sheet_column(&sheet, "Share", true, 0);
		views_sheet_column(&sheet, "Cost", false, 8);
		views_sheet_column(&sheet, "Call path", false, 16);
		for (size_t i = 0; i < count && i < LOSSES; i++) {
			const struct perun_experiment_series *series =
				&experiment->series[losses[i].series];
			struct perun_buffer text = {0};

			perun_formula_print_class(
				perun_scaling_model_last(&run->growths[losses[i].series]),
				experiment->parameter_names, &text);
			views_sheet_row(&sheet);
			views_sheet_set(&sheet, 0, VIEWS_PLAIN, "%.1f %%",
					100 * losses[i].amount / total);
			views_sheet_set(&sheet, 1, VIEWS_PLAIN, "%s", text.data);
			views_sheet_set(&sheet, 2, VIEWS_PLAIN, "%s",
					experiment->callpath_names[series->callpath]);
			perun_buffer_free(&text);
		}
		views_sheet_write(&sheet, &run->canvas, 2 | 4);
		views_sheet_clear(&sheet);
	}
	perun_free(losses);
}

static const struct perun_measurement *derived_at(const struct model_run *run, int what,
						  uint32_t point)
{
	const struct perun_experiment *whole = run->scaling.whole;

	for (size_t i = 0; i < whole->series_count; i++)
		for (size_t k = 0; k < whole->series[i].count; k++) {
			const struct perun_measurement *one =
				&whole->measurements[whole->series[i].first + k];

			if (whole->series[i].metric == (uint32_t)(what + 1) && one->point == point)
				return one;
		}
	return NULL;
}

static int compare_coordinates(const void *a, const void *b, void *data)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct perun_experiment *whole = data;
	const double *one = whole->coordinates + whole->measurements[x].point * whole->parameters;
	const double *other = whole->coordinates + whole->measurements[y].point * whole->parameters;

	for (size_t p = 0; p < whole->parameters; p++)
		if (one[p] != other[p])
			return one[p] < other[p] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The measurements of the whole program as people read them; the caller frees it. */
static size_t *by_coordinates(const struct perun_experiment *whole)
{
	size_t count = whole->series[0].count;
	size_t *order = perun_alloc_zero(count + 1, sizeof *order);

	for (size_t k = 0; k < count; k++)
		order[k] = k;
	qsort_r(order, count, sizeof *order, compare_coordinates, (void *)whole);
	return order;
}

static void print_measured(const struct model_run *run)
{
	const struct perun_experiment *whole = run->scaling.whole;
	const char *unit = perun_experiment_unit(run->experiment, run->scaling.time);
	struct views_sheet sheet = {0};
	size_t *order = by_coordinates(whole);

	views_sheet_column(&sheet, "Point", false, 6);
	views_sheet_column(&sheet, whole->metrics[0], true, 0);
	views_sheet_column(&sheet, "Speed-up", true, 0);
	views_sheet_column(&sheet, "Efficiency", true, 0);
	views_sheet_column(&sheet, run->scaling.has_unit ? "Core-hours" : "Cost", true, 0);
	for (size_t k = 0; k < whole->series[0].count; k++) {
		const struct perun_measurement *time = &whole->measurements[order[k]];
		const struct perun_measurement *cost = derived_at(run, MODEL_COST, time->point);
		const struct perun_measurement *faster =
			derived_at(run, MODEL_SPEEDUP, time->point);
		const struct perun_measurement *efficiency =
			derived_at(run, MODEL_EFFICIENCY, time->point);
		struct perun_buffer text = {0}, amount = {0};

		model_print_point(run, whole->coordinates + time->point * whole->parameters, &text);
		perun_add_amount(&amount, time->mean, unit);
		views_sheet_row(&sheet);
		views_sheet_set(&sheet, 0, VIEWS_PLAIN, "%s", text.data);
		views_sheet_set(&sheet, 1, VIEWS_PLAIN, "%s", amount.data);
		if (faster)
			views_sheet_set(&sheet, 2, VIEWS_PLAIN, "%.4g", faster->mean);
		if (efficiency)
			views_sheet_set(&sheet, 3,
					efficiency->mean < run->scaling.threshold ? VIEWS_RED
										  : VIEWS_PLAIN,
					"%.1f %%", 100 * efficiency->mean);
		if (cost)
			views_sheet_set(&sheet, 4, VIEWS_PLAIN, "%.4g", cost->mean);
		perun_buffer_free(&text);
		perun_buffer_free(&amount);
	}
	views_sheet_write(&sheet, &run->canvas, 1);
	views_sheet_clear(&sheet);
	perun_free(order);
}

/* The formulas of time, cost, speed-up and efficiency. */
static void print_models(const struct model_run *run)
{
	const struct perun_experiment *whole = run->scaling.whole;
	struct views_sheet sheet = {0};

	views_sheet_column(&sheet, "Whole program", false, 12);
	views_sheet_column(&sheet, "Model", false, 16);
	views_sheet_column(&sheet, "SMAPE", true, 0);
	for (size_t i = 0; i < whole->series_count; i++) {
		const struct perun_scaling_model *growth = &run->scaling.growths[i];
		struct perun_buffer text = {0};

		model_print_formula(run, growth, PERUN_SPELLING_SHORT, &text);
		for (char *c = text.data; *c; c++)
			*c = *c == '\n' ? ';' : *c;
		views_sheet_row(&sheet);
		views_sheet_set(&sheet, 0, VIEWS_PLAIN, "%s",
				whole->metrics[whole->series[i].metric]);
		views_sheet_set(&sheet, 1, VIEWS_PLAIN, "%s", text.data);
		views_sheet_set(&sheet, 2, VIEWS_PLAIN, "%.2f %%", growth->smape);
		perun_buffer_free(&text);
	}
	views_sheet_write(&sheet, &run->canvas, 2);
	views_sheet_clear(&sheet);
}

static void print_fall(const struct model_run *run)
{
	const char *name = run->scaling.whole->parameter_names[run->scaling.parameter];
	double percent = 100 * run->scaling.threshold;
	struct perun_buffer others = {0};

	for (size_t p = 0; p < run->scaling.whole->parameters; p++)
		if (p != run->scaling.parameter)
			perun_buffer_printf(
				&others, "%s%s = %.6g", others.length ? ", " : ", where ",
				run->scaling.whole->parameter_names[p], run->scaling.at[p]);
	perun_buffer_add(&others, "", 0);
	if (isnan(run->scaling.falls))
		model_print(run,
			    "\nEfficiency stays above %.4g %% up to %s = %.6g%s, by the model.\n",
			    percent, name, run->scaling.farthest, others.data);
	else
		model_print(run, "\nEfficiency falls below %.4g %% at %s = %.6g%s%s.\n", percent,
			    name, run->scaling.falls, others.data,
			    run->scaling.falls > run->scaling.most
				    ? ", by the model; this was not measured"
				    : "");
	if (isnan(run->scaling.falls) != isnan(run->scaling.whole_falls) ||
	    fabs(run->scaling.falls - run->scaling.whole_falls) > 0.02 * run->scaling.falls)
		model_print(run,
			    "That is the sum of the models of the call paths; by that of the whole "
			    "program it %s%.6g.\n",
			    isnan(run->scaling.whole_falls) ? "does not, up to " : "falls at ",
			    isnan(run->scaling.whole_falls) ? run->scaling.farthest
							    : run->scaling.whole_falls);
	perun_buffer_free(&others);
}

void model_scaling_print(const struct model_run *run)
{
	char *title = perun_format("%s scaling%s: the whole program",
				   run->scaling.strong ? "Strong" : "Weak",
				   run->scaling.detected ? " (found out)" : "");

	if (run->canvas.form == PERUN_FORM_MARKDOWN)
		model_print(run, "\n");
	model_print_title(run, title);
	if (run->scaling.summed)
		model_print(run, "The %s is the sum over all processes.\n\n",
			    run->scaling.whole->metrics[0]);
	print_measured(run);
	model_print(run, "\n");
	print_models(run);
	print_fall(run);
	print_losses(run, isnan(run->scaling.falls) ? run->scaling.most : run->scaling.falls);
	perun_free(title);
}

void model_scaling_json(const struct model_run *run, struct perun_json_writer *json)
{
	const struct perun_experiment *whole = run->scaling.whole;
	struct model_run of_whole = *run;

	of_whole.experiment = run->scaling.whole;
	of_whole.growths = run->scaling.growths;
	perun_json_write_key_text(json, "scaling");
	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "kind");
	perun_json_write_text(json, run->scaling.strong ? "strong" : "weak");
	perun_json_write_key_text(json, "detected");
	perun_json_write_bool(json, run->scaling.detected);
	perun_json_write_key_text(json, "processors");
	perun_json_write_text(json, whole->parameter_names[run->scaling.parameter]);
	model_write_number(json, "threshold", run->scaling.threshold);
	perun_json_write_key_text(json, "falls_below");
	if (isnan(run->scaling.falls))
		perun_json_write_null(json);
	else
		perun_json_write_double(json, run->scaling.falls);
	perun_json_write_key_text(json, "whole_falls_below");
	if (isnan(run->scaling.whole_falls))
		perun_json_write_null(json);
	else
		perun_json_write_double(json, run->scaling.whole_falls);
	model_write_number(json, "looked_up_to", run->scaling.farthest);
	perun_json_write_key_text(json, "whole");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < whole->series_count; i++)
		model_write_whole(json, &of_whole, i);
	perun_json_write_array_end(json);
	perun_json_write_object_end(json);
}
