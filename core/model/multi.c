/* SPDX-License-Identifier: BSD-3-Clause */
/* Several parameters: the best term of each alone, then their sums and products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"

/* ---- the series of one parameter --------------------------------------------------------------- */

static const double *point_at(const struct perun_modeler *modeler, size_t point)
{
	return modeler->coordinates + point * modeler->parameters;
}

/* Order of the coordinates besides `parameter`, the first deciding. */
static int compare_others(const struct perun_modeler *modeler, uint32_t parameter, size_t a,
			  size_t b)
{
	const double *x = point_at(modeler, a), *y = point_at(modeler, b);

	for (uint32_t p = 0; p < modeler->parameters; p++)
		if (p != parameter && x[p] != y[p])
			return x[p] < y[p] ? -1 : 1;
	return 0;
}

struct sorting {
	const struct perun_modeler *modeler;
	uint32_t parameter;
};

static int compare_indices(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_lines(const void *a, const void *b, void *data)
{
	const struct sorting *sorting = data;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = compare_others(sorting->modeler, sorting->parameter, x, y);

	return order ? order : compare_indices(x, y);
}

static int compare_values(const void *a, const void *b, void *data)
{
	const struct sorting *sorting = data;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	double x = point_at(sorting->modeler, i)[sorting->parameter];
	double y = point_at(sorting->modeler, k)[sorting->parameter];

	return x != y ? (x < y ? -1 : 1) : compare_indices(i, k);
}

/* The points in an order. */
static size_t *sort_points(const struct perun_modeler *modeler, uint32_t parameter,
			   int (*compare)(const void *, const void *, void *))
{
	struct sorting sorting = {modeler, parameter};
	size_t *order = perun_alloc_zero(modeler->points, sizeof *order);

	for (size_t i = 0; i < modeler->points; i++)
		order[i] = i;
	qsort_r(order, modeler->points, sizeof *order, compare, &sorting);
	return order;
}

struct finding {
	size_t *heads;   /* of each point: the first point of its line */
	size_t *lengths; /* of each head */
	bool *used;      /* of each head: its line counts */
};

static void choose_lines(const struct perun_modeler *modeler, uint32_t parameter,
			 struct finding *finding)
{
	size_t *order = sort_points(modeler, parameter, compare_lines);
	size_t longest = 0, head = 0;

	for (size_t i = 0; i < modeler->points; i++) {
		if (i == 0 || compare_others(modeler, parameter, head, order[i]) != 0)
			head = order[i];
		finding->heads[order[i]] = head;
		if (++finding->lengths[head] > longest)
			longest = finding->lengths[head];
	}
	for (size_t i = 0; i < modeler->points; i++)
		finding->used[i] = modeler->options.smallest_lines ? i == order[0]
								   : finding->lengths[i] == longest;
	perun_free(order);
}

/* Those of the points [at, at + count) on lines that count, and of these on such as the first value is on. */
static size_t add_value(const struct finding *finding, const size_t *at, size_t count,
			bool *first_lines, bool first, size_t *out)
{
	size_t added = 0;

	for (size_t i = 0; i < count; i++) {
		size_t head = finding->heads[at[i]];

		if (!finding->used[head])
			continue;
		if (first)
			first_lines[head] = true;
		if (first_lines[head])
			out[added++] = at[i];
	}
	return added;
}

/* Where in `order`, which is by value, the points of each value begin and end: of each point the begin, of that the end. */
static void find_values(const struct perun_modeler *modeler, uint32_t parameter,
			const size_t *order, size_t *begins, size_t *ends)
{
	size_t begin = 0;

	for (size_t i = 0; i < modeler->points; i++) {
		if (point_at(modeler, order[i])[parameter] !=
		    point_at(modeler, order[begin])[parameter])
			begin = i;
		begins[order[i]] = begin;
		ends[begin] = i + 1;
	}
}

void perun_find_lines(struct perun_modeler *modeler, uint32_t parameter, double **x, size_t *count)
{
	size_t n = modeler->points, filled = 0;
	struct perun_fit_points *line = &modeler->lines[parameter];
	struct finding finding = {perun_alloc_zero(n, sizeof(size_t)),
				  perun_alloc_zero(n, sizeof(size_t)),
				  perun_alloc_zero(n, sizeof(bool))};
	bool *first_lines = perun_alloc_zero(n, sizeof *first_lines);
	size_t *order = sort_points(modeler, parameter, compare_values);
	size_t *begins = perun_alloc_zero(n, sizeof *begins);
	size_t *ends = perun_alloc_zero(n, sizeof *ends);

	choose_lines(modeler, parameter, &finding);
	find_values(modeler, parameter, order, begins, ends);
	line->points = perun_alloc_zero(n, sizeof *line->points);
	line->ends = perun_alloc_zero(n, sizeof *line->ends);
	*x = perun_alloc_zero(n, sizeof **x);
	*count = 0;
	/* In the order of the first point of each value on a line that counts. */
	for (size_t i = 0; i < n; i++) {
		size_t begin = begins[i], end = ends[begin], added;

		if (!finding.used[finding.heads[i]] || end == 0)
			continue;
		ends[begin] = 0;
		added = add_value(&finding, order + begin, end - begin, first_lines, *count == 0,
				  line->points + filled);
		if (added == 0)
			continue;
		filled += added;
		line->ends[*count] = filled;
		(*x)[(*count)++] = point_at(modeler, i)[parameter];
	}
	perun_free(order);
	perun_free(begins);
	perun_free(ends);
	perun_free(finding.heads);
	perun_free(finding.lengths);
	perun_free(finding.used);
	perun_free(first_lines);
}

/* ---- hypotheses -------------------------------------------------------------------------------- */

/* Terms as sets of parameters (bit i: the i-th that matters); ends with 0. */
typedef uint8_t term_set[4];
static const term_set of_two[] = {{3}, {1, 2}, {1, 3}, {2, 3}};
static const term_set of_three[] = {
	{7},       {1, 2, 4}, {7, 1},    {7, 2},    {7, 4},    {7, 3},    {7, 6},    {7, 5},
	{7, 3, 4}, {7, 6, 1}, {7, 5, 2}, {7, 1, 2}, {7, 1, 4}, {7, 2, 4}, {3, 4},    {3, 4, 2},
	{3, 4, 1}, {5, 2},    {5, 2, 1}, {5, 2, 4}, {6, 1},    {6, 1, 2}, {6, 1, 4},
};

enum { KEPT = PERUN_COLUMNS - 1 };

struct search {
	const struct perun_modeler *modeler;
	const double *values;
	size_t kept; /* parameters that matter */
	uint32_t parameters[KEPT];
	struct perun_single singles[KEPT];
	struct perun_piecewise pieces[KEPT]; /* of those that are `segmented` */
	bool segmented[KEPT];
	const double *terms[KEPT]; /* their values at all points */
	double *own_terms;         /* those that no table has */
	double *matrix, *work;
	double mean, total;
};

struct hypothesis {
	uint32_t sets[KEPT]; /* parameters of each term */
	size_t terms;
	double solution[PERUN_COLUMNS];
	double rss, relative_rss, smape, relative_error;
	double met; /* what values of 0 that are met take off the SMAPE */
	bool good;  /* no term is negligible */
};

static void fill_columns(struct search *search, const struct hypothesis *hypothesis)
{
	size_t n = search->modeler->points;

	for (size_t i = 0; i < n; i++)
		search->matrix[i] = 1;
	for (size_t k = 0; k < hypothesis->terms; k++) {
		double *column = search->matrix + (k + 1) * n;

		for (size_t i = 0; i < n; i++)
			column[i] = 1;
		for (size_t p = 0; p < search->kept; p++)
			if (hypothesis->sets[k] >> p & 1)
				for (size_t i = 0; i < n; i++)
					column[i] *= search->terms[p][i];
	}
}

static void judge(const struct search *search, struct hypothesis *hypothesis)
{
	size_t n = search->modeler->points;
	double largest[PERUN_COLUMNS] = {0},
	       least = perun_minimum_contribution(&search->modeler->options),
	       zero = perun_zero_beside(search->values, n);

	for (size_t i = 0; i < n; i++) {
		double predicted = hypothesis->solution[0], v = search->values[i], off;

		for (size_t k = 1; k <= hypothesis->terms; k++) {
			double term = hypothesis->solution[k] * search->matrix[k * n + i];
			double share = fabs(term / v);

			predicted += term;
			if (!(share <= largest[k]))
				largest[k] = share;
		}
		off = predicted - v;
		hypothesis->rss += off * off;
		hypothesis->relative_rss += off / v * (off / v);
		/* Signed, as Extra-P has it: errors at negative values count against the others. */
		hypothesis->relative_error += fabs(off) / v;
		hypothesis->smape += perun_symmetric_error(predicted, v, zero);
		if (v == 0 && fabs(predicted) <= zero)
			hypothesis->met += 200 / (double)n;
	}
	hypothesis->relative_error /= (double)n;
	hypothesis->smape /= (double)n;
	hypothesis->good = true;
	for (size_t k = 1; k <= hypothesis->terms; k++)
		if (hypothesis->solution[k] == 0 || largest[k] < least)
			hypothesis->good = false;
}

static void fit(struct search *search, struct hypothesis *hypothesis)
{
	fill_columns(search, hypothesis);
	perun_least_squares(search->matrix, search->values, search->modeler->points,
			    hypothesis->terms + 1, search->work, hypothesis->solution);
	judge(search, hypothesis);
}

/* Hypothesis `i`; false past the last. */
static bool make_hypothesis(const struct search *search, size_t i, struct hypothesis *hypothesis)
{
	const term_set *sets = search->kept == 2 ? of_two : of_three;
	size_t count = search->kept == 2 ? sizeof of_two / sizeof *of_two
					 : sizeof of_three / sizeof *of_three;

	*hypothesis = (struct hypothesis){0};
	if (search->kept > 3 || search->modeler->options.only_sum_and_product)
		count = 2;
	if (i >= count)
		return false;
	if (i == 0) {
		hypothesis->sets[hypothesis->terms++] = (1u << search->kept) - 1;
	} else if (i == 1) {
		for (size_t p = 0; p < search->kept; p++)
			hypothesis->sets[hypothesis->terms++] = 1u << p;
	} else {
		for (size_t k = 0; k < sizeof *sets && sets[i][k]; k++)
			hypothesis->sets[hypothesis->terms++] = sets[i][k];
	}
	return true;
}

static double quality(const struct search *search, const struct hypothesis *hypothesis)
{
	return search->modeler->options.compare_with_rss ? hypothesis->rss : hypothesis->smape;
}

/* ---- the result -------------------------------------------------------------------------------- */

static uint32_t factors_of(const struct search *search, size_t p)
{
	const struct perun_candidate *candidate = &search->singles[p].candidate;

	return search->segmented[p] ? 1
				    : (candidate->poly.value != 0) + (candidate->log.value != 0);
}

static uint32_t add_factors(const struct search *search, size_t p, struct perun_factor *factors,
			    const struct perun_piecewise *pieces)
{
	const struct perun_candidate *candidate = &search->singles[p].candidate;
	const struct perun_exponent exponents[] = {candidate->poly, candidate->log};
	uint32_t parameter = search->parameters[p], count = 0;

	if (search->segmented[p]) {
		*factors = (struct perun_factor){.parameter = parameter, .piecewise = pieces};
		return 1;
	}
	for (int k = 0; k < 2; k++)
		if (exponents[k].value != 0)
			factors[count++] = (struct perun_factor){.parameter = parameter,
								 .logarithm = k == 1,
								 .exponent = exponents[k]};
	return count;
}

static struct perun_formula *to_formula(const struct search *search,
					const struct hypothesis *hypothesis)
{
	const struct perun_piecewise *pieces[KEPT] = {0};
	struct perun_formula *formula;
	uint32_t factors = 0, segmented = 0;

	for (size_t p = 0; p < search->kept; p++)
		segmented += search->segmented[p];
	for (size_t k = 0; k < hypothesis->terms; k++)
		for (size_t p = 0; p < search->kept; p++)
			if (hypothesis->sets[k] >> p & 1)
				factors += factors_of(search, p);
	formula = perun_formula_new((uint32_t)hypothesis->terms, factors, segmented);
	formula->constant = hypothesis->solution[0];
	segmented = 0;
	for (size_t p = 0; p < search->kept; p++) {
		if (!search->segmented[p])
			continue;
		formula->piecewise[segmented] = search->pieces[p];
		pieces[p] = &formula->piecewise[segmented++];
	}
	factors = 0;
	for (size_t k = 0; k < hypothesis->terms; k++) {
		struct perun_term *term = &formula->terms[k];

		*term = (struct perun_term){hypothesis->solution[k + 1], factors, 0};
		for (size_t p = 0; p < search->kept; p++)
			if (hypothesis->sets[k] >> p & 1)
				factors += add_factors(search, p, formula->factors + factors,
						       pieces[p]);
		term->count = factors - term->first;
	}
	return formula;
}

/*
 * One step of iterative refinement (Golub and Van Loan, section 5.3.8): the residuals, in long double,
 * are fitted again. Where terms are 10^10 times the constant, it saves the constant's digits.
 */
static void polish(struct search *search, struct hypothesis *best)
{
	size_t n = search->modeler->points, columns = best->terms + 1;
	double *residuals = perun_alloc_zero(n, sizeof *residuals), step[PERUN_COLUMNS];

	fill_columns(search, best);
	for (size_t i = 0; i < n; i++) {
		long double rest = search->values[i];

		for (size_t k = 0; k < columns; k++)
			rest -= (long double)best->solution[k] * search->matrix[k * n + i];
		residuals[i] = (double)rest;
	}
	perun_least_squares(search->matrix, residuals, n, columns, search->work, step);
	for (size_t k = 0; k < columns; k++)
		best->solution[k] += step[k];
	perun_free(residuals);
	best->rss = best->relative_rss = best->relative_error = best->smape = best->met = 0;
	judge(search, best);
}

static void to_growth(const struct search *search, const struct hypothesis *best,
		      struct perun_scaling_model *growth)
{
	double n = (double)search->modeler->points, freedom = n - 1;

	*growth = (struct perun_scaling_model){.segments = 1,
					       .rss = best->rss,
					       .relative_rss = best->relative_rss,
					       .smape = best->smape,
					       .relative_error = best->relative_error};
	growth->formulas[0] = to_formula(search, best);
	for (size_t p = 0; p < search->kept; p++)
		growth->warnings |= perun_beside_warning(search->singles[p].beside);
	for (size_t k = 0; k < best->terms; k++)
		freedom -= __builtin_popcount(best->sets[k]);
	growth->adjusted_r2 = 1 - best->rss / search->total * (n - 1) / freedom;
}

static void constant_growth(const struct search *search, struct perun_scaling_model *growth)
{
	struct perun_values values;
	struct perun_single found = {.constant = true};

	perun_values_init(&values, search->values, search->modeler->points);
	perun_constant_costs(&values, &found.costs);
	found.c0 = values.mean;
	perun_values_clear(&values);
	perun_single_to_growth(&found, 0, growth);
}

/*
 * One parameter matters: its own formula, or the same term fitted to all points if that is better. A value
 * of 0 that one of them meets does not decide: the formula of fewer points meets it by having no others.
 */
static void one_parameter(struct search *search, struct perun_scaling_model *growth)
{
	struct hypothesis own = {.sets = {1}, .terms = 1}, refitted = own;

	own.solution[0] = search->singles[0].c0;
	own.solution[1] = search->singles[0].c1;
	fill_columns(search, &own);
	judge(search, &own);
	fit(search, &refitted);
	to_growth(search,
		  refitted.smape + refitted.met < own.smape + own.met ||
				  (search->modeler->options.compare_with_rss &&
				   refitted.rss < own.rss)
			  ? &refitted
			  : &own,
		  growth);
}

static void best_of_all(struct search *search, struct perun_scaling_model *growth)
{
	struct hypothesis best, next, hypothesis;
	bool has_next = false;

	make_hypothesis(search, 0, &best);
	fit(search, &best);
	for (size_t i = 1; make_hypothesis(search, i, &hypothesis); i++) {
		fit(search, &hypothesis);
		if (!hypothesis.good)
			continue;
		if (quality(search, &hypothesis) < quality(search, &best)) {
			next = best;
			has_next = best.good;
			best = hypothesis;
		} else if (!has_next || hypothesis.smape < next.smape) {
			next = hypothesis;
			has_next = true;
		}
	}
	polish(search, &best);
	to_growth(search, &best, growth);
	if (has_next && next.smape <= 1.1 * best.smape) {
		growth->runner_up = to_formula(search, &next);
		growth->runner_up_smape = next.smape;
		growth->warnings |= PERUN_MODEL_TIE;
	}
}

/* The best term of each parameter along its lines. */
static void search_singles(struct search *search)
{
	const struct perun_modeler *modeler = search->modeler;
	struct perun_modeler_options options = modeler->options;
	double *series = perun_alloc_zero(modeler->points, sizeof *series);

	options.compare_with_rss = options.single_compare_with_rss;
	options.minimum_contribution = options.single_minimum_contribution;
	for (uint32_t p = 0; p < modeler->parameters && search->kept < KEPT; p++) {
		const struct perun_space *space = &modeler->spaces[p];
		const struct perun_fit_points *line = &modeler->lines[p];
		struct perun_single *single = &search->singles[search->kept];

		for (size_t i = 0, k = 0; i < space->count; i++) {
			size_t first = k;

			series[i] = 0;
			for (; k < line->ends[i]; k++)
				series[i] += search->values[line->points[k]];
			series[i] /= (double)(k - first);
		}
		if (options.single == PERUN_MODELER_SEGMENTED &&
		    perun_segmented_find(space, &options, modeler->candidates,
					 modeler->candidate_count, series,
					 &search->pieces[search->kept], single)) {
			/* As it is: what is fitted to all points is a multiple of it. */
			*single = (struct perun_single){.c1 = 1};
			search->segmented[search->kept] = true;
			search->parameters[search->kept++] = p;
			continue;
		}
		if (options.single != PERUN_MODELER_SEGMENTED)
			perun_single_search(space, &options, options.single, series, single);
		if (!single->constant)
			search->parameters[search->kept++] = p;
	}
	perun_free(series);
}

static void find_terms(struct search *search)
{
	const struct perun_modeler *modeler = search->modeler;
	size_t n = modeler->points;

	search->own_terms = perun_alloc_zero(n * (search->kept + 1), sizeof *search->own_terms);
	for (size_t p = 0; p < search->kept; p++) {
		const struct perun_single *single = &search->singles[p];
		double *own = search->own_terms + p * n;

		search->terms[p] = own;
		for (size_t i = 0; search->segmented[p] && i < n; i++)
			own[i] = perun_piecewise_value(&search->pieces[p],
						       point_at(modeler, i)[search->parameters[p]]);
		if (search->segmented[p])
			continue;
		if (single->index != SIZE_MAX) {
			search->terms[p] =
				modeler->values_of[search->parameters[p]] + single->index * n;
			continue;
		}
		for (size_t i = 0; i < n; i++)
			own[i] = perun_candidate_value(&single->candidate,
						       point_at(modeler, i)[search->parameters[p]]);
	}
}

void perun_multi_search(const struct perun_modeler *modeler, const double *values,
			struct perun_scaling_model *growth)
{
	struct search search = {.modeler = modeler, .values = values};
	size_t n = modeler->points;

	search_singles(&search);
	if (search.kept == 0) {
		constant_growth(&search, growth);
		return;
	}
	for (size_t i = 0; i < n; i++)
		search.mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		search.total += (values[i] - search.mean) * (values[i] - search.mean);
	find_terms(&search);
	search.matrix = perun_alloc_zero(n * (search.kept + 3), sizeof *search.matrix);
	search.work = perun_alloc_zero(n * (search.kept + 4), sizeof *search.work);
	if (search.kept == 1)
		one_parameter(&search, growth);
	else
		best_of_all(&search, growth);
	perun_free(search.matrix);
	perun_free(search.work);
	perun_free(search.own_terms);
}
