/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --json: the experiment, its models, and what follows from them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

static int to_output(void *data, const char *text, size_t length)
{
	return perun_output_write(data, text, length);
}

void model_write_number(struct perun_json_writer *json, const char *key, double number)
{
	perun_json_write_key_text(json, key);
	if (isfinite(number))
		perun_json_write_double(json, number);
	else
		perun_json_write_text(json, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
}

static void write_known(struct perun_json_writer *json, const char *key, double number, bool known)
{
	if (known) {
		model_write_number(json, key, number);
	} else {
		perun_json_write_key_text(json, key);
		perun_json_write_null(json);
	}
}

static void write_names(struct perun_json_writer *json, const char *key, const char *const *names,
			size_t count)
{
	perun_json_write_key_text(json, key);
	perun_json_write_array_start(json);
	for (size_t i = 0; i < count; i++)
		perun_json_write_text(json, names[i]);
	perun_json_write_array_end(json);
}

static void write_coordinate(struct perun_json_writer *json,
			     const struct perun_experiment *experiment, size_t point)
{
	perun_json_write_array_start(json);
	for (size_t p = 0; p < experiment->parameters; p++)
		perun_json_write_double(
			json, experiment->coordinates[point * experiment->parameters + p]);
	perun_json_write_array_end(json);
}

struct perun_json_writer *model_json_start(const struct model_run *run)
{
	struct perun_json_writer *json =
		perun_json_writer_new_sink(to_output, run->call->output, PERUN_JSON_PYTHON, 0);

	perun_json_write_object_start(json);
	if (run->title) {
		perun_json_write_key_text(json, "name");
		perun_json_write_text(json, run->title);
	}
	return json;
}

static void write_series_head(struct perun_json_writer *json,
			      const struct perun_experiment *experiment,
			      const struct perun_experiment_series *series)
{
	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "callpath");
	perun_json_write_text(json, experiment->callpath_names[series->callpath]);
	perun_json_write_key_text(json, "metric");
	perun_json_write_text(json, experiment->metrics[series->metric]);
}

/* What other call paths have, too, is marked. */
static void write_overlap(struct perun_json_writer *json,
			  const struct perun_experiment_series *series)
{
	if (!series->overlaps)
		return;
	perun_json_write_key_text(json, "overlaps");
	perun_json_write_bool(json, true);
}

static void write_measurements(struct perun_json_writer *json,
			       const struct perun_experiment *experiment)
{
	perun_json_write_key_text(json, "measurements");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_experiment_series *series = &experiment->series[i];

		write_series_head(json, experiment, series);
		perun_json_write_key_text(json, "points");
		perun_json_write_array_start(json);
		for (size_t k = 0; k < series->count; k++) {
			const struct perun_measurement *measurement =
				&experiment->measurements[series->first + k];
			bool known = experiment->statistics_known;

			perun_json_write_object_start(json);
			perun_json_write_key_text(json, "coordinate");
			write_coordinate(json, experiment, measurement->point);
			model_write_number(json, "mean", measurement->mean);
			write_known(json, "median", measurement->median,
				    known || !isnan(measurement->median));
			write_known(json, "min", measurement->minimum,
				    known || !isnan(measurement->minimum));
			write_known(json, "max", measurement->maximum,
				    known || !isnan(measurement->maximum));
			write_known(json, "std", measurement->std,
				    known || !isnan(measurement->std));
			perun_json_write_key_text(json, "repetitions");
			if (measurement->repetitions)
				perun_json_write_int64(json, measurement->repetitions);
			else
				perun_json_write_null(json);
			perun_json_write_object_end(json);
		}
		perun_json_write_array_end(json);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
}

static void write_exponent(struct perun_json_writer *json, const struct perun_exponent *exponent)
{
	perun_json_write_key_text(json, "exponent");
	if (exponent->denominator > 1) {
		char *text = perun_format("%d/%d", exponent->numerator, exponent->denominator);

		perun_json_write_text(json, text);
		perun_free(text);
	} else if (exponent->denominator == 1) {
		perun_json_write_int64(json, exponent->numerator);
	} else {
		perun_json_write_double(json, exponent->value);
	}
}

static void write_intervals(struct perun_json_writer *json, double until, double from)
{
	perun_json_write_key_text(json, "intervals");
	perun_json_write_array_start(json);
	perun_json_write_array_start(json);
	perun_json_write_text(json, "-inf");
	perun_json_write_double(json, until);
	perun_json_write_array_end(json);
	perun_json_write_array_start(json);
	perun_json_write_double(json, from);
	perun_json_write_text(json, "inf");
	perun_json_write_array_end(json);
	perun_json_write_array_end(json);
}

static void write_formula(struct perun_json_writer *json, const struct perun_experiment *experiment,
			  const struct perun_formula *formula);

