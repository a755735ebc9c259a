/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of all measurements, as Extra-P stores them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/lib/model.h>

#include "extrap-experiment.h"
#include "formats/common/experiment-json.h"

struct modelling {
	const struct perun_experiment *experiment;
	struct perun_modeler *modeler; /* of series with all points */
	struct perun_scaling_model
		*growths; /* of each series; segments 0 = could not be modelled */
};

/* ---- finding ---------------------------------------------------------------------------------- */

/* A series that lacks points has a modeler of its own. */
static int fit_some(struct perun_ctx *ctx, struct modelling *modelling, size_t i)
{
	const struct perun_modeler_options options = {0};
	const struct perun_experiment *experiment = modelling->experiment;
	const struct perun_experiment_series *series = &experiment->series[i];
	size_t n = experiment->parameters;
	double *coordinates = perun_alloc_zero(series->count * n, sizeof *coordinates);
	double *values = perun_alloc_zero(series->count, sizeof *values);
	struct perun_modeler *modeler;
	int status;

	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *measurement =
			&experiment->measurements[series->first + k];

		memcpy(coordinates + k * n, experiment->coordinates + measurement->point * n,
		       n * sizeof *coordinates);
		values[k] = measurement->mean;
	}
	status = perun_modeler_new(ctx, &options, coordinates, series->count, n, &modeler);
	if (!status)
		perun_modeler_fit(modeler, values, &modelling->growths[i]);
	perun_modeler_free(modeler);
	perun_free(coordinates);
	perun_free(values);
	return status;
}

static int fit(struct perun_ctx *ctx, size_t i, void *data)
{
	struct modelling *modelling = data;
	const struct perun_experiment *experiment = modelling->experiment;
	const struct perun_experiment_series *series = &experiment->series[i];
	double *values;

	if (series->count != experiment->points)
		return fit_some(ctx, modelling, i);
	values = perun_alloc_zero(experiment->points, sizeof *values);
	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *measurement =
			&experiment->measurements[series->first + k];

		values[measurement->point] = measurement->mean;
	}
	perun_modeler_fit(modelling->modeler, values, &modelling->growths[i]);
	perun_free(values);
	return PERUN_OK;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void write_number(struct perun_json_writer *json, const char *key, double number)
{
	perun_json_write_key_text(json, key);
	if (isfinite(number))
		perun_json_write_double(json, number);
	else
		perun_json_write_text(json, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
}

static void write_text(struct perun_json_writer *json, const char *key, const char *text)
{
	perun_json_write_key_text(json, key);
	perun_json_write_text(json, text);
}

static void write_flag(struct perun_json_writer *json, const char *key, bool flag)
{
	perun_json_write_key_text(json, key);
	perun_json_write_bool(json, flag);
}

/* Exponents of powers are fractions, those of logarithms numbers. */
static void write_factor(struct perun_json_writer *json, const struct perun_factor *factor)
{
	const struct perun_exponent *exponent = &factor->exponent;
	char fraction[32];

	perun_json_write_object_start(json);
	write_text(json, "term_type", factor->logarithm ? "logarithm" : "polynomial");
	if (factor->logarithm || exponent->denominator == 0) {
		write_number(json, "exponent", exponent->value);
	} else {
		snprintf(fraction, sizeof fraction,
			 exponent->denominator == 1 ? "%" PRId32 : "%" PRId32 "/%" PRId32,
			 exponent->numerator, exponent->denominator);
		write_text(json, "exponent", fraction);
	}
	perun_json_write_object_end(json);
}

static void write_factors(struct perun_json_writer *json, const struct perun_formula *formula,
			  const struct perun_term *term, uint32_t parameter)
{
	perun_json_write_key_text(json, "simple_terms");
	perun_json_write_array_start(json);
	for (uint32_t k = term->first; k < term->first + term->count; k++) {
		if (formula->factors[k].parameter == parameter)
			write_factor(json, &formula->factors[k]);
	}
	perun_json_write_array_end(json);
}

static bool has_parameter(const struct perun_formula *formula, const struct perun_term *term,
			  uint32_t parameter)
{
	for (uint32_t k = term->first; k < term->first + term->count; k++) {
		if (formula->factors[k].parameter == parameter)
			return true;
	}
	return false;
}

/* The factors of a term by parameter. */
static void write_pairs(struct perun_json_writer *json, const struct perun_formula *formula,
			const struct perun_term *term, size_t parameters)
{
	char name[16];

	perun_json_write_key_text(json, "parameter_term_pairs");
	perun_json_write_object_start(json);
	for (uint32_t parameter = 0; parameter < parameters; parameter++) {
		if (!has_parameter(formula, term, parameter))
			continue;
		snprintf(name, sizeof name, "%" PRIu32, parameter);
		perun_json_write_key_text(json, name);
		perun_json_write_object_start(json);
		write_number(json, "coefficient", 1.0);
		write_factors(json, formula, term, parameter);
		perun_json_write_object_end(json);
	}
	perun_json_write_object_end(json);
}

static void write_function(struct perun_json_writer *json, const struct perun_formula *formula,
			   size_t parameters)
{
	perun_json_write_key_text(json, "function");
	perun_json_write_object_start(json);
	write_number(json, "constant_coefficient", formula->constant);
	if (formula->term_count > 0) {
		perun_json_write_key_text(json, "compound_terms");
		perun_json_write_array_start(json);
		for (uint32_t i = 0; i < formula->term_count; i++) {
			perun_json_write_object_start(json);
			write_number(json, "coefficient", formula->terms[i].coefficient);
			if (parameters > 1)
				write_pairs(json, formula, &formula->terms[i], parameters);
			else
				write_factors(json, formula, &formula->terms[i], 0);
			perun_json_write_object_end(json);
		}
		perun_json_write_array_end(json);
	}
	write_text(json, "$type",
		   formula->term_count == 0 ? "ConstantFunction"
		   : parameters > 1         ? "MultiParameterFunction"
					    : "SingleParameterFunction");
	perun_json_write_object_end(json);
}

static void write_model(struct perun_json_writer *json, const struct perun_scaling_model *growth,
			size_t parameters)
{
	const struct perun_formula *formula = growth->formulas[0];

	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "hypothesis");
	perun_json_write_object_start(json);
	write_function(json, formula, parameters);
	write_number(json, "RSS", growth->rss);
	write_number(json, "rRSS", growth->relative_rss);
	write_number(json, "SMAPE", growth->smape);
	write_number(json, "AR2", growth->adjusted_r2);
	write_number(json, "RE", growth->relative_error);
	write_flag(json, "_use_median", false);
	write_text(json, "_use_measure", "MEAN");
	write_flag(json, "_costs_are_calculated", true);
	write_text(json, "$type",
		   formula->term_count == 0 ? "ConstantHypothesis"
		   : parameters > 1         ? "MultiParameterHypothesis"
					    : "SingleParameterHypothesis");
	perun_json_write_object_end(json);
	perun_json_write_key_text(json, "annotations");
	perun_json_write_array_start(json);
	perun_json_write_array_end(json);
	perun_json_write_object_end(json);
}

