/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be beyond the data: the range over all forms that explain them nearly as well. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/model/model.h"
#include "perun/lib/statistics.h"

/*
 * Bayesian model averaging (Hoeting, Madigan, Raftery and Volinsky, Statistical Science 14, 1999): each form
 * is fitted with weights, as noise grows with what is measured; how well it fits gives its share; the range is
 * that between two quantiles of the mixture of what the forms predict, each with the error of its fit.
 * Repeated measurements separate the noise from what a form leaves out.
 */
enum { FORM_PARAMETERS = 4, FORM_TERMS = 4 };

/* Terms as sets of parameters, as in the search, and a candidate for each parameter. */
struct form {
	size_t parameters, terms;
	uint32_t sets[FORM_TERMS];
	struct perun_candidate candidates[FORM_PARAMETERS];
	size_t of[FORM_PARAMETERS]; /* the place of their value in a point */
};

/* `error` is the leverage until the noise is known. */
struct predicted {
	double value, error, rss, freedom, logarithm /* of its share */, share;
};

struct range {
	const struct perun_observations *points; /* those that count */
	const double *at;
	double *weights; /* 1 / deviation, up to a factor */
	double noise,
		freedom; /* weighted variance of the values by their repetitions; 0 = unknown */
	double rounding; /* what of the squares is rounding */
	double *matrix;  /* room for a fit */
	struct predicted *predicted;
	size_t count, room;
};

static double term_value(const struct form *form, uint32_t set, const double *coordinate)
{
	double product = 1;

	for (size_t p = 0; p < form->parameters; p++)
		if (set >> p & 1)
			product *= perun_candidate_value(&form->candidates[p],
							 coordinate[form->of[p]]);
	return product;
}

/* R'z = x for the leverage, R b = Q'v for the coefficients; false when they are not determined. */
static bool solve(const double *work, size_t rows, size_t columns, const double *at,
		  const double *scales, struct predicted *out)
{
	double z[FORM_TERMS + 1], value = 0, leverage = 0;

	for (size_t j = 0; j < columns; j++) {
		const double *column = work + j * rows;
		double left = at[j] / scales[j];

		if (!(fabs(column[j]) > 1e-9))
			return false;
		for (size_t k = 0; k < j; k++)
			left -= column[k] * z[k];
		z[j] = left / column[j];
		leverage += z[j] * z[j];
		value += z[j] * work[columns * rows + j];
	}
	out->value = value;
	out->error = leverage;
	return isfinite(value) && isfinite(leverage);
}

/* Whether all terms grow, or all fall. */
static bool same_signs(const double *work, size_t rows, size_t columns)
{
	double solution[FORM_TERMS + 1];
	bool grows = false, falls = false;

	for (size_t j = columns; j-- > 0;) {
		double left = work[columns * rows + j];

		for (size_t k = j + 1; k < columns; k++)
			left -= work[k * rows + j] * solution[k];
		solution[j] = left / work[j * rows + j];
		grows |= j && solution[j] > 0;
		falls |= j && solution[j] < 0;
	}
	return !(grows && falls);
}

/*
 * Fit what is in the first columns of the matrix, the constant's first; `at`: the same at the point. One that the
 * points do not determine says nothing, nor do terms that cancel each other.
 */
static void add_columns(struct range *range, size_t columns, const double *at, double prior)
{
	const struct perun_observations *points = range->points;
	size_t n = points->count;
	double scales[FORM_TERMS + 1], rss = range->rounding, *work = range->matrix;
	struct predicted out;

	for (size_t j = 0; j < columns; j++) {
		scales[j] = 0;
		for (size_t i = 0; i < n; i++)
			scales[j] = fmax(scales[j], fabs(work[j * n + i]));
		if (!(scales[j] > 0) || !isfinite(scales[j]) || !isfinite(at[j]))
			return;
		for (size_t i = 0; i < n; i++)
			work[j * n + i] /= scales[j];
	}
	for (size_t i = 0; i < n; i++)
		work[columns * n + i] = range->weights[i] * points->values[i];
	perun_triangularize(work, n, columns);
	if (!solve(work, n, columns, at, scales, &out) || !same_signs(work, n, columns))
		return;
	for (size_t i = columns; i < n; i++)
		rss += work[columns * n + i] * work[columns * n + i];
	out.rss = rss;
	out.freedom = (double)(n - columns);
	out.logarithm = log(prior) - (double)columns / 4 * log((double)n);
	PERUN_GROW(range->predicted, range->count, range->room);
	range->predicted[range->count++] = out;
}

