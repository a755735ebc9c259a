/* SPDX-License-Identifier: BSD-3-Clause */
/* The basic search: the one candidate that predicts left-out points best, or a constant. */
#include <math.h>
#include <string.h>

#include "core/model/model.h"

/* A constant that is less, of the smallest value, is what rounding left: it has no place in a formula. */
#define ROUNDING 1e-12

double perun_minimum_contribution(const struct perun_modeler_options *options)
{
	return options->minimum_contribution > 0 ? options->minimum_contribution : 5e-4;
}

/* Logarithms below 1 are negative, and 0 under a negative exponent. */
static bool logarithms_fit(const double *x, size_t count, bool negative)
{
	for (size_t i = 0; i < count; i++)
		if (negative ? x[i] <= 1 : x[i] < 1)
			return false;
	return true;
}

void perun_space_init(struct perun_space *space, const double *x, size_t count, uint32_t parameter,
		      const struct perun_modeler_options *options,
		      const struct perun_candidate *candidates, size_t candidate_count)
{
	double *t = perun_alloc_zero(count, sizeof *t);

	*space = (struct perun_space){.parameter = parameter, .count = count};
	space->x = perun_memdup(x, count * sizeof *x);
	space->logarithms = logarithms_fit(x, count, options->negative_exponents);
	space->candidates = perun_alloc_zero(candidate_count, sizeof *space->candidates);
	space->lines = perun_alloc_zero(candidate_count, sizeof *space->lines);
	for (size_t i = 0; i < candidate_count; i++) {
		if (candidates[i].log.value != 0 && !space->logarithms)
			continue;
		for (size_t k = 0; k < count; k++)
			t[k] = perun_candidate_value(&candidates[i], x[k]);
		space->candidates[space->candidate_count] = candidates[i];
		perun_line_init(&space->lines[space->candidate_count++], t, count);
	}
	perun_free(t);
}

void perun_space_clear(struct perun_space *space)
{
	for (size_t i = 0; i < space->candidate_count; i++)
		perun_line_clear(&space->lines[i]);
	for (size_t k = 0; k < PERUN_BESIDES; k++) {
		if (space->beside[k])
			perun_space_clear(space->beside[k]);
		perun_free(space->beside[k]);
	}
	perun_free(space->lines);
	perun_free(space->candidates);
	perun_free(space->x);
}

/* The largest share that the term has in any value. Infinite where a value is 0. */
static double contribution(const struct perun_fit_line *line, const double *values, double c1)
{
	double largest = 0;

	for (size_t i = 0; i < line->count; i++) {
		double share = fabs(c1 * line->t[i] / values[i]);

		if (share > largest || isnan(share))
			largest = share;
		if (isnan(share))
			break;
	}
	return largest;
}

/* Costs of the fit itself, not of predictions: cross validation was switched off. */
static void in_sample_costs(const struct perun_fit_line *line, const struct perun_values *values,
			    double c0, double c1, struct perun_costs *costs)
{
	double n = (double)line->count;
	size_t used = 0;

	*costs = (struct perun_costs){0};
	for (size_t i = 0; i < line->count; i++) {
		double v = values->v[i], predicted = c0 + c1 * line->t[i], off = predicted - v;

		costs->rss += off * off;
		costs->relative_rss += off / v * (off / v);
		costs->relative_error += fabs(off / v) / n;
		if (fabs(v) + fabs(predicted) != 0) {
			costs->smape += 200 * fabs(off) / (fabs(v) + fabs(predicted));
			used++;
		}
	}
	costs->smape = used ? costs->smape / (double)used : 0;
	costs->normalized_rss = sqrt(costs->rss) / values->mean;
}

bool perun_line_try(const struct perun_fit_line *line, const struct perun_values *values,
		    const struct perun_modeler_options *options, double limit,
		    struct perun_single *trial)
{
	perun_line_fit(line, values, line->count, &trial->c0, &trial->c1);
	if (options->in_sample) {
		if (fabs(values->least != 0 ? trial->c0 / values->least : trial->c0) < 1e-3)
			trial->c0 = 0;
		in_sample_costs(line, values, trial->c0, trial->c1, &trial->costs);
	} else if (!perun_line_costs(line, values, limit, &trial->costs)) {
		return false;
	} else if (fabs(trial->c0) < ROUNDING * fabs(values->least)) {
		trial->c0 = 0;
	}
	return isfinite(trial->costs.rss);
}

bool perun_line_contributes(const struct perun_fit_line *line, const struct perun_values *values,
			    const struct perun_modeler_options *options, double c1)
{
	return c1 != 0 &&
	       !(contribution(line, values->v, c1) < perun_minimum_contribution(options));
}

double perun_quality(const struct perun_costs *costs, const struct perun_modeler_options *options)
{
	return options->compare_with_rss ? costs->rss : costs->smape;
}

static void keep_next(struct perun_single *found, const struct perun_candidate *candidate,
		      const struct perun_single *trial)
{
	if (found->has_next && !(trial->costs.smape < found->next_smape))
		return;
	found->has_next = true;
	found->next = *candidate;
	found->next_c0 = trial->c0;
	found->next_c1 = trial->c1;
	found->next_smape = trial->costs.smape;
}

static void accept(struct perun_single *found, const struct perun_space *space, size_t i,
		   const struct perun_single *trial)
{
	if (!found->constant) {
		struct perun_single former = *found;

		keep_next(found, &former.candidate, &former);
	}
	found->constant = false;
	found->candidate = space->candidates[i];
	found->index = i;
	found->c0 = trial->c0;
	found->c1 = trial->c1;
	found->costs = trial->costs;
}