/* The settings of Extra-P's default modeler, which are ours. */
static void write_modeler(struct perun_json_writer *json, size_t parameters)
{
	perun_json_write_key_text(json, "modeler");
	perun_json_write_object_start(json);
	write_flag(json, "use_median", false);
	write_text(json, "use_measure", "MEAN");
	if (parameters > 1) {
		write_text(json, "single_parameter_point_selection", "auto");
		write_flag(json, "allow_combinations_of_sums_and_products", true);
		write_flag(json, "compare_with_RSS", false);
	} else {
		write_flag(json, "allow_log_terms", true);
		write_flag(json, "use_crossvalidation", true);
		write_flag(json, "compare_with_RSS", false);
		write_number(json, "minimum_term_contribution", 5e-4);
		write_text(json, "poly_exponents", "");
		write_text(json, "log_exponents", "");
		write_flag(json, "retain_default_exponents", false);
		write_flag(json, "force_combination_exponents", false);
		write_flag(json, "allow_negative_exponents", false);
	}
	write_text(json, "$type",
		   parameters > 1 ? "MultiParameterModeler" : "SingleParameterModeler");
	perun_json_write_object_end(json);
}

static void write_growth(void *data, struct perun_json_writer *json, size_t i)
{
	const struct modelling *modelling = data;

	write_model(json, &modelling->growths[i], modelling->experiment->parameters);
}

/* A model of several segments has no place in such a file. */
static void write_all(struct perun_json_writer *json, struct modelling *modelling)
{
	const struct perun_experiment *experiment = modelling->experiment;
	bool *left_out = perun_alloc_zero(experiment->series_count + 1, sizeof *left_out);

	for (size_t i = 0; i < experiment->series_count; i++)
		left_out[i] = modelling->growths[i].segments != 1;
	experiment_json_write_series(json, "models", experiment, left_out, write_growth, modelling);
	perun_free(left_out);
}

int extrapexperiment_write_models(struct perun_ctx *ctx, const struct perun_experiment *experiment,
				  struct perun_json_writer *json)
{
	const struct perun_modeler_options options = {0};
	struct modelling modelling = {.experiment = experiment};
	int status = perun_modeler_new(ctx, &options, experiment->coordinates, experiment->points,
				       experiment->parameters, &modelling.modeler);

	if (status)
		return status;
	modelling.growths =
		perun_alloc_zero(experiment->series_count + 1, sizeof *modelling.growths);
	status = perun_parallel_for(ctx, experiment->series_count, fit, &modelling);
	if (!status) {
		perun_json_write_key_text(json, "modelers");
		perun_json_write_array_start(json);
		perun_json_write_object_start(json);
		write_text(json, "name", "Perun");
		write_modeler(json, experiment->parameters);
		write_all(json, &modelling);
		perun_json_write_object_end(json);
		perun_json_write_array_end(json);
	}
	for (size_t i = 0; i < experiment->series_count; i++)
		perun_scaling_model_clear(&modelling.growths[i]);
	perun_free(modelling.growths);
	perun_modeler_free(modelling.modeler);
	return status;
}
