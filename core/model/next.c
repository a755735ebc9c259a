/* SPDX-License-Identifier: BSD-3-Clause */
/* Which measurements make a prediction surer, beside what they cost. */
#include <math.h>
#include <string.h>

#include "core/model/forms.h"

/*
 * Sequential design by the covariance of predictions (MacKay, "Information-Based Objective Functions for Active
 * Data Selection", Neural Computation 4, 1992): over all forms that explain the data, each with its share, what a
 * series would show at a candidate and what it costs at the target are correlated; a measurement there, with the
 * noise of the measurements so far, takes covariance^2 / (variance + noise) from the variance at the target.
 * Series that are measured together add up. The next candidate is chosen as if the first had been measured.
 */
enum { ANY_TIME = -1 };

struct candidates {
	size_t parameters, count, room; /* points */
	double *points;                 /* the target is the last one */
	/* Of each, the one that has to be measured before it (a second step beyond), and whether it was chosen. */
	ptrdiff_t *after;
	bool *taken;
};

/* What is known of one series: means, covariances of all points, noise of a new measurement of each. */
struct belief {
	const struct perun_scaling_model *growth;
	double *means, *covariances, *noises;
};

/* Of the series whose forms are known. */
struct beliefs {
	struct belief *of;
	size_t count, points;
};

static void add_candidate(struct candidates *candidates, const double *point, ptrdiff_t after)
{
	size_t n = candidates->parameters, count = candidates->count;

	if (count == candidates->room) {
		candidates->room = 2 * candidates->room + 16;
		candidates->points = perun_realloc_array(candidates->points, candidates->room * n,
							 sizeof(double));
		candidates->after = perun_realloc_array(candidates->after, candidates->room,
							sizeof *candidates->after);
		candidates->taken = perun_realloc_array(candidates->taken, candidates->room,
							sizeof *candidates->taken);
	}
	memcpy(candidates->points + count * n, point, n * sizeof *point);
	candidates->after[count] = after;
	candidates->taken[count] = false;
	candidates->count++;
}

static bool has_candidate(const struct candidates *candidates, const double *point)
{
	size_t n = candidates->parameters;

	for (size_t i = 0; i < candidates->count; i++)
		if (memcmp(candidates->points + i * n, point, n * sizeof *point) == 0)
			return true;
	return false;
}

/* Of a parameter: steps below and between its values, and up to `steps` beyond, one after another. */
static void add_steps(struct perun_axis *axis, double *trial, double *value, size_t steps,
		      struct candidates *candidates)
{
	ptrdiff_t last = ANY_TIME;
	struct perun_axis longer = *axis;

	for (size_t k = 1; k <= axis->count; k++) {
		*value = perun_axis_step(axis, k);
		if (!isnan(*value) && !has_candidate(candidates, trial))
			add_candidate(candidates, trial, ANY_TIME);
	}
	longer.values = perun_alloc_zero(axis->count + steps, sizeof *longer.values);
	memcpy(longer.values, axis->values, axis->count * sizeof *longer.values);
	while (steps--) {
		*value = perun_axis_step(&longer, 0);
		if (isnan(*value) || has_candidate(candidates, trial))
			break;
		add_candidate(candidates, trial, last);
		last = (ptrdiff_t)candidates->count - 1;
		longer.values[longer.count++] = *value;
	}
	perun_free(longer.values);
}

/* Each parameter in turn, the others all least or all greatest; then what was measured, once more. */
static void find_candidates(const struct perun_observations *observations, size_t steps,
			    struct candidates *candidates)
{
	enum { MAX_AGAIN = 64 };
	size_t n = observations->parameters;
	struct perun_axis *axes = perun_axes_new(observations);
	double *trial = perun_alloc_zero(n, sizeof *trial);

