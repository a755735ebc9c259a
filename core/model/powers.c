/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of several parameters whose powers are any numbers. */
#include <math.h>
#include <string.h>

#include "core/model/powers.h"

/*
 * Powers are fitted as well as coefficients (Gauss and Newton), and columns of derivatives by them say how sure they
 * are. Of tables with enough powers for that, products would be too many.
 */
enum { MAX_TERMS = 3, MAX_POWERS = 4, MAX_STEPS = 12 };

/* Terms as sets of parameters, 0 after the last. */
typedef uint8_t structure[MAX_TERMS + 1];
static const structure of_two[] = {{3}, {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}, {1}, {2}};
static const structure of_three[] = {
	{7},       {1, 2, 4}, {7, 1},    {7, 2},    {7, 4},    {7, 3},    {7, 6},    {7, 5},
	{7, 3, 4}, {7, 6, 1}, {7, 5, 2}, {7, 1, 2}, {7, 1, 4}, {7, 2, 4}, {3, 4},    {3, 4, 2},
	{3, 4, 1}, {5, 2},    {5, 2, 1}, {5, 2, 4}, {6, 1},    {6, 1, 2}, {6, 1, 4}, {3},
	{5},       {6},       {1, 2},    {1, 4},    {2, 4},    {1},       {2},       {4},
};
static const structure of_four[] = {{15}};

/* Power `slot` is one of this parameter; terms share it, or have one each. */
struct powers {
	size_t terms, slots;
	double coefficients[MAX_TERMS];
	int slot_of[MAX_TERMS][PERUN_FORM_PARAMETERS]; /* -1: the term has no such parameter */
	size_t parameter[MAX_POWERS];
	double power[MAX_POWERS];
	int logarithms[MAX_POWERS];
	double rss; /* once fitted, else INFINITY */
};

/* The natural logarithms of all points and then places, parameter by parameter; and the factors x^power * log2(x)^k. */
struct room {
	struct perun_form_fitting *fitting;
	size_t all; /* points and places */
	double *logarithms, *factors;
};

static void evaluate(const struct room *room, const struct powers *powers)
{
	for (size_t slot = 0; slot < powers->slots; slot++) {
		const double *logarithms = room->logarithms + powers->parameter[slot] * room->all;
		double *factors = room->factors + slot * room->all;

		for (size_t i = 0; i < room->all; i++) {
			factors[i] = exp(powers->power[slot] * logarithms[i]);
			for (int k = 0; k < powers->logarithms[slot]; k++)
				factors[i] *= logarithms[i] / M_LN2;
		}
	}
}

static double term_value(const struct room *room, const struct powers *powers, size_t term,
			 size_t i)
{
	double product = 1;

	for (size_t p = 0; p < PERUN_FORM_PARAMETERS; p++) {
		int slot = powers->slot_of[term][p];

		if (slot >= 0)
			product *= room->factors[(size_t)slot * room->all + i];
	}
	return product;
}

/*
 * A constant, the terms and, if asked for, the derivatives by the powers, at a point or place, as they were evaluated.
 * Returns how many.
 */
static size_t set_columns(const struct room *room, const struct powers *powers, size_t i,
			  bool derivatives, double *columns)
{
	size_t count = 1 + powers->terms;

	columns[0] = 1;
	for (size_t k = 0; k < powers->terms; k++)
		columns[1 + k] = term_value(room, powers, k, i);
	for (size_t slot = 0; derivatives && slot < powers->slots; slot++) {
		size_t p = powers->parameter[slot];
		double sum = 0;

		for (size_t k = 0; k < powers->terms; k++)
			if (powers->slot_of[k][p] == (int)slot)
				sum += powers->coefficients[k] * columns[1 + k];
		columns[count++] = sum * room->logarithms[p * room->all + i];
	}
	return count;
}

/* The columns at all points, weighted; returns how many. */
static size_t fill_matrix(const struct room *room, const struct powers *powers, bool derivatives)
{
	struct perun_form_fitting *fitting = room->fitting;
	double columns[PERUN_FORM_TERMS + 1];
	size_t n = fitting->points->count, count = 0;

	for (size_t i = 0; i < n; i++) {
		count = set_columns(room, powers, i, derivatives, columns);
		for (size_t j = 0; j < count; j++)
			fitting->matrix[j * n + i] = fitting->weights[i] * columns[j];
	}
	return count;
}

/* Fit the columns, and take the terms' coefficients; false when they are not determined. */
static bool fit(const struct room *room, struct powers *powers, bool derivatives, double *solution)
{
	struct perun_form_fitting *fitting = room->fitting;
	size_t n = fitting->points->count, count = fill_matrix(room, powers, derivatives);
	double scales[PERUN_FORM_TERMS + 1], *work = fitting->matrix;

	if (!perun_form_triangularize(fitting, count, scales))
		return false;
	for (size_t j = 0; j < count; j++)
		if (!(fabs(work[j * n + j]) > 1e-9))
			return false;
	perun_form_solve(work, n, count, solution);
	for (size_t j = 0; j < count; j++)
		solution[j] /= scales[j];
	if (!derivatives)
		memcpy(powers->coefficients, solution + 1, powers->terms * sizeof *solution);
	powers->rss = fitting->rounding;
	for (size_t i = count; i < n; i++)
		powers->rss += work[count * n + i] * work[count * n + i];
	return true;
}