static void add_form(struct range *range, const struct form *form, double prior)
{
	const struct perun_observations *points = range->points;
	size_t n = points->count, columns = form->terms + 1;
	double at[FORM_TERMS + 1];

	if (n < columns + 1)
		return;
	for (size_t j = 0; j < columns; j++) {
		uint32_t set = j ? form->sets[j - 1] : 0;

		at[j] = term_value(form, set, range->at);
		for (size_t i = 0; i < n; i++)
			range->matrix[j * n + i] =
				range->weights[i] *
				term_value(form, set, points->coordinates + i * points->parameters);
	}
	add_columns(range, columns, at, prior);
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* The form of a formula; false when it has parts, or one parameter with several exponents. */
static bool form_of(const struct perun_formula *formula, size_t parameters, struct form *form)
{
	*form = (struct form){.parameters = parameters, .terms = formula->term_count};
	if (parameters > FORM_PARAMETERS || formula->term_count > FORM_TERMS ||
	    formula->piecewise_count)
		return false;
	for (size_t p = 0; p < parameters; p++)
		form->of[p] = p;
	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		struct perun_candidate found[FORM_PARAMETERS] = {0};

		for (uint32_t k = 0; k < term->count; k++) {
			const struct perun_factor *factor = &formula->factors[term->first + k];
			struct perun_candidate *candidate = &found[factor->parameter];

			*(factor->logarithm ? &candidate->log : &candidate->poly) =
				factor->exponent;
			form->sets[i] |= 1u << factor->parameter;
		}
		for (size_t p = 0; p < parameters; p++) {
			if (!(form->sets[i] >> p & 1))
				continue;
			form->candidates[p] = found[p];
		}
	}
	return true;
}

/* Each parameter's term in turn replaced by all others. */
static void vary(struct range *range, const struct form *form, const struct perun_candidate *all,
		 size_t count)
{
	uint32_t used = 0;

	for (size_t k = 0; k < form->terms; k++)
		used |= form->sets[k];
	for (size_t p = 0; p < form->parameters; p++) {
		struct form other = *form;

		for (size_t i = 0; used >> p & 1 && i < count; i++) {
			other.candidates[p] = all[i];
			add_form(range, &other, 1);
		}
	}
}

/*
 * How likely a form of two terms is before the data, beside one of one term; and how much less for each unit
 * between their exponents: a small steep term may be added to any form without a trace in the data. Chosen on
 * sums of any two of these terms so that nine of ten truths are inside at twice the range.
 */
#define PAIR_PRIOR 0.3
#define PAIR_DECAY 1.5

enum { PAIR_POWERS = 13 };

/* A term of one of these powers, at the points (weighted) and at the point that is asked for. */
struct pair_term {
	double power, at;
	double *column;
};

/* The terms of pairs, with one room for all columns, which the first begins. */
static size_t pair_terms(const struct range *range, struct pair_term *terms)
{
	static const double powers[PAIR_POWERS] = {-1, 0,    0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75,
						   1,  1.25, 1.5,  2,       2.5, 3};
	size_t n = range->points->count, count = 0;
	double *room = perun_alloc_zero(3 * n * PAIR_POWERS, sizeof *room);

	for (size_t k = 0; k < PAIR_POWERS; k++) {
		for (int log = powers[k] == 0; log <= (powers[k] < 0   ? 0
						       : powers[k] > 1 ? 1
								       : 2);
		     log++) {
			struct pair_term *term = &terms[count];

			term->power = powers[k];
			term->at = pow(*range->at, powers[k]) * pow(log2(*range->at), log);
			term->column = room + n * count++;
			for (size_t i = 0; i < n; i++) {
				double x = range->points->coordinates[i];

				term->column[i] =
					range->weights[i] * pow(x, powers[k]) * pow(log2(x), log);
			}
		}
	}
	return count;
}

/* Two terms of one parameter. */
static void add_pairs(struct range *range)
{
	struct pair_term terms[3 * PAIR_POWERS];
	size_t n = range->points->count, count;

	if (n < 4)
		return;
	count = pair_terms(range, terms);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++) {
			const double at[] = {1, terms[i].at, terms[k].at};

			memcpy(range->matrix, range->weights, n * sizeof *range->matrix);
			memcpy(range->matrix + n, terms[i].column, n * sizeof *range->matrix);
			memcpy(range->matrix + 2 * n, terms[k].column, n * sizeof *range->matrix);
			add_columns(range, 3, at,
				    PAIR_PRIOR *
					    exp(-PAIR_DECAY * (terms[k].power - terms[i].power)));
		}
	}
	perun_free(terms->column);
}

/* ---- noise ----------------------------------------------------------------------------------- */

/* How likely the deviations are if they grow with the sizes to the power; `*noise`: their factor. */
static double likelihood(const struct perun_observations *points, const double *sizes, double power,
			 double *noise)
{
	double n = (double)points->count, sum = 0, logarithms = 0;

	for (size_t i = 0; i < points->count; i++) {
		double shape = pow(sizes[i], power), share = points->deviations[i] / shape;

		sum += share * share;
		logarithms += log(shape);
	}
	*noise = sum / n;
	return -n / 2 * log(*noise) - logarithms;
}

double perun_largest_value(const struct perun_observations *points)
{
	double largest = 0;

	for (size_t i = 0; i < points->count; i++)
		largest = fmax(largest, fabs(points->values[i]));
	return largest;
}

double perun_noise_size(const struct perun_scaling_model *growth, double largest, const double *at)
{
	double size = fabs(perun_scaling_model_value(growth, at));

	return largest == 0 ? 1 : size > 1e-3 * largest ? size : 1e-3 * largest;
}