	for (size_t k = 0; k < 2 * n; k++) {
		for (size_t q = 0; q < n; q++)
			trial[q] = axes[q].values[k % 2 ? axes[q].count - 1 : 0];
		add_steps(&axes[k / 2], trial, &trial[k / 2], steps, candidates);
	}
	for (size_t i = 0; i < observations->count && observations->count <= MAX_AGAIN; i++)
		if (!has_candidate(candidates, observations->coordinates + i * n))
			add_candidate(candidates, observations->coordinates + i * n, ANY_TIME);
	perun_free(trial);
	perun_axes_free(axes, n);
}

/* Mean and covariance of the mixture. */
static void mix(const struct perun_forms *forms, struct belief *belief)
{
	size_t n = forms->places;

	for (size_t f = 0; f < forms->count; f++)
		for (size_t i = 0; i < n; i++)
			belief->means[i] += forms->forms[f].share * perun_form_value(forms, f, i);
	for (size_t f = 0; f < forms->count; f++) {
		double share = forms->forms[f].share;

		if (share < 1e-5)
			continue;
		for (size_t i = 0; i < n; i++) {
			double off = perun_form_value(forms, f, i) - belief->means[i];

			for (size_t k = i; k < n; k++) {
				double other = perun_form_value(forms, f, k) - belief->means[k];
				double sum = off * other + perun_form_covariance(forms, f, i, k);

				belief->covariances[i * n + k] += share * sum;
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			belief->covariances[i * n + k] = belief->covariances[k * n + i];
}

static bool believe(const struct perun_next_series *series, const struct candidates *candidates,
		    struct belief *belief)
{
	const struct perun_observations *points = series->observations;
	double unit = 0, noise, power, largest = perun_largest_value(points);
	size_t n = candidates->count;
	struct perun_forms forms;

	if (series->growth->segments != 1 ||
	    !perun_forms_fit(series->growth, points, candidates->points, n, &forms))
		return false;
	power = perun_noise_power(series->growth, points, &noise);
	belief->growth = series->growth;
	belief->means = perun_alloc_zero(n * (n + 2), sizeof(double));
	belief->noises = belief->means + n;
	belief->covariances = belief->noises + n;
	mix(&forms, belief);
	for (size_t f = 0; f < forms.count; f++)
		unit += forms.forms[f].share * forms.forms[f].variance;
	for (size_t i = 0; i < n; i++)
		belief->noises[i] =
			unit * pow(perun_noise_size(series->growth, largest,
						    candidates->points + i * points->parameters),
				   2 * power);
	perun_forms_clear(&forms);
	return true;
}

/* What measuring at a candidate leaves of the variance at the target, summed over all series. */
static double variance_after(const struct beliefs *beliefs, size_t candidate)
{
	size_t n = beliefs->points;
	double sum = 0;

	for (size_t s = 0; s < beliefs->count; s++) {
		const struct belief *belief = &beliefs->of[s];
		const double *row = belief->covariances + candidate * n;
		double all = row[candidate] + belief->noises[candidate];

		sum += belief->covariances[n * n - 1] -
		       (all > 0 ? row[n - 1] * row[n - 1] / all : 0);
	}
	return sum;
}

static double variance_before(const struct beliefs *beliefs)
{
	double sum = 0;

	for (size_t s = 0; s < beliefs->count; s++)
		sum += beliefs->of[s].covariances[beliefs->points * beliefs->points - 1];
	return sum;
}

/* The measurement at a candidate was made. */
static void condition(struct belief *belief, size_t n, size_t candidate)
{
	double *row = perun_alloc_zero(n, sizeof *row), all;

	memcpy(row, belief->covariances + candidate * n, n * sizeof *row);
	all = row[candidate] + belief->noises[candidate];
	for (size_t i = 0; i < n && all > 0; i++)
		for (size_t k = 0; k < n; k++)
			belief->covariances[i * n + k] -= row[i] * row[k] / all;
	perun_free(row);
}

/* Of the series with a rival, those whose rival differs there by more than twice the noise. */
static size_t decided(const struct beliefs *beliefs, const double *point, size_t candidate)
{
	size_t count = 0;

	for (size_t s = 0; s < beliefs->count; s++) {
		const struct perun_scaling_model *growth = beliefs->of[s].growth;
		double off;

		if (!growth->runner_up)
			continue;
		off = perun_scaling_model_value(growth, point) -
		      perun_formula_value(growth->runner_up, point);
		count += fabs(off) > 2 * sqrt(beliefs->of[s].noises[candidate]);
	}
	return count;
}

static double total(const struct beliefs *beliefs, size_t place)
{
	double sum = 0;

	for (size_t s = 0; s < beliefs->count; s++)
		sum += beliefs->of[s].means[place];
	return sum;
}

static double cost_of(const struct perun_next_question *question,
		      const struct candidates *candidates, const struct beliefs *beliefs,
		      size_t candidate)
{
	if (!question->cost)
		return 1;
	return question->cost(candidates->points + candidate * candidates->parameters,
			      total(beliefs, candidate), question->data);
}

/* What leaves the least variance, of what the rest of the budget allows; chosen as if it had been measured. */
static void choose(const struct perun_next_question *question, struct candidates *candidates,
		   struct beliefs *beliefs, double budget, struct perun_next_point *point)
{
	size_t n = candidates->count, parameters = candidates->parameters, best = n;
	double least = INFINITY, before = variance_before(beliefs);

	for (size_t i = 0; i + 1 < n; i++) {
		double after = variance_after(beliefs, i);
		double cost = cost_of(question, candidates, beliefs, i);

		if (!(cost <= budget) || !(after < fmin(before, least) * (1 - 1e-9)))
			continue;
		if (candidates->after[i] >= 0 && !candidates->taken[candidates->after[i]])
			continue;
		least = after;
		best = i;
		point->cost = cost;
	}
	point->found = best < n;
	if (!point->found)
		return;
	candidates->taken[best] = true;
	memcpy(point->at, candidates->points + best * parameters, parameters * sizeof *point->at);
	point->spread = sqrt(fmax(least, 0)) / fabs(total(beliefs, n - 1));
	point->decided = decided(beliefs, point->at, best);
	for (size_t s = 0; s < beliefs->count; s++)
		condition(&beliefs->of[s], n, best);
}

double perun_next_points(const struct perun_next_question *question,
			 struct perun_next_point *points, size_t wanted)
{
	struct candidates candidates = {0};
	struct beliefs beliefs = {0};
	double spread = NAN, budget = question->budget > 0 ? question->budget : INFINITY;

	for (size_t i = 0; i < wanted; i++)
		points[i].found = false;
	if (question->count) {
		candidates.parameters = question->series[0].observations->parameters;
		find_candidates(question->series[0].observations, wanted, &candidates);
		add_candidate(&candidates, question->target, ANY_TIME);
	}
	beliefs.of = perun_alloc_zero(question->count, sizeof *beliefs.of);
	beliefs.points = candidates.count;
	for (size_t s = 0; s < question->count; s++) {
		struct perun_next_series *series = &question->series[s];

		series->left_out = !believe(series, &candidates, &beliefs.of[beliefs.count]);
		beliefs.count += !series->left_out;
	}
	if (beliefs.count)
		spread = sqrt(variance_before(&beliefs)) /
			 fabs(total(&beliefs, candidates.count - 1));
	if (!isfinite(spread))
		spread = NAN;
	for (size_t i = 0; !isnan(spread) && i < wanted && (i == 0 || points[i - 1].found); i++) {
		choose(question, &candidates, &beliefs, budget, &points[i]);
		budget -= points[i].found ? points[i].cost * (1 - 1e-9) : 0;
	}
	for (size_t s = 0; s < beliefs.count; s++)
		perun_free(beliefs.of[s].means);
	perun_free(beliefs.of);
	perun_free(candidates.points);
	perun_free(candidates.after);
	perun_free(candidates.taken);
	return spread;
}