/* The powers of least squares; false when there are none. */
static bool find_powers(const struct room *room, struct powers *powers)
{
	double solution[PERUN_FORM_TERMS + 1];

	for (int step = 0; step < MAX_STEPS; step++) {
		double largest = 0;

		evaluate(room, powers);
		if (!fit(room, powers, false, solution) || !fit(room, powers, true, solution))
			return false;
		for (size_t slot = 0; slot < powers->slots; slot++) {
			double move = solution[1 + powers->terms + slot];

			move = fmin(fmax(move, -0.5), 0.5);
			largest = fmax(largest, fabs(move));
			powers->power[slot] += move;
			if (!(fabs(powers->power[slot]) <= 4))
				return false;
		}
		if (largest < 1e-3) {
			evaluate(room, powers);
			return true;
		}
	}
	return false;
}

static size_t column_count(const struct powers *powers)
{
	return 1 + powers->terms + powers->slots;
}

static void add(const struct room *room, struct powers *powers)
{
	struct perun_form_fitting *fitting = room->fitting;
	size_t n = fitting->points->count, places = fitting->forms->places;
	double columns[PERUN_FORM_TERMS + 1];

	if (n <= column_count(powers) || !find_powers(room, powers)) {
		powers->rss = INFINITY;
		return;
	}
	for (size_t k = 0; k < places; k++) {
		size_t count = set_columns(room, powers, n + k, true, columns);

		for (size_t j = 0; j < count; j++)
			fitting->asked[j * places + k] = columns[j];
	}
	fill_matrix(room, powers, true);
	perun_form_add_columns(fitting, column_count(powers), powers->terms, 1);
}

/* Terms of one structure; false when they are more than can be fitted. */
static bool start(const uint8_t *sets, bool shared, struct powers *powers)
{
	int shared_slots[PERUN_FORM_PARAMETERS] = {-1, -1, -1, -1};

	*powers = (struct powers){0};
	for (; sets[powers->terms]; powers->terms++) {
		for (size_t p = 0; p < PERUN_FORM_PARAMETERS; p++) {
			int *slot = &powers->slot_of[powers->terms][p];

			*slot = -1;
			if (!(sets[powers->terms] >> p & 1))
				continue;
			*slot = shared ? shared_slots[p] : -1;
			if (*slot >= 0)
				continue;
			if (powers->slots == MAX_POWERS)
				return false;
			powers->parameter[powers->slots] = p;
			*slot = shared_slots[p] = (int)powers->slots++;
		}
	}
	return column_count(powers) <= PERUN_FORM_TERMS + 1;
}

/* Add a structure with each logarithm of each power; `first` is the number of the first of these. */
static double add_all(const struct room *room, const uint8_t *sets, bool shared, size_t first,
		      size_t last)
{
	struct powers powers;
	double best = INFINITY;

	for (size_t number = first; start(sets, shared, &powers) && number < last; number++) {
		size_t rest = number;

		for (size_t slot = 0; slot < powers.slots; slot++, rest /= 3) {
			powers.logarithms[slot] = (int)(rest % 3);
			powers.power[slot] = 1 - powers.logarithms[slot] / 4.0;
		}
		if (rest)
			break;
		add(room, &powers);
		best = fmin(best, powers.rss);
	}
	return best;
}

/* With logarithms as many structures are fitted as there is time for. */
enum { MAX_STRUCTURES = sizeof of_three / sizeof *of_three, MAX_FITTED_POINTS = 400 };

/* Structures without logarithms first; with all of them the product and those that fit best. */
static void add_best(const struct room *room, const structure *all, size_t count)
{
	size_t points = room->fitting->points->count, most = 1 + MAX_FITTED_POINTS / points;
	double n = (double)points, likely[MAX_STRUCTURES];

	for (size_t s = 0; s < count; s++) {
		struct powers powers;

		start(all[s], true, &powers);
		likely[s] = -n / 2 * log(add_all(room, all[s], true, 0, 1)) -
			    (double)column_count(&powers) / 4 * log(n);
	}
	likely[0] = INFINITY;
	for (size_t k = 0; k < most && k < count; k++) {
		size_t best = 0;

		for (size_t s = 1; s < count; s++)
			if (likely[s] > likely[best])
				best = s;
		if (likely[best] == -INFINITY)
			return;
		likely[best] = -INFINITY;
		add_all(room, all[best], true, 1, SIZE_MAX);
	}
	/* A product and a term with a power of its own. */
	for (size_t s = 0; s < count; s++)
		if (all[s][0] & all[s][1] && !all[s][2])
			add_all(room, all[s], false, 0, 1);
}

void perun_form_add_powers(struct perun_form_fitting *fitting)
{
	static const struct {
		const structure *all;
		size_t count;
	} structures[PERUN_FORM_PARAMETERS + 1] = {
		[2] = {of_two, sizeof of_two / sizeof *of_two},
		[3] = {of_three, sizeof of_three / sizeof *of_three},
		[4] = {of_four, sizeof of_four / sizeof *of_four},
	};
	const struct perun_observations *points = fitting->points;
	size_t n = points->count, all = n + fitting->forms->places, parameters = points->parameters;
	struct room room = {fitting, all, NULL, NULL};

	if (!structures[parameters].count)
		return;
	room.logarithms = perun_alloc_zero(all * (parameters + MAX_POWERS), sizeof(double));
	room.factors = room.logarithms + all * parameters;
	for (size_t i = 0; i < all; i++) {
		const double *x = i < n ? points->coordinates + i * parameters
					: fitting->at + (i - n) * parameters;

		for (size_t p = 0; p < parameters; p++)
			room.logarithms[p * all + i] = log(x[p]);
	}
	add_best(&room, structures[parameters].all, structures[parameters].count);
	perun_free(room.logarithms);
}