/* What a parameter contributes where its growth changes: a function of it alone for each part. */
static void write_pieces(struct perun_json_writer *json, const struct perun_experiment *experiment,
			 const struct perun_factor *factor)
{
	perun_json_write_key_text(json, "segments");
	perun_json_write_array_start(json);
	for (int i = 0; i < 2; i++) {
		struct perun_formula *formula =
			perun_formula_of_piece(&factor->piecewise->pieces[i], factor->parameter);

		perun_json_write_object_start(json);
		write_formula(json, experiment, formula);
		perun_json_write_object_end(json);
		perun_free(formula);
	}
	perun_json_write_array_end(json);
	write_intervals(json, factor->piecewise->until, factor->piecewise->from);
}

static void write_formula(struct perun_json_writer *json, const struct perun_experiment *experiment,
			  const struct perun_formula *formula)
{
	struct perun_buffer text = {0};

	perun_formula_print(formula, experiment->parameter_names, PERUN_SPELLING_PLAIN, &text);
	perun_json_write_key_text(json, "string");
	perun_json_write_string(json, text.data, text.length);
	perun_buffer_free(&text);
	model_write_number(json, "constant", formula->constant);
	perun_json_write_key_text(json, "terms");
	perun_json_write_array_start(json);
	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];

		perun_json_write_object_start(json);
		model_write_number(json, "coefficient", term->coefficient);
		perun_json_write_key_text(json, "factors");
		perun_json_write_array_start(json);
		for (uint32_t k = 0; k < term->count; k++) {
			const struct perun_factor *factor = &formula->factors[term->first + k];

			perun_json_write_object_start(json);
			perun_json_write_key_text(json, "parameter");
			perun_json_write_int64(json, factor->parameter);
			perun_json_write_key_text(json, "type");
			if (factor->piecewise) {
				perun_json_write_text(json, "segmented");
				write_pieces(json, experiment, factor);
			} else {
				perun_json_write_text(json, factor->logarithm ? "logarithm"
									      : "polynomial");
				write_exponent(json, &factor->exponent);
			}
			perun_json_write_object_end(json);
		}
		perun_json_write_array_end(json);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
}

static void write_function(struct perun_json_writer *json, const struct model_run *run,
			   const struct perun_scaling_model *growth)
{
	const struct perun_experiment *experiment = run->experiment;

	perun_json_write_key_text(json, "function");
	perun_json_write_object_start(json);
	if (growth->segments == 1) {
		write_formula(json, experiment, growth->formulas[0]);
	} else {
		struct perun_buffer text = {0};

		model_print_formula(run, growth, PERUN_SPELLING_PLAIN, &text);
		perun_json_write_key_text(json, "string");
		perun_json_write_string(json, text.data, text.length);
		perun_buffer_free(&text);
		perun_json_write_key_text(json, "segments");
		perun_json_write_array_start(json);
		for (int i = 0; i < 2; i++) {
			perun_json_write_object_start(json);
			write_formula(json, experiment, growth->formulas[i]);
			perun_json_write_object_end(json);
		}
		perun_json_write_array_end(json);
		write_intervals(json, growth->until, growth->from);
	}
	perun_json_write_object_end(json);
}

/* ---- beyond the formulas --------------------------------------------------------------------- */

void model_write_point(struct perun_json_writer *json, const struct model_run *run, const char *key,
		       const double *point)
{
	perun_json_write_key_text(json, key);
	perun_json_write_array_start(json);
	for (size_t p = 0; p < run->experiment->parameters; p++)
		perun_json_write_double(json, point[p]);
	perun_json_write_array_end(json);
}

static void write_class(struct perun_json_writer *json, const struct model_run *run,
			const struct perun_scaling_model *growth)
{
	struct perun_buffer text = {0};

	perun_formula_print_class(perun_scaling_model_last(growth),
				  run->experiment->parameter_names, &text);
	perun_json_write_key_text(json, "growth");
	perun_json_write_string(json, text.data, text.length);
	perun_buffer_free(&text);
}

static void write_warnings(struct perun_json_writer *json, const struct model_run *run,
			   size_t series, const struct perun_scaling_model *growth)
{
	bool below = model_is_below_zero(run, series);
	struct model_doubt doubt;

	if (growth->warnings == 0 && !below)
		return;
	perun_json_write_key_text(json, "warnings");
	perun_json_write_array_start(json);
	if (growth->warnings & PERUN_MODEL_FEW_POINTS)
		perun_json_write_text(json, "few_points");
	if (growth->warnings & PERUN_MODEL_TIE)
		perun_json_write_text(json, "tie");
	if (growth->warnings & PERUN_MODEL_FALLING)
		perun_json_write_text(json, "falling");
	if (growth->warnings & PERUN_MODEL_STEEP)
		perun_json_write_text(json, "steep");
	if (growth->warnings & PERUN_MODEL_MISFIT)
		perun_json_write_text(json, "misfit");
	if (below)
		perun_json_write_text(json, "below_zero");
	perun_json_write_array_end(json);
	model_doubt(run, series, &doubt);
	if (growth->runner_up) {
		perun_json_write_key_text(json, "runner_up");
		perun_json_write_object_start(json);
		write_formula(json, run->experiment, growth->runner_up);
		model_write_number(json, "SMAPE", growth->runner_up_smape);
		perun_json_write_object_end(json);
	}
	if (doubt.next) {
		model_write_point(json, run, "next_point", doubt.next);
		if (growth->runner_up)
			model_write_number(json, "difference", doubt.difference);
	}
	model_doubt_clear(&doubt);
}

