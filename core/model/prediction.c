/* SPDX-License-Identifier: BSD-3-Clause */
/* What a model says beyond its points, and how sure that is. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/model/model.h"
#include "perun/lib/statistics.h"

const struct perun_formula *perun_scaling_model_last(const struct perun_scaling_model *growth)
{
	return growth->formulas[growth->segments == 2];
}

/* Column j of the fit at a point: 1, then each term without its coefficient. */
static double column_value(const struct perun_formula *formula, uint32_t j,
			   const double *coordinate)
{
	struct perun_term term;
	struct perun_formula single = {.term_count = 1, .terms = &term};

	if (j == 0)
		return 1;
	term = formula->terms[j - 1];
	term.coefficient = 1;
	single.factor_count = formula->factor_count;
	single.factors = formula->factors;
	return perun_formula_value(&single, coordinate);
}

/* Of a segmented model, the points on the side of `at`. */
static bool takes_part(const struct perun_scaling_model *growth, const double *coordinate,
		       const double *at)
{
	if (growth->segments == 1)
		return true;
	return at[0] > growth->until ? coordinate[0] >= growth->from
				     : coordinate[0] <= growth->until;
}

struct fit {
	const struct perun_formula *formula;
	size_t rows, columns;
	double *matrix; /* columns one after another, each divided by its scale */
	double scales[PERUN_COLUMNS];
	double power;      /* noise grows with it */
	double rss;        /* weighted */
	double logarithms; /* of the weights */
};

static void fill_fit(struct fit *fit, const struct perun_scaling_model *growth,
		     const struct perun_observations *observations, const double *at)
{
	size_t n = observations->parameters, row = 0;
	double most = perun_largest_value(observations);

	for (size_t i = 0; i < observations->count; i++)
		fit->rows += takes_part(growth, observations->coordinates + i * n, at);
	fit->matrix = perun_alloc_zero(fit->rows * (fit->columns + 1), sizeof *fit->matrix);
	for (size_t i = 0; i < observations->count; i++) {
		const double *coordinate = observations->coordinates + i * n;
		double off, weight;

		if (!takes_part(growth, coordinate, at))
			continue;
		weight = 1 / pow(perun_noise_size(growth, most, coordinate), fit->power);
		for (uint32_t j = 0; j < fit->columns; j++)
			fit->matrix[j * fit->rows + row] =
				weight * column_value(fit->formula, j, coordinate);
		off = weight *
		      (observations->values[i] - perun_formula_value(fit->formula, coordinate));
		fit->rss += off * off;
		fit->logarithms += log(weight);
		row++;
	}
	for (size_t j = 0; j < fit->columns; j++) {
		double *column = fit->matrix + j * fit->rows, largest = 0;

		for (size_t i = 0; i < fit->rows; i++)
			largest = fmax(largest, fabs(column[i]));
		fit->scales[j] = largest > 0 ? largest : 1;
		for (size_t i = 0; i < fit->rows; i++)
			column[i] /= fit->scales[j];
	}
}

/* How unlikely what the points are off by is, if it grows with that power. */
static double cost_of(const struct fit *fit)
{
	return (double)fit->rows / 2 * log(fit->rss) - fit->logarithms;
}

/* Where a power of noise has to make what the formula lacks so much less likely, that is no noise: it does not grow. */
#define CLEARLY 2

static void choose_fit(struct fit *fit, const struct perun_scaling_model *growth,
		       const struct perun_observations *observations, const double *at)
{
	struct fit plain = *fit;
	double noise;

	fit->power = perun_noise_power(growth, observations, &noise);
	fill_fit(fit, growth, observations, at);
	if (fit->power == 0)
		return;
	fill_fit(&plain, growth, observations, at);
	if (plain.rss > 0 && cost_of(&plain) + CLEARLY < cost_of(fit)) {
		perun_free(fit->matrix);
		*fit = plain;
	} else {
		perun_free(plain.matrix);
	}
}

/* x' (X'X)^-1 x = |z|^2 where R'z = x; NaN when the points do not determine the coefficients. */
static double leverage(struct fit *fit, const double *at)
{
	double z[PERUN_COLUMNS], sum = 0;

	perun_triangularize(fit->matrix, fit->rows, fit->columns);
	for (size_t j = 0; j < fit->columns; j++) {
		const double *column = fit->matrix + j * fit->rows;
		double left = column_value(fit->formula, (uint32_t)j, at) / fit->scales[j];

		if (!(fabs(column[j]) > (double)fit->rows * DBL_EPSILON))
			return NAN;
		for (size_t k = 0; k < j; k++)
			left -= column[k] * z[k];
		z[j] = left / column[j];
		sum += z[j] * z[j];
	}
	return sum;
}

/* Whether one is at least as much as the other in all parameters. */
static bool reaches(const double *one, const double *other, size_t parameters)
{
	for (size_t p = 0; p < parameters; p++)
		if (one[p] < other[p])
			return false;
	return true;
}

/*
 * Data is around a point that is between two measured ones in all parameters. What is between the greatest values
 * of all, where no such point was measured, is as unknown as what is beyond them.
 */
