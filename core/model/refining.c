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

/* What a round has to gain for its exponents to be kept, at first. */
#define ACCEPTANCE 1.5

struct fraction {
	int32_t top, under;
};

/* One of the exponents varies: of the polynomial beside a fixed logarithm, or of the logarithm alone. */
struct slice {
	bool varies_log;
	int32_t log; /* the fixed one */
	struct fraction left, center, right;
	double smape; /* of the best in the last round, which is the best by RSS if that is asked for; NaN = nothing fits */
};

struct search {
	const struct perun_space *space;
	const struct perun_modeler_options *options;
	struct perun_values values;
	double *t;
	struct perun_single best;
	double threshold; /* the gain that a new exponent has to bring */
};

static double quality(const struct search *search, const struct perun_single *single)
{
	return perun_quality(&single->costs, search->options);
}

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

static void evaluate(struct search *search, const struct perun_candidate *candidate)
{
	for (size_t i = 0; i < search->space->count; i++)
		search->t[i] = perun_candidate_value(candidate, search->space->x[i]);
}

/* Of the candidate evaluated last. */
static bool contributes(const struct search *search, const struct perun_modeler_options *options,
			double c1)
{
	struct perun_fit_line line = {.count = search->space->count, .t = search->t};

	return perun_line_contributes(&line, &search->values, options, c1);
}

/* Fits a candidate; false when there is nothing to fit. */
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
	evaluate(search, &out->candidate);
	perun_line_init(&line, search->t, search->space->count);
	good = perun_line_try(&line, &search->values, search->options, INFINITY, out) &&
	       !isnan(out->costs.smape);
	perun_line_clear(&line);
	return good;
}

/* Of the fractions tried, the one that predicts best; -1 = none. The first is kept even if its term is negligible. */
static int best_of(struct search *search, const struct slice *slice, const struct fraction *tried,
		   int count, struct perun_single *best)
{
	int at = -1;

	for (int i = 0; i < count; i++) {
		struct perun_single found;

		if (measure(search, slice, tried[i], &found) &&
		    (at < 0 || (contributes(search, search->options, found.c1) &&
				quality(search, &found) < quality(search, best)))) {
			*best = found;
			at = i;
		}
	}
	return at;
}

static void keep_better(struct search *search, struct perun_single *best,
			const struct perun_single *found)
{
	if (best->constant || quality(search, found) < quality(search, best))
		*best = *found;
}

static void start(struct search *search, struct slice *slice)
{
	static const struct fraction whole[POLYS] = {{0, 1}, {1, 1}, {2, 1},
						     {3, 1}, {4, 1}, {5, 1}};
	int end = slice->varies_log ? LOGS : POLYS;
	struct perun_single found;
	int best = best_of(search, slice, whole, end, &found);

	slice->smape = best < 0 ? NAN : found.costs.smape;
	if (best < 0)
		return;
	keep_better(search, &search->best, &found);
	slice->center = whole[best];
	slice->left = whole[best > 0 ? best - 1 : 0];
	slice->right = whole[best < end - 1 ? best + 1 : best];
}

/* Narrow the window around the best of three fractions; how many times better than the last round's it is. */
static double narrow(struct search *search, struct slice *slice, struct perun_single *round_best)
{
	struct fraction tried[3] = {mediant(slice->left, slice->center), slice->center,
				    mediant(slice->center, slice->right)};
	struct perun_single found;
	double gain;
	int best = best_of(search, slice, tried, 3, &found);

	if (best < 0)
		return 1;
	if (best == 0) {
		slice->right = slice->center;
	} else if (best == 2) {
		slice->left = slice->center;
	} else {
		slice->left = tried[0];
		slice->right = tried[2];
	}
	slice->center = tried[best];
	keep_better(search, round_best, &found);
	gain = slice->smape / found.costs.smape;
	slice->smape = found.costs.smape;
	return gain;
}

/* All slices in turn, as long as one of them gains much by it. Gains are of the SMAPE, whatever chooses the best. */
static void refine(struct search *search, struct slice *slices, int count)
{
	double gain = INFINITY;

	for (int round = 0; round < ROUNDS && gain >= 2; round++) {
		struct perun_single best = {.constant = true};

		gain = 1;
		for (int i = 0; i < count; i++)
			if (!isnan(slices[i].smape))
				gain = fmax(gain, narrow(search, &slices[i], &best));
		/* More complicated exponents have to be better by so much. */
		if (!best.constant &&
		    search->best.costs.smape / best.costs.smape >= search->threshold) {
			keep_better(search, &search->best, &best);
			search->threshold = ACCEPTANCE;
		} else {
			search->threshold *= ACCEPTANCE;
		}
	}
}

/* Much better than the constant, and not negligible; the least contribution here is not that of the options. */
static bool is_worthwhile(struct search *search, const struct perun_costs *constant)
{
	const struct perun_modeler_options standard = {0};
	const struct perun_single *best = &search->best;

	if (best->constant || !(constant->smape / best->costs.smape >= 1.3))
		return false;
	evaluate(search, &best->candidate);
	return contributes(search, &standard, best->c1);
}

void perun_refining_search(const struct perun_space *space,
			   const struct perun_modeler_options *options, const double *v,
			   struct perun_single *found)
{
	struct search search = {.space = space,
				.options = options,
				.best = {.constant = true},
				.threshold = ACCEPTANCE};
	int logs = space->logarithms && !options->no_log_terms ? LOGS : 1, count;
	struct slice slices[LOGS + 1];
	struct perun_single *best = &search.best;

	perun_values_init(&search.values, v, space->count);
	search.t = perun_alloc_zero(space->count, sizeof *search.t);
	*found = (struct perun_single){
		.constant = true, .c0 = search.values.mean, .index = SIZE_MAX};
	perun_constant_costs(&search.values, &found->costs);
	/* A slice for each logarithm, and one for logarithms alone. */
	count = found->costs.rss == 0 ? 0 : logs == 1 ? 1 : logs + 1;
	for (int i = 0; i < count; i++) {
		slices[i] = (struct slice){.varies_log = i == logs, .log = i};
		start(&search, &slices[i]);
	}
	refine(&search, slices, count);
	if (is_worthwhile(&search, &found->costs)) {
		best->adjusted_r2 =
			perun_adjusted_r2(best->costs.rss, found->costs.rss, space->count, 1);
		*found = *best;
	}
	perun_free(search.t);
	perun_values_clear(&search.values);
}