void model_write_name(struct perun_json_writer *json, const struct model_run *run, size_t series)
{
	write_series_head(json, run->experiment, &run->experiment->series[series]);
}

void model_write_side(struct perun_json_writer *json, const struct model_run *run, size_t series,
		      const struct perun_prediction *prediction)
{
	perun_json_write_object_start(json);
	write_function(json, run, &run->growths[series]);
	write_class(json, run, &run->growths[series]);
	model_write_number(json, "SMAPE", run->growths[series].smape);
	model_write_number(json, "value", prediction->value);
	write_known(json, "low", prediction->low, !isnan(prediction->low));
	write_known(json, "high", prediction->high, !isnan(prediction->high));
	perun_json_write_object_end(json);
}

void model_write_whole(struct perun_json_writer *json, const struct model_run *run, size_t series)
{
	const struct perun_experiment *experiment = run->experiment;

	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "metric");
	perun_json_write_text(json, experiment->metrics[experiment->series[series].metric]);
	perun_json_write_key_text(json, "points");
	perun_json_write_array_start(json);
	for (size_t k = 0; k < experiment->series[series].count; k++) {
		const struct perun_measurement *measurement =
			&experiment->measurements[experiment->series[series].first + k];

		perun_json_write_object_start(json);
		perun_json_write_key_text(json, "coordinate");
		write_coordinate(json, experiment, measurement->point);
		model_write_number(json, "mean", measurement->mean);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
	write_function(json, run, &run->growths[series]);
	write_class(json, run, &run->growths[series]);
	model_write_number(json, "SMAPE", run->growths[series].smape);
	perun_json_write_object_end(json);
}

static void write_prediction(struct perun_json_writer *json, const struct model_cost *cost)
{
	const struct perun_prediction *prediction = &cost->prediction;
	bool known = !isnan(prediction->low);

	perun_json_write_key_text(json, "prediction");
	perun_json_write_object_start(json);
	model_write_number(json, "value", prediction->value);
	write_known(json, "low", prediction->low, known);
	write_known(json, "high", prediction->high, known);
	perun_json_write_key_text(json, "band");
	perun_json_write_text(json, prediction->beyond ? "range" : "interval");
	model_write_number(json, "own", cost->own);
	model_write_number(json, "share", cost->share);
	model_write_number(json, "share_below", cost->below);
	perun_json_write_object_end(json);
}

static void write_ranking(struct perun_json_writer *json, const struct model_run *run)
{
	model_write_point(json, run, "at", run->at);
	model_write_number(json, "level", run->level);
	perun_json_write_key_text(json, "ranking");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < run->experiment->series_count; i++) {
		const struct model_cost *cost = &run->costs[run->ranking[i]];

		write_series_head(json, run->experiment, &run->experiment->series[run->ranking[i]]);
		model_write_number(json, "value", cost->prediction.value);
		model_write_number(json, "share", cost->share);
		write_overlap(json, &run->experiment->series[run->ranking[i]]);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
}

static void write_models(struct perun_json_writer *json, const struct model_run *run)
{
	const struct perun_experiment *experiment = run->experiment;

	perun_json_write_key_text(json, "models");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_scaling_model *growth = &run->growths[i];

		write_series_head(json, experiment, &experiment->series[i]);
		write_overlap(json, &experiment->series[i]);
		write_function(json, run, growth);
		model_write_number(json, "RSS", growth->rss);
		model_write_number(json, "rRSS", growth->relative_rss);
		model_write_number(json, "SMAPE", growth->smape);
		model_write_number(json, "AR2", growth->adjusted_r2);
		model_write_number(json, "RE", growth->relative_error);
		write_class(json, run, growth);
		write_warnings(json, run, i, growth);
		if (run->at)
			write_prediction(json, &run->costs[i]);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
}

int model_json(const struct model_run *run)
{
	const struct perun_experiment *experiment = run->experiment;
	struct perun_json_writer *json = model_json_start(run);
	int status;

	write_names(json, "parameters", experiment->parameter_names, experiment->parameters);
	perun_json_write_key_text(json, "coordinates");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < experiment->points; i++)
		write_coordinate(json, experiment, i);
	perun_json_write_array_end(json);
	write_names(json, "callpaths", (const char *const *)experiment->callpath_names,
		    experiment->callpaths);
	write_names(json, "metrics", experiment->metrics, experiment->metric_count);
	write_measurements(json, experiment);
	write_models(json, run);
	if (run->at)
		write_ranking(json, run);
	if (run->scaling.whole)
		model_scaling_json(run, json);
	model_next_json(run, json);
	perun_json_write_object_end(json);
	status = perun_json_writer_finish(json);
	if (!run->title)
		model_print(run, "\n");
	return status;
}
