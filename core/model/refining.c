/* SPDX-License-Identifier: BSD-3-Clause */
/* The refining search: exponents narrowed down by mediants of fractions. */
#include <math.h>

#include "core/model/model.h"

/*
 * After Reisert, Calotoiu, Shudler and Wolf, "Following the Blind Seer - Creating Better Performance
 * Models Using Less Information" (Euro-Par 2017): start from small whole exponents, and replace the
 * neighbourhood of the best by fractions between it and its neighbours as long as that pays.
 */
enum { POLYS = 6, LOGS = 3, ROUNDS = 10 };

struct fraction {
	int32_t top, under;
};

/* One of the exponents varies: of the polynomial beside a fixed logarithm, or of the logarithm alone. */
struct slice {
	bool varies_log;
	int32_t log; /* the fixed one */
	struct fraction left, center, right;
	double smape;     /* at the start; NaN = nothing fits */
	double threshold; /* the gain that a new exponent has to bring */
	struct perun_single best;
};

struct search {
	const struct perun_space *space;
	const struct perun_modeler_options *options;
	struct perun_values values;
	double *t;
};

static struct fraction mediant(struct fraction a, struct fraction b)
{
	return (struct fraction){a.top + b.top, a.under + b.under};
}

static struct perun_exponent exponent_of(struct fraction fraction)
{
	int32_t a = fraction.top, b = fraction.under;

	while (b) {
		int32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a ? perun_fraction(fraction.top / a, fraction.under / a) : perun_fraction(0, 1);
}

/* Costs of a candidate; false when there is nothing to fit. */
static bool measure(struct search *search, const struct slice *slice, struct fraction at,
		    struct perun_single *out)
{
	struct perun_fit_line line;
	bool good;

	*out = (struct perun_single){.index = SIZE_MAX};
	out->candidate.poly = slice->varies_log ? perun_fraction(0, 1) : exponent_of(at);
	out->candidate.log = slice->varies_log ? exponent_of(at) : perun_fraction(slice->log, 1);
	if (out->candidate.poly.value == 0 && out->candidate.log.value == 0)
		return false;
	for (size_t i = 0; i < search->space->count; i++)
		search->t[i] = perun_candidate_value(&out->candidate, search->space->x[i]);
	perun_line_init(&line, search->t, search->space->count);
	perun_line_fit(&line, &search->values, line.count, &out->c0, &out->c1);
	good = perun_line_costs(&line, &search->values, INFINITY, &out->costs) &&
	       isfinite(out->costs.rss) && !isnan(out->costs.smape);
	perun_line_clear(&line);
	return good;
}

static void start(struct search *search, struct slice *slice)
{
	int32_t end = slice->varies_log ? LOGS : POLYS, best = -1;

	for (int32_t i = 0; i < end; i++) {
		struct perun_single found;

		if (measure(search, slice, (struct fraction){i, 1}, &found) &&
		    (best < 0 || found.costs.smape < slice->best.costs.smape)) {
			slice->best = found;
			best = i;
		}
	}
	slice->smape = best < 0 ? NAN : slice->best.costs.smape;
	slice->center = (struct fraction){best, 1};
	slice->left = (struct fraction){best > 0 ? best - 1 : 0, 1};
	slice->right = (struct fraction){best < end - 1 ? best + 1 : best, 1};
	if (slice->right.top == best)
		slice->right.top++;
}

/* Narrow the window; the exponents it had, and the best of the three, are left in the slice. */
static double narrow(struct search *search, struct slice *slice, struct perun_single *round_best)
{
	struct fraction tried[3] = {mediant(slice->left, slice->center), slice->center,
				    mediant(slice->center, slice->right)};
	double least = INFINITY;
	int best = 1;

	for (int i = 0; i < 3; i++) {
		struct perun_single found;

		if (measure(search, slice, tried[i], &found) && found.costs.smape < least) {
			least = found.costs.smape;
			*round_best = found;
			best = i;
		}
	}
	if (best == 0)
		slice->right = slice->center;
	else if (best == 2)
		slice->left = slice->center;
	if (best == 1) {
		slice->left = tried[0];
		slice->right = tried[2];
	}
	slice->center = tried[best];
	return least;
}

/* One round of a slice; how many times better it became. */
static double refine(struct search *search, struct slice *slice)
{
	struct perun_single found = {0};
	double smape = narrow(search, slice, &found);
	double improvement = slice->best.costs.smape / smape;

	if (!isfinite(smape) || isnan(improvement))
		return 1;
	/* More complicated exponents have to be better by so much. */
	if (improvement >= slice->threshold) {
		slice->best = found;
		slice->threshold = 1.5;
	} else {
		slice->threshold *= 1.5;
	}
	return improvement;
}

/* All slices in turn, as long as one of them gains much by it. */
static void refine_all(struct search *search, struct slice *slices, int32_t count)
{
	double improvement = INFINITY;

	for (int round = 0; round < ROUNDS && improvement >= 2; round++) {
		improvement = 1;
		for (int32_t i = 0; i < count; i++)
			if (!isnan(slices[i].smape))
				improvement = fmax(improvement, refine(search, &slices[i]));
	}
}

static double contribution_of(const struct search *search, const struct perun_single *found)
{
	double largest = 0;

	for (size_t i = 0; i < search->space->count; i++) {
		double term =
			found->c1 * perun_candidate_value(&found->candidate, search->space->x[i]);

		largest = fmax(largest, fabs(term / search->values.v[i]));
	}
	return largest;
}

void perun_refining_search(const struct perun_space *space,
			   const struct perun_modeler_options *options, const double *v,
			   struct perun_single *found)
{
	struct search search = {.space = space, .options = options};
	int32_t logs = space->logarithms && !options->no_log_terms ? LOGS : 1;
	struct perun_single best = {.constant = true};
	struct slice slices[LOGS + 1];
	struct perun_costs constant;
	int32_t count;

	perun_values_init(&search.values, v, space->count);
	search.t = perun_alloc_zero(space->count, sizeof *search.t);
	perun_constant_costs(&search.values, &constant);
	/* A slice for each logarithm, and one for logarithms alone. */
	count = constant.rss == 0 ? 0 : logs == 1 ? 1 : logs + 1;
	for (int32_t i = 0; i < count; i++) {
		slices[i] = (struct slice){.varies_log = i == logs, .log = i, .threshold = 1.5};
		start(&search, &slices[i]);
	}
	refine_all(&search, slices, count);
	for (int32_t i = 0; i < count; i++)
		if (!isnan(slices[i].smape) &&
		    (best.constant || slices[i].best.costs.smape < best.costs.smape))
			best = slices[i].best;
	*found = (struct perun_single){
		.constant = true, .c0 = search.values.mean, .costs = constant, .index = SIZE_MAX};
	if (!best.constant && constant.smape / best.costs.smape >= 1.3 &&
	    contribution_of(&search, &best) >= perun_minimum_contribution(options)) {
		double n = (double)space->count;

		*found = best;
		found->adjusted_r2 = 1 - best.costs.rss / constant.rss * (n - 1) / (n - 2);
	}
	perun_free(search.t);
	perun_values_clear(&search.values);
}