static bool is_beyond(const struct perun_observations *observations, const double *at)
{
	size_t n = observations->parameters;
	bool more = false, less = false;

	for (size_t i = 0; i < observations->count; i++) {
		const double *coordinate = observations->coordinates + i * n;

		more |= reaches(coordinate, at, n);
		less |= reaches(at, coordinate, n);
	}
	return !more || !less;
}

/* What is never measured below zero is not predicted below it, unless the formula itself falls there. */
static void keep_above_zero(const struct perun_observations *observations,
			    struct perun_prediction *prediction)
{
	for (size_t i = 0; i < observations->count; i++)
		if (observations->values[i] < 0)
			return;
	prediction->low = prediction->low < 0 ? fmin(prediction->value, 0) : prediction->low;
}

/* The range by the points on the side of `at`. */
static bool range_of_part(const struct perun_scaling_model *growth,
			  const struct perun_observations *observations, const double *at,
			  double level, struct perun_prediction *prediction)
{
	size_t n = observations->parameters, used = 0;
	struct perun_observations part = *observations;
	double *room = perun_alloc_zero(observations->count * (n + 2), sizeof *room);
	double *values = room + observations->count * n, *deviations = values + observations->count;
	bool found;

	for (size_t i = 0; i < observations->count; i++) {
		const double *coordinate = observations->coordinates + i * n;

		if (!takes_part(growth, coordinate, at))
			continue;
		memcpy(room + used * n, coordinate, n * sizeof *room);
		values[used] = observations->values[i];
		deviations[used++] = observations->deviations ? observations->deviations[i] : 0;
	}
	part.coordinates = room;
	part.values = values;
	part.deviations = observations->deviations ? deviations : NULL;
	part.count = used;
	part.freedom *= (double)used / (double)observations->count;
	found = used &&
		perun_form_ranges(growth, &part, at, 1, level, &prediction->low, &prediction->high);
	perun_free(room);
	return found;
}

void perun_scaling_model_predict(const struct perun_scaling_model *growth,
				 const struct perun_observations *observations, const double *at,
				 double level, struct perun_prediction *prediction)
{
	bool second = growth->segments == 2 && at[0] > growth->until;
	struct fit fit = {.formula = growth->formulas[second]};
	double value = perun_scaling_model_value(growth, at), freedom, width, noise;

	*prediction = (struct perun_prediction){value, NAN, NAN, is_beyond(observations, at)};
	if (prediction->beyond) {
		if (range_of_part(growth, observations, at, level, prediction)) {
			prediction->low = fmin(prediction->low, value);
			prediction->high = fmax(prediction->high, value);
			keep_above_zero(observations, prediction);
		}
		return;
	}
	fit.columns = fit.formula->term_count + 1;
	if (fit.columns > PERUN_COLUMNS)
		return;
	choose_fit(&fit, growth, observations, at);
	freedom = (double)fit.rows - (double)fit.columns;
	if (freedom > 0) {
		noise = pow(perun_noise_size(growth, perun_largest_value(observations), at),
			    2 * fit.power);
		width = perun_student_quantile((1 + level) / 2, freedom) *
			sqrt(fit.rss / freedom * (noise + leverage(&fit, at)));
		prediction->low = value - width;
		prediction->high = value + width;
		keep_above_zero(observations, prediction);
	}
	perun_free(fit.matrix);
}

/* The ranges at the places that are beyond the data, by one fit of all forms. */
static void predict_beyond(const struct perun_scaling_model *growth,
			   const struct perun_observations *observations, const double *at,
			   size_t places, double level, struct perun_prediction *predictions)
{
	size_t n = observations->parameters, count = 0;
	double *asked = perun_alloc_zero(places * (n + 2), sizeof *asked);
	double *low = asked + places * n, *high = low + places;
	bool found;

	for (size_t k = 0; k < places; k++)
		if (predictions[k].beyond)
			memcpy(asked + n * count++, at + k * n, n * sizeof *asked);
	found = count && perun_form_ranges(growth, observations, asked, count, level, low, high);
	for (size_t k = 0, i = 0; found && k < places; k++) {
		if (!predictions[k].beyond)
			continue;
		predictions[k].low = fmin(low[i], predictions[k].value);
		predictions[k].high = fmax(high[i++], predictions[k].value);
		keep_above_zero(observations, &predictions[k]);
	}
	perun_free(asked);
}

void perun_scaling_model_predict_all(const struct perun_scaling_model *growth,
				     const struct perun_observations *observations,
				     const double *at, size_t places, double level,
				     struct perun_prediction *predictions)
{
	size_t n = observations->parameters;

	for (size_t k = 0; k < places; k++) {
		const double *place = at + k * n;

		if (growth->segments == 2 || !is_beyond(observations, place))
			perun_scaling_model_predict(growth, observations, place, level,
						    &predictions[k]);
		else
			predictions[k] = (struct perun_prediction){
				perun_scaling_model_value(growth, place), NAN, NAN, true};
	}
	if (growth->segments == 1)
		predict_beyond(growth, observations, at, places, level, predictions);
}