/*
 * Noise mostly grows with what is measured; that of repetitions says whether it does here. Where it is
 * not known, it grows.
 */
double perun_noise_power(const struct perun_scaling_model *growth,
			 const struct perun_observations *points, double *noise)
{
	size_t n = points->count;
	double *sizes = perun_alloc_zero(n, sizeof *sizes), power = 1, best = -INFINITY;
	double largest = perun_largest_value(points);

	*noise = 0;
	for (size_t i = 0; i < n; i++)
		sizes[i] = perun_noise_size(growth, largest,
					    points->coordinates + i * points->parameters);
	for (double trial = 0; points->deviations && points->freedom > 0 && trial <= 1;
	     trial += 0.5) {
		double trial_noise, good = likelihood(points, sizes, trial, &trial_noise);

		if (good > best && trial_noise > 0) {
			best = good;
			power = trial;
			*noise = trial_noise;
		}
	}
	perun_free(sizes);
	return power;
}

static void weigh(struct range *range, const struct perun_scaling_model *growth)
{
	const struct perun_observations *points = range->points;
	double power = perun_noise_power(growth, points, &range->noise);
	double largest = perun_largest_value(points);

	range->freedom = range->noise > 0 ? points->freedom : 0;
	for (size_t i = 0; i < points->count; i++) {
		const double *x = points->coordinates + i * points->parameters;

		range->weights[i] = 1 / pow(perun_noise_size(growth, largest, x), power);
		range->rounding += pow(1e-12 * range->weights[i] * points->values[i], 2);
	}
}

/* Shares and errors, when all forms are known. */
static void settle(struct range *range)
{
	double least = INFINITY, best = -INFINITY, sum = 0, n = (double)range->points->count;

	for (size_t i = 0; i < range->count; i++)
		least = fmin(least, range->predicted[i].rss / range->predicted[i].freedom);
	/* No form fits as the repetitions do: points differ by more than these say. */
	if (least > 3 * range->noise)
		range->noise = range->freedom = 0;
	for (size_t i = 0; i < range->count; i++) {
		struct predicted *form = &range->predicted[i];
		double whole = form->rss + range->noise * range->freedom;

		form->logarithm -= (n + range->freedom) / 2 * log(whole);
		best = fmax(best, form->logarithm);
		whole = fmax(whole / (form->freedom + range->freedom), form->rss / form->freedom);
		form->freedom += range->freedom;
		form->error = sqrt(whole * form->error);
	}
	for (size_t i = 0; i < range->count; i++)
		sum += exp(range->predicted[i].logarithm - best);
	for (size_t i = 0; i < range->count; i++)
		range->predicted[i].share = exp(range->predicted[i].logarithm - best) / sum;
}

/* Student's distribution by Wallace's approximation (JASA 54, 1959), good to a few thousandths. */
static double below(double t, double freedom)
{
	double z = (8 * freedom + 1) / (8 * freedom + 3) * sqrt(freedom * log1p(t * t / freedom));

	return perun_normal_cdf(t < 0 ? -z : z);
}

static double quantile(const struct range *range, double p)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < range->count; i++) {
		const struct predicted *form = &range->predicted[i];

		low = fmin(low, form->value - 100 * form->error);
		high = fmax(high, form->value + 100 * form->error);
	}
	for (int step = 0; step < 60 && high - low > 1e-6 * fmax(fabs(low), fabs(high)); step++) {
		double middle = low + (high - low) / 2, sum = 0;

		for (size_t i = 0; i < range->count; i++) {
			const struct predicted *form = &range->predicted[i];

			if (form->share > 1e-5)
				sum += form->share *
				       (form->error > 0
						? below((middle - form->value) / form->error,
							form->freedom)
						: middle >= form->value);
		}
		*(sum < p ? &low : &high) = middle;
	}
	return low + (high - low) / 2;
}

bool perun_form_range(const struct perun_scaling_model *growth,
		      const struct perun_observations *observations, const double *at, double level,
		      double *low, double *high)
{
	static const struct perun_modeler_options every = {.negative_exponents = true};
	struct range range = {.points = observations, .at = at};
	const struct perun_formula *formula = perun_scaling_model_last(growth);
	struct perun_candidate *all;
	struct form form;
	size_t count, n = observations->count;

	if (!form_of(formula, observations->parameters, &form) ||
	    perun_candidates_new(NULL, &every, &all, &count) != PERUN_OK)
		return false;
	range.weights = perun_alloc_zero(n, sizeof *range.weights);
	range.matrix = perun_alloc_zero(n * (FORM_TERMS + 2), sizeof *range.matrix);
	weigh(&range, growth);
	add_form(&range, &form, 1);
	vary(&range, &form, all, count);
	if (observations->parameters == 1) {
		struct form constant = {.parameters = 1};
		add_form(&range, &constant, 1);
		add_pairs(&range);
	}
	settle(&range);
	*low = quantile(&range, (1 - level) / 2);
	*high = quantile(&range, (1 + level) / 2);
	perun_free(range.predicted);
	perun_free(range.matrix);
	perun_free(range.weights);
	perun_free(all);
	return range.count > 0;
}