double perun_adjusted_r2(double rss, double constant_rss, size_t points, size_t terms)
{
	double n = (double)points;

	return 1 - (rss / constant_rss) * (n - 1) / (n - (double)terms - 1);
}

void perun_basic_search(const struct perun_space *space,
			const struct perun_modeler_options *options, const double *v,
			struct perun_single *found)
{
	struct perun_costs constant;
	struct perun_values values;

	perun_values_init(&values, v, space->count);
	perun_constant_costs(&values, &constant);
	*found = (struct perun_single){.constant = true, .c0 = values.mean, .costs = constant};
	for (size_t i = 0; constant.rss != 0 && i < space->candidate_count; i++) {
		/* Those a little worse are finished, too: they show how clear the choice is. */
		double limit = options->compare_with_rss ? INFINITY : 1.2 * found->costs.smape;
		struct perun_single trial;

		if (!perun_line_try(&space->lines[i], &values, options, limit, &trial) ||
		    !perun_line_contributes(&space->lines[i], &values, options, trial.c1))
			continue;
		if (perun_quality(&trial.costs, options) < perun_quality(&found->costs, options))
			accept(found, space, i, &trial);
		else
			keep_next(found, &space->candidates[i], &trial);
	}
	if (!found->constant)
		found->adjusted_r2 =
			perun_adjusted_r2(found->costs.rss, constant.rss, space->count, 1);
	perun_values_clear(&values);
}

static bool are_positive(const struct perun_space *space, const double *values)
{
	for (size_t i = 0; i < space->count; i++)
		if (!(values[i] > 0) || !(space->x[i] > 0))
			return false;
	return space->count > 0;
}

static size_t greatest(const struct perun_space *space)
{
	size_t last = 0;

	for (size_t i = 0; i < space->count; i++)
		last = space->x[i] > space->x[last] ? i : last;
	return last;
}

/* Values that fall to less than half from the least x to the greatest. */
static bool falls(const struct perun_space *space, const double *values)
{
	size_t first = 0;

	for (size_t i = 0; i < space->count; i++)
		first = space->x[i] < space->x[first] ? i : first;
	return values[greatest(space)] < values[first] / 2;
}

/* Values that rise faster than x^3 log2(x), to the greatest x from the next one of at most its half. */
static bool is_steep(const struct perun_space *space, const double *values)
{
	const struct perun_candidate steepest = {.poly = {.value = 3},
						 .log = {.value = space->logarithms}};
	size_t last = greatest(space), from = last;

	for (size_t i = 0; i < space->count; i++)
		if (2 * space->x[i] <= space->x[last] &&
		    (from == last || space->x[i] > space->x[from]))
			from = i;
	return values[last] / values[from] >
	       perun_candidate_value(&steepest, space->x[last]) /
		       perun_candidate_value(&steepest, space->x[from]);
}

/* Whether a formula can be that of a cost: it is not below zero at eight times the greatest x either. */
static bool stays_positive(const struct perun_space *space, const struct perun_single *found)
{
	double largest = 0;

	for (size_t i = 0; i < space->count; i++)
		largest = fmax(largest, space->x[i]);
	return found->c0 + found->c1 * perun_candidate_value(&found->candidate, 8 * largest) >= 0;
}

/* How many times better than a formula of Extra-P's one beside its search space has to be. */
#define BESIDE_GAIN 1.5

/* Which terms beside the search space the values call for, after what was found in it. */
static enum perun_beside find_beside(const struct perun_space *space, const double *values,
				     const struct perun_single *found)
{
	if (found->costs.smape == 0 || !are_positive(space, values))
		return PERUN_BESIDE_NONE;
	if (falls(space, values) && (found->constant || !stays_positive(space, found)))
		return PERUN_BESIDE_FALLING;
	return is_steep(space, values) ? PERUN_BESIDE_STEEP : PERUN_BESIDE_NONE;
}

void perun_single_search(const struct perun_space *space,
			 const struct perun_modeler_options *options, enum perun_modeler_kind kind,
			 const double *values, struct perun_single *found)
{
	struct perun_single other;
	enum perun_beside beside;

	if (kind == PERUN_MODELER_REFINING)
		perun_refining_search(space, options, values, found);
	else
		perun_basic_search(space, options, values, found);
	beside = find_beside(space, values, found);
	if (!space->beside[beside])
		return;
	perun_basic_search(space->beside[beside], options, values, &other);
	if (other.constant || other.c1 < 0 || BESIDE_GAIN * other.costs.smape >= found->costs.smape)
		return;
	other.beside = beside;
	other.index = SIZE_MAX;
	*found = other;
}

unsigned perun_beside_warning(enum perun_beside beside)
{
	return beside == PERUN_BESIDE_FALLING ? PERUN_MODEL_FALLING
	       : beside == PERUN_BESIDE_STEEP ? PERUN_MODEL_STEEP
					      : 0;
}

void perun_single_to_growth(const struct perun_single *found, uint32_t parameter,
			    struct perun_scaling_model *growth)
{
	*growth = (struct perun_scaling_model){.segments = 1};
	growth->formulas[0] = perun_formula_of_candidate(
		found->c0, found->c1, found->constant ? NULL : &found->candidate, parameter);
	growth->rss = found->costs.rss;
	growth->relative_rss = found->costs.relative_rss;
	growth->smape = found->costs.smape;
	growth->relative_error = found->costs.relative_error;
	growth->adjusted_r2 = found->adjusted_r2;
	growth->warnings |= perun_beside_warning(found->beside);
	if (found->has_next && found->next_smape <= 1.1 * found->costs.smape) {
		growth->runner_up = perun_formula_of_candidate(found->next_c0, found->next_c1,
							       &found->next, parameter);
		growth->runner_up_smape = found->next_smape;
		growth->warnings |= PERUN_MODEL_TIE;
	}
}
