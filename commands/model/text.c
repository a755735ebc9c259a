/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --print: the text forms of Extra-P. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "model.h"

static void print_coordinate(const struct model_run *run, size_t point)
{
	const struct perun_experiment *experiment = run->experiment;

	for (size_t p = 0; p < experiment->parameters; p++)
		model_print(run, "%s%.2E", p ? "," : "",
			    experiment->coordinates[point * experiment->parameters + p]);
}

static void print_numbers(const struct model_run *run, uint32_t number)
{
	const struct perun_experiment *experiment = run->experiment;

	for (size_t i = 0; i < experiment->points; i++) {
		const struct perun_measurement none = {0}, *measurement = &none;
		const struct perun_experiment_series *series =
			number == MODEL_NONE ? NULL : &experiment->series[number];

		for (size_t k = 0; series && k < series->count; k++)
			if (experiment->measurements[series->first + k].point == i)
				measurement = &experiment->measurements[series->first + k];
		model_print(run, "\t\tMeasurement point: (");
		print_coordinate(run, i);
		model_print(run, ") Mean: %.2E Median: %.2E\n", measurement->mean,
			    measurement->median);
	}
}

static void print_model(const struct model_run *run, uint32_t number, enum perun_spelling spelling)
{
	const struct perun_scaling_model *growth =
		number == MODEL_NONE ? NULL : &run->growths[number];
	struct perun_buffer text = {0};

	if (growth)
		model_print_formula(run, growth, spelling, &text);
	model_print(run, "\t\tModel: %s\n", growth ? text.data : "None");
	model_print(run, "\t\tRSS: %.2E\n", growth ? growth->rss : 0);
	model_print(run, "\t\tAdjusted R^2: %.2E\n", growth ? growth->adjusted_r2 : 0);
	perun_buffer_free(&text);
}

static void print_all(const struct model_run *run, enum perun_spelling spelling)
{
	const struct perun_experiment *experiment = run->experiment;

	for (size_t i = 0; i < experiment->callpaths; i++) {
		model_print(run, "Callpath: ");
		model_print_safe(run, experiment->callpath_names[i]);
		model_print(run, "\n");
		for (size_t m = 0; m < experiment->metric_count; m++) {
			uint32_t number = run->tree.series[i * experiment->metric_count + m];

			model_print(run, "\tMetric: ");
			model_print_safe(run, experiment->metrics[m]);
			model_print(run, "\n");
			print_numbers(run, number);
			print_model(run, number, spelling);
		}
	}
}

static void print_functions(const struct model_run *run, enum perun_spelling spelling)
{
	const char *const *names = run->experiment->parameter_names;
	struct perun_buffer text = {0};

	for (size_t i = 0; i < run->experiment->series_count; i++) {
		const struct perun_scaling_model *growth = &run->growths[i];

		for (uint32_t k = 0; k < growth->segments; k++) {
			perun_buffer_clear(&text);
			if (growth->segments > 1)
				perun_buffer_printf(&text, "Model %u: ", k + 1);
			perun_formula_print(growth->formulas[k], names, spelling, &text);
			model_print(run, "%s\n", text.data);
		}
	}
	perun_buffer_free(&text);
}

static void print_names(const struct model_run *run, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		model_print_safe(run, names[i]);
		model_print(run, "\n");
	}
}

static int unknown_word(const struct model_run *run, const char *word)
{
	return perun_fail(run->ctx, PERUN_USAGE,
			  "--print %s: there are all, functions (also with -python or -latex), "
			  "callpaths, metrics, parameters, or a format with {placeholders}",
			  word);
}

int model_text(const struct model_run *run, const char *word)
{
	const struct perun_experiment *experiment = run->experiment;
	const char *dash = strchr(word, '-');
	bool spelled = dash && (strcmp(dash, "-python") == 0 || strcmp(dash, "-latex") == 0);
	size_t length = spelled ? (size_t)(dash - word) : strlen(word);
	enum perun_spelling spelling = !dash                          ? PERUN_SPELLING_PLAIN
				       : strcmp(dash, "-python") == 0 ? PERUN_SPELLING_PYTHON
								      : PERUN_SPELLING_LATEX;

	if (strchr(word, '{'))
		return model_format(run, word);
	if (length == 3 && strncmp(word, "all", 3) == 0)
		print_all(run, spelling);
	else if (length == 9 && strncmp(word, "functions", 9) == 0)
		print_functions(run, spelling);
	else if (strcmp(word, "callpaths") == 0)
		print_names(run, (const char *const *)experiment->callpath_names,
			    experiment->callpaths);
	else if (strcmp(word, "metrics") == 0)
		print_names(run, experiment->metrics, experiment->metric_count);
	else if (strcmp(word, "parameters") == 0)
		print_names(run, experiment->parameter_names, experiment->parameters);
	else
		return unknown_word(run, word);
	return PERUN_OK;
}
