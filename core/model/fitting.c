/* SPDX-License-Identifier: BSD-3-Clause */
/* The models of a whole experiment. */
#include <math.h>
#include <string.h>

#include "core/model/model.h"
#include "perun/lib/experiment.h"

static double taken(const struct perun_measurement *measurement, enum perun_repeated repeated)
{
	const double values[] = {measurement->mean, measurement->median, measurement->minimum,
				 measurement->maximum};

	return values[repeated];
}

void perun_experiment_observations(const struct perun_experiment *experiment, size_t number,
				   enum perun_repeated repeated,
				   struct perun_observations *observations)
{
	const struct perun_experiment_series *series = &experiment->series[number];
	size_t n = experiment->parameters;
	double *coordinates = perun_alloc_zero(series->count * (n + 2), sizeof *coordinates);
	double *values = coordinates + series->count * n, *deviations = values + series->count;
	double freedom = 0;
	bool known = true;

	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *measurement =
			&experiment->measurements[series->first + k];

		memcpy(coordinates + k * n, experiment->coordinates + measurement->point * n,
		       n * sizeof *coordinates);
		values[k] = taken(measurement, repeated);
		if (measurement->repetitions > 1) {
			freedom += measurement->repetitions - 1;
			deviations[k] = measurement->std / sqrt(measurement->repetitions - 1);
		}
		known &= measurement->repetitions > 1 && isfinite(measurement->std);
	}
	known &= repeated == PERUN_REPEATED_MEAN || repeated == PERUN_REPEATED_MEDIAN;
	*observations = (struct perun_observations){
		series->count, n, coordinates, values, known ? deviations : NULL, freedom};
}

void perun_observations_clear(struct perun_observations *observations)
{
	perun_free((double *)observations->coordinates);
	*observations = (struct perun_observations){0};
}

struct fitting {
	const struct perun_experiment *experiment;
	const struct perun_modeler *modeler; /* of series that are complete */
	const struct perun_modeler_options *options;
	enum perun_repeated repeated;
	struct perun_scaling_model *growths;
};

/* A series that lacks points has a modeler of its own. */
static int fit_incomplete(struct perun_ctx *ctx, struct fitting *fitting, size_t i)
{
	struct perun_observations observations;
	struct perun_modeler *modeler;
	int status;

	perun_experiment_observations(fitting->experiment, i, fitting->repeated, &observations);
	status = perun_modeler_new(ctx, fitting->options, observations.coordinates,
				   observations.count, observations.parameters, &modeler);
	if (!status)
		perun_modeler_fit(modeler, observations.values, &fitting->growths[i]);
	perun_modeler_free(modeler);
	perun_observations_clear(&observations);
	return status;
}

static void fit_complete(struct fitting *fitting, size_t i)
{
	const struct perun_experiment *experiment = fitting->experiment;
	const struct perun_experiment_series *series = &experiment->series[i];
	double *values = perun_alloc_zero(experiment->points, sizeof *values);

	for (size_t k = 0; k < series->count; k++) {
		const struct perun_measurement *measurement =
			&experiment->measurements[series->first + k];

		values[measurement->point] = taken(measurement, fitting->repeated);
	}
	perun_modeler_fit(fitting->modeler, values, &fitting->growths[i]);
	perun_free(values);
}

enum { AT_ONCE = 32 };

static int fit_some(struct perun_ctx *ctx, size_t block, void *data)
{
	struct fitting *fitting = data;
	size_t end = (block + 1) * AT_ONCE, count = fitting->experiment->series_count;
	int status = PERUN_OK;

	for (size_t i = block * AT_ONCE; i < end && i < count && !status; i++) {
		if (fitting->experiment->series[i].count == fitting->experiment->points)
			fit_complete(fitting, i);
		else
			status = fit_incomplete(ctx, fitting, i);
	}
	return status;
}

int perun_experiment_fit(struct perun_ctx *ctx, const struct perun_experiment *experiment,
			 const struct perun_modeler_options *options, enum perun_repeated repeated,
			 struct perun_scaling_model **growths)
{
	struct fitting fitting = {
		.experiment = experiment, .options = options, .repeated = repeated};
	size_t blocks = (experiment->series_count + AT_ONCE - 1) / AT_ONCE;
	struct perun_modeler *modeler;
	int status;

	*growths = NULL;
	status = perun_modeler_new(ctx, options, experiment->coordinates, experiment->points,
				   experiment->parameters, &modeler);
	if (status)
		return status;
	fitting.modeler = modeler;
	fitting.growths = perun_alloc_zero(experiment->series_count, sizeof **growths);
	status = perun_parallel_for(ctx, blocks, fit_some, &fitting);
	perun_modeler_free(modeler);
	if (status)
		perun_scaling_models_free(fitting.growths, experiment->series_count);
	else
		*growths = fitting.growths;
	return status;
}

struct perun_scaling_model perun_experiment_tidy_model(const struct perun_experiment *experiment,
						       size_t series,
						       const struct perun_scaling_model *growth)
{
	const struct perun_experiment_series *own = &experiment->series[series];
	struct perun_scaling_model tidy = *growth;
	double largest = 0;

	for (size_t k = 0; k < own->count; k++)
		largest = fmax(largest, fabs(experiment->measurements[own->first + k].mean));
	tidy.runner_up = NULL;
	for (uint32_t i = 0; i < tidy.segments; i++) {
		tidy.formulas[i] = perun_formula_copy(tidy.formulas[i]);
		if (tidy.formulas[i]->term_count && isfinite(largest) &&
		    fabs(tidy.formulas[i]->constant) < 1e-12 * largest)
			tidy.formulas[i]->constant = 0;
	}
	return tidy;
}

void perun_scaling_models_free(struct perun_scaling_model *growths, size_t count)
{
	for (size_t i = 0; growths && i < count; i++)
		perun_scaling_model_clear(&growths[i]);
	perun_free(growths);
}
