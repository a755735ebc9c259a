/* SPDX-License-Identifier: BSD-3-Clause */
/* All forms that explain the data nearly as well as the one that was found, and what they say of other points. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/forms.h"
#include "core/model/powers.h"
#include "perun/lib/statistics.h"

/*
 * Bayesian model averaging (Hoeting, Madigan, Raftery and Volinsky, Statistical Science 14, 1999): each form
 * is fitted with weights, as noise grows with what is measured, and how well it fits gives its share.
 * Repeated measurements separate the noise from what a form leaves out.
 */
/* Terms as sets of parameters, as in the search, and a candidate for each parameter. */
struct form {
	size_t parameters, terms;
	uint32_t sets[PERUN_FORM_TERMS];
	struct perun_candidate candidates[PERUN_FORM_PARAMETERS];
};

static double term_value(const struct form *form, uint32_t set, const double *coordinate)
{
	double product = 1;

	for (size_t p = 0; p < form->parameters; p++)
		if (set >> p & 1)
			product *= perun_candidate_value(&form->candidates[p], coordinate[p]);
	return product;
}

/* How likely the form is that the search found, beside any other: it also predicted points that were left out best. */
#define FOUND_PRIOR 2

static bool add_form(struct perun_form_fitting *fitting, const struct form *form, double prior)
{
	const struct perun_observations *points = fitting->points;
	size_t n = points->count, columns = form->terms + 1, places = fitting->forms->places;

	if (n < columns + 1)
		return false;
	for (size_t j = 0; j < columns; j++) {
		uint32_t set = j ? form->sets[j - 1] : 0;

		for (size_t k = 0; k < places; k++)
			fitting->asked[j * places + k] =
				term_value(form, set, fitting->at + k * points->parameters);
		for (size_t i = 0; i < n; i++)
			fitting->matrix[j * n + i] =
				fitting->weights[i] *
				term_value(form, set, points->coordinates + i * points->parameters);
	}
	return perun_form_add_columns(fitting, columns, form->terms, prior);
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* The form of a formula; false when it has parts, or one parameter with several exponents. */
static bool form_of(const struct perun_formula *formula, size_t parameters, struct form *form)
{
	*form = (struct form){.parameters = parameters, .terms = formula->term_count};
	if (parameters > PERUN_FORM_PARAMETERS || formula->term_count > PERUN_FORM_TERMS ||
	    formula->piecewise_count)
		return false;
	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		struct perun_candidate found[PERUN_FORM_PARAMETERS] = {0};

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

/*
 * Each parameter's term in turn replaced by all others. Of three parameters these are a hundred forms of one structure,
 * while each other structure has a few (powers.c): before the data they are as likely all together.
 */
#define VARIED_OF_THREE_PRIOR 0.05
static void vary(struct perun_form_fitting *fitting, const struct form *form,
		 const struct perun_candidate *all, size_t count)
{
	double prior = form->parameters == 3 ? VARIED_OF_THREE_PRIOR : 1;
	uint32_t used = 0;

	for (size_t k = 0; k < form->terms; k++)
		used |= form->sets[k];
	for (size_t p = 0; p < form->parameters; p++) {
		struct form other = *form;

		for (size_t i = 0; used >> p & 1 && i < count; i++) {
			other.candidates[p] = all[i];
			add_form(fitting, &other, prior);
		}
	}
}

/*
 * How likely a form of two terms is before the data, beside one of one term, and one of three; and how much less for
 * each unit between their exponents: a small steep term may be added to any form without a trace in the data. One that
 * falls leaves its trace where the values are large, however steep it is, so it counts as an exponent of 0.
 */
#define PAIR_PRIOR  0.3
#define THREE_PRIOR 0.3
#define POWER_DECAY 1.5

static double distance_prior(double power, double other)
{
	return exp(-POWER_DECAY * fabs(fmax(power, 0) - fmax(other, 0)));
}

enum { FACTOR_POWERS = 16, MAX_FACTORS = 3 * FACTOR_POWERS };

/* x^power * log2(x)^0..2 of one parameter, at the points and then at the places, which are in one block: the first's. */
struct factor {
	double power, *values;
};
struct factor_table {
	struct factor factors[MAX_FACTORS];
	size_t count;
};

static void make_factors(const struct perun_form_fitting *fitting, size_t parameter,
			 struct factor_table *table)
{
	static const double powers[FACTOR_POWERS] = {-1,      -0.75, -2.0 / 3, -0.5, 0, 0.25,
						     1.0 / 3, 0.5,   2.0 / 3,  0.75, 1, 1.25,
						     1.5,     2,     2.5,      3};
	const struct perun_observations *points = fitting->points;
	size_t n = points->count, all = n + fitting->forms->places;
	double *values = perun_alloc_zero(all * MAX_FACTORS, sizeof *values);

	table->count = 0;
	for (size_t k = 0; k < FACTOR_POWERS; k++) {
		int logs = powers[k] == 0 ? 1 : 0, most = powers[k] < 0 ? 0 : powers[k] > 1 ? 1 : 2;

		for (; logs <= most; logs++, values += all) {
			table->factors[table->count++] = (struct factor){powers[k], values};
			for (size_t i = 0; i < all; i++) {
				const double *at = i < n ? points->coordinates : fitting->at;
				double x = at[(i < n ? i : i - n) * points->parameters + parameter];

				values[i] = pow(x, powers[k]) * pow(log2(x), logs);
			}
		}
	}
}

/* Column j of a fit is the product of the factors of these parameters; of none, 1. */
static void set_column(struct perun_form_fitting *fitting, size_t j, uint32_t parameters,
		       const double *const *factors)
{
	size_t n = fitting->points->count, places = fitting->forms->places;

	for (size_t i = 0; i < n + places; i++) {
		double product = (parameters & 1 ? factors[0][i] : 1) *
				 (parameters & 2 ? factors[1][i] : 1) *
				 (parameters & 4 ? factors[2][i] : 1);

		if (i < n)
			fitting->matrix[j * n + i] = fitting->weights[i] * product;
		else
			fitting->asked[j * places + i - n] = product;
	}
}

/* A constant and `count` terms of one parameter, the first with the least power, the last with the greatest. */
static void add_sum(struct perun_form_fitting *fitting, const struct factor *const *terms,
		    size_t count, double prior)
{
	set_column(fitting, 0, 0, NULL);
	for (size_t j = 0; j < count; j++)
		set_column(fitting, j + 1, 1, (const double *const[]){terms[j]->values});
	perun_form_add_columns(fitting, count + 1, count,
			       prior * distance_prior(terms[0]->power, terms[count - 1]->power));
}

/* What three terms are made from, which together come near any others: -1, whole and half powers but 2.5. */
static bool is_coarse(const struct factor *factor)
{
	double power = factor->power;

	return power == -1 || power == 3 ||
	       (power >= 0 && power <= 2 && power * 2 == floor(power * 2));
}

/* Two terms of one parameter, and three. */
static void add_sums(struct perun_form_fitting *fitting)
{
	size_t n = fitting->points->count;
	struct factor_table table;

	if (n < 4)
		return;
	make_factors(fitting, 0, &table);
	for (size_t i = 0; i < table.count; i++) {
		for (size_t k = i + 1; k < table.count; k++) {
			const struct factor *terms[3] = {&table.factors[i], &table.factors[k]};

			add_sum(fitting, terms, 2, PAIR_PRIOR);
			if (n < 5 || !is_coarse(terms[0]) || !is_coarse(terms[1]))
				continue;
			for (size_t l = k + 1; l < table.count; l++) {
				terms[2] = &table.factors[l];
				if (is_coarse(terms[2]))
					add_sum(fitting, terms, 3, THREE_PRIOR);
			}
		}
	}
	perun_free(table.factors->values);
}

/* ---- forms of two parameters ---------------------------------------------------------------------------- */

/*
 * Sums and products differ least where few points lie off the lines along the parameters, so all of them count:
 * whatever one formula is, the others are what the truth may be. Bit p of a set is parameter p.
 */
enum { STRUCTURES = 8 };
static const struct structure {
	size_t terms;
	uint32_t sets[3];
} structures[STRUCTURES] = {
	{1, {3}},       {2, {1, 2}}, {2, {1, 3}}, {2, {2, 3}},
	{3, {1, 2, 3}}, {1, {1}},    {1, {2}},    {0, {0}},
};

/* Each factor of one parameter with each of the other, in each structure. */
static void add_structures(struct perun_form_fitting *fitting, const struct factor_table tables[2])
{
	for (size_t s = 0; s < STRUCTURES; s++) {
		const struct structure *structure = &structures[s];
		uint32_t used = 0;

		for (size_t k = 0; k < structure->terms; k++)
			used |= structure->sets[k];
		for (size_t a = 0; a < (used & 1 ? tables[0].count : 1); a++) {
			for (size_t b = 0; b < (used & 2 ? tables[1].count : 1); b++) {
				const double *factors[2] = {tables[0].factors[a].values,
							    tables[1].factors[b].values};

				for (size_t j = 0; j <= structure->terms; j++)
					set_column(fitting, j, j ? structure->sets[j - 1] : 0,
						   factors);
				if (fitting->points->count > structure->terms + 1)
					perun_form_add_columns(
						fitting, structure->terms + 1, structure->terms,
						structure->terms > 1 ? PAIR_PRIOR : 1);
			}
		}
	}
}

/*
 * A product and a term of one parameter with a power of its own: these are many, so all get their sum of squares, and
 * only the best are asked. How likely each is before the data, so that all together are as likely as the others.
 */
enum { MAX_TRIPLES = 2000 };
#define TRIPLE_PRIOR 0.03

struct triple {
	double rss;
	uint8_t a, b;    /* the product's factors */
	uint8_t own, of; /* the other term's, of this parameter */
};

static double product_of(const double *one, const double *other, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += one[i] * other[i];
	return sum;
}

/* Takes from `column` what is along the unit vector, and returns how much that was. */
static double take_along(double *column, const double *unit, size_t n)
{
	double along = product_of(column, unit, n);

	for (size_t i = 0; i < n; i++)
		column[i] -= along * unit[i];
	return along;
}

static void make_unit(double *column, size_t n)
{
	double length = sqrt(product_of(column, column, n));

	for (size_t i = 0; i < n; i++)
		column[i] = length > 0 ? column[i] / length : 0;
}

/* The columns that triples are made from, weighted: one of ones, and each parameter's without what is along it. */
struct triple_columns {
	double *ones, *product, *values, *own[2];
};

static void set_triple_columns(const struct perun_form_fitting *fitting,
			       const struct factor_table tables[2], struct triple_columns *columns)
{
	size_t n = fitting->points->count;

	memcpy(columns->ones, fitting->weights, n * sizeof *columns->ones);
	make_unit(columns->ones, n);
	for (size_t p = 0; p < 2; p++) {
		for (size_t k = 0; k < tables[p].count; k++) {
			double *own = columns->own[p] + k * n;

			for (size_t i = 0; i < n; i++)
				own[i] = fitting->weights[i] * tables[p].factors[k].values[i];
			take_along(own, columns->ones, n);
			make_unit(own, n);
		}
	}
}

/* The sums of squares of all triples with one product. */
static struct triple *add_triples(const struct perun_form_fitting *fitting,
				  const struct factor_table tables[2],
				  const struct triple_columns *columns, size_t a, size_t b,
				  struct triple *out)
{
	size_t n = fitting->points->count;
	double squares;

	for (size_t i = 0; i < n; i++) {
		columns->product[i] = fitting->weights[i] * tables[0].factors[a].values[i] *
				      tables[1].factors[b].values[i];
		columns->values[i] = fitting->weights[i] * fitting->points->values[i];
	}
	take_along(columns->product, columns->ones, n);
	make_unit(columns->product, n);
	take_along(columns->values, columns->ones, n);
	take_along(columns->values, columns->product, n);
	squares = product_of(columns->values, columns->values, n);
	for (size_t p = 0; p < 2; p++) {
		for (size_t k = 0; k < tables[p].count; k++) {
			const double *own = columns->own[p] + k * n;
			double along = product_of(own, columns->product, n);
			double left = product_of(own, columns->values, n);

			/* What the product nearly has already would be rounding. */
			if (1 - along * along > 1e-9)
				*out++ = (struct triple){
					squares - left * left / (1 - along * along), (uint8_t)a,
					(uint8_t)b, (uint8_t)k, (uint8_t)p};
		}
	}
	return out;
}

static int compare_triples(const void *one, const void *other)
{
	double x = ((const struct triple *)one)->rss, y = ((const struct triple *)other)->rss;

	return (x > y) - (x < y);
}

/* The best MAX_TRIPLES come first, in order, and perhaps some others after them; returns how many. */
static size_t take_best(struct triple *triples, size_t count)
{
	size_t kept = 0;
	double limit = INFINITY;

	for (size_t i = 0; i < count; i++) {
		if (triples[i].rss >= limit)
			continue;
		triples[kept++] = triples[i];
		if (kept == (size_t)2 * MAX_TRIPLES) {
			qsort(triples, kept, sizeof *triples, compare_triples);
			kept = MAX_TRIPLES;
			limit = triples[kept - 1].rss;
		}
	}
	if (kept > 1)
		qsort(triples, kept, sizeof *triples, compare_triples);
	return kept;
}

static void add_best_triples(struct perun_form_fitting *fitting,
			     const struct factor_table tables[2])
{
	size_t n = fitting->points->count, pairs = tables[0].count * tables[1].count, count;
	size_t own = tables[0].count + tables[1].count;
	double *room = perun_alloc_zero(n * (3 + own), sizeof *room);
	struct triple *triples = perun_alloc_zero(pairs * own, sizeof *triples), *end = triples;
	struct triple_columns columns = {
		room, room + n, room + 2 * n, {room + 3 * n, room + n * (3 + tables[0].count)}};

	set_triple_columns(fitting, tables, &columns);
	for (size_t a = 0; a < tables[0].count; a++)
		for (size_t b = 0; b < tables[1].count; b++)
			end = add_triples(fitting, tables, &columns, a, b, end);
	count = (size_t)(end - triples);
	count = take_best(triples, count);
	for (size_t i = 0; i < count && i < MAX_TRIPLES; i++) {
		const struct triple *triple = &triples[i];
		const struct factor *product[2] = {&tables[0].factors[triple->a],
						   &tables[1].factors[triple->b]};
		const struct factor *term = &tables[triple->of].factors[triple->own];
		const double *factors[2] = {product[0]->values, product[1]->values};
		double near = distance_prior(term->power, product[triple->of]->power);

		set_column(fitting, 0, 0, factors);
		set_column(fitting, 1, 3, factors);
		factors[0] = term->values;
		set_column(fitting, 2, 1, factors);
		perun_form_add_columns(fitting, 3, 2, TRIPLE_PRIOR * near);
	}
	perun_free(triples);
	perun_free(room);
}

/* ---- forms of three parameters -------------------------------------------------------------------------- */

/*
 * Where points lie on lines along the parameters, the fitted power of a factor that drowns in the constant says
 * nothing; so products of given factors count as well, all of them, which together are rather likelier than any other
 * structure: of less, the range held the truth in up to 4 of a hundred cases too few.
 */
#define PRODUCT_PRIOR 0.6

static void add_products(struct perun_form_fitting *fitting)
{
	struct factor_table tables[3];

	if (fitting->points->count < 4)
		return;
	for (size_t p = 0; p < 3; p++) {
		size_t kept = 0;

		/* The first one, which has the room of all, is among those kept. */
		make_factors(fitting, p, &tables[p]);
		for (size_t k = 0; k < tables[p].count; k++)
			if (is_coarse(&tables[p].factors[k]))
				tables[p].factors[kept++] = tables[p].factors[k];
		tables[p].count = kept;
	}
	for (size_t k = 0; k < tables[0].count * tables[1].count * tables[2].count; k++) {
		const double *factors[3];
		size_t rest = k;

		for (size_t p = 0; p < 3; p++, rest /= tables[p - 1].count)
			factors[p] = tables[p].factors[rest % tables[p].count].values;
		set_column(fitting, 0, 0, NULL);
		set_column(fitting, 1, 7, factors);
		perun_form_add_columns(fitting, 2, 1, PRODUCT_PRIOR);
	}
	for (size_t p = 0; p < 3; p++)
		perun_free(tables[p].factors->values);
}

static void add_of_two(struct perun_form_fitting *fitting)
{
	struct factor_table tables[2];

	for (size_t p = 0; p < 2; p++)
		make_factors(fitting, p, &tables[p]);
	add_structures(fitting, tables);
	if (fitting->points->count > 3)
		add_best_triples(fitting, tables);
	for (size_t p = 0; p < 2; p++)
		perun_free(tables[p].factors->values);
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

static void weigh(struct perun_form_fitting *fitting, const struct perun_scaling_model *growth)
{
	const struct perun_observations *points = fitting->points;
	double power = perun_noise_power(growth, points, &fitting->noise);
	double largest = perun_largest_value(points);

	fitting->freedom = fitting->noise > 0 ? points->freedom : 0;
	for (size_t i = 0; i < points->count; i++) {
		const double *x = points->coordinates + i * points->parameters;

		fitting->weights[i] = 1 / pow(perun_noise_size(growth, largest, x), power);
		fitting->rounding += pow(1e-12 * fitting->weights[i] * points->values[i], 2);
	}
}

/*
 * No form is quite what the truth is, so the likelihood counts by a power less than 1 (Grünwald and van Ommen, Bayesian
 * Analysis 12, 2017), and forms that fit a little worse keep their share. Chosen, as the priors are, so that nine of
 * ten truths are inside at twice the range.
 */
#define LEARNING_RATE 0.75

/* Shares and variances, when all forms are known. */
static void settle(struct perun_form_fitting *fitting)
{
	struct perun_forms *forms = fitting->forms;
	double least = INFINITY, best = -INFINITY, sum = 0, n = (double)fitting->points->count;

	for (size_t i = 0; i < forms->count; i++)
		least = fmin(least, forms->forms[i].rss / forms->forms[i].freedom);
	/* No form fits as the repetitions do: points differ by more than these say. */
	if (least > 3 * fitting->noise)
		fitting->noise = fitting->freedom = 0;
	for (size_t i = 0; i < forms->count; i++) {
		struct perun_form *form = &forms->forms[i];
		double whole = form->rss + fitting->noise * fitting->freedom;

		form->logarithm -= LEARNING_RATE * (n + fitting->freedom) / 2 * log(whole);
		best = fmax(best, form->logarithm);
		form->variance =
			fmax(whole / (form->freedom + fitting->freedom), form->rss / form->freedom);
		form->freedom += fitting->freedom;
	}
	for (size_t i = 0; i < forms->count; i++)
		sum += exp(forms->forms[i].logarithm - best);
	for (size_t i = 0; i < forms->count; i++)
		forms->forms[i].share = exp(forms->forms[i].logarithm - best) / sum;
}

double perun_form_value(const struct perun_forms *forms, size_t form, size_t place)
{
	const struct perun_form *of = &forms->forms[form];

	return forms->numbers[of->first + place * (of->columns + 1)];
}

double perun_form_covariance(const struct perun_forms *forms, size_t form, size_t one, size_t other)
{
	const struct perun_form *of = &forms->forms[form];
	const double *a = forms->numbers + of->first + one * (of->columns + 1) + 1;
	const double *b = forms->numbers + of->first + other * (of->columns + 1) + 1;
	double sum = 0;

	for (size_t j = 0; j < of->columns; j++)
		sum += a[j] * b[j];
	return of->variance * sum;
}

/*
 * The terms that the parameters of a form may have instead: all that are tried, falling ones as well, and steep ones
 * beside a steep one alone, since a range for everything would be wider by what nothing is known of. 0 = none.
 */
static size_t find_candidates(const struct form *form, struct perun_candidate **candidates)
{
	static const struct perun_modeler_options every = {.negative_exponents = true};
	struct perun_candidate *steep;
	size_t count, more;
	bool is_steep = false;

	if (perun_candidates_new(NULL, &every, candidates, &count) != PERUN_OK)
		return 0;
	for (size_t p = 0; p < form->parameters; p++)
		is_steep |= form->candidates[p].poly.value > 2.5;
	if (!is_steep)
		return count;
	more = perun_candidates_beside(PERUN_BESIDE_STEEP, &steep);
	*candidates = perun_realloc_array(*candidates, count + more, sizeof **candidates);
	memcpy(*candidates + count, steep, more * sizeof *steep);
	perun_free(steep);
	return count + more;
}

bool perun_forms_fit(const struct perun_scaling_model *growth,
		     const struct perun_observations *observations, const double *at, size_t places,
		     struct perun_forms *forms)
{
	struct perun_form_fitting fitting = {.points = observations, .at = at, .forms = forms};
	const struct perun_formula *formula = perun_scaling_model_last(growth);
	struct perun_candidate *all;
	struct form form;
	size_t count, n = observations->count;
	bool determined;

	*forms = (struct perun_forms){.places = places};
	if (!form_of(formula, observations->parameters, &form))
		return false;
	count = find_candidates(&form, &all);
	if (!count)
		return false;
	fitting.weights = perun_alloc_zero(n, sizeof *fitting.weights);
	fitting.matrix = perun_alloc_zero(n * (PERUN_FORM_TERMS + 2), sizeof *fitting.matrix);
	fitting.asked = perun_alloc_zero(places * (PERUN_FORM_TERMS + 1), sizeof *fitting.asked);
	weigh(&fitting, growth);
	determined = add_form(&fitting, &form, FOUND_PRIOR);
	vary(&fitting, &form, all, count);
	if (observations->parameters == 1) {
		struct form constant = {.parameters = 1};

		add_form(&fitting, &constant, 1);
		add_sums(&fitting);
	} else if (observations->parameters == 2) {
		add_of_two(&fitting);
	} else if (observations->parameters == 3) {
		add_products(&fitting);
	}
	perun_form_add_powers(&fitting);
	settle(&fitting);
	perun_free(fitting.asked);
	perun_free(fitting.matrix);
	perun_free(fitting.weights);
	perun_free(all);
	if (!determined)
		perun_forms_clear(forms);
	return determined;
}

void perun_forms_clear(struct perun_forms *forms)
{
	perun_free(forms->forms);
	perun_free(forms->numbers);
}
