/* SPDX-License-Identifier: BSD-3-Clause */
/* The segmented search: whether the growth changes at some point, and a model for each part. */
#include <math.h>
#include <stdlib.h>

#include "core/model/model.h"

enum { WINDOW = 5 };
/* Errors below this share of the values come from rounding. */
#define ROUNDING 1e-9

struct sample {
	double x, v;
};

static int compare_samples(const void *a, const void *b)
{
	double x = ((const struct sample *)a)->x, y = ((const struct sample *)b)->x;

	return x < y ? -1 : x > y;
}

struct part {
	const double *x, *v;
	size_t count;
};

static void search_part(const struct part *part, uint32_t parameter,
			const struct perun_modeler_options *options,
			const struct perun_candidate *candidates, size_t candidate_count,
			struct perun_single *found)
{
	struct perun_space space;

	perun_space_init(&space, part->x, part->count, parameter, options, candidates,
			 candidate_count);
	perun_basic_search(&space, options, part->v, found);
	perun_space_clear(&space);
}

/* Where the windows that straddle a change are: the middle one of them, or SIZE_MAX. */
static size_t find_change(const double *errors, size_t count, size_t *length)
{
	size_t marked[64], marks = 0;
	bool changes = false;

	for (size_t i = 0; i < count; i++) {
		bool jumps = i && errors[i] / (errors[i - 1] + 1e-16) > 4;

		changes |= jumps || errors[i] > 0.5;
		if ((jumps || errors[i] >= 0.1) && marks < 64)
			marked[marks++] = i;
	}
	*length = marks;
	return changes && marks ? marked[marks / 2] : SIZE_MAX;
}

/* What a point is predicted to be: by the first part as far as it goes. */
static void add_costs(struct perun_scaling_model *growth, const struct part *all)
{
	double n = (double)all->count, mean = 0, total = 0;
	double zero = perun_zero_beside(all->v, all->count);

	for (size_t i = 0; i < all->count; i++)
		mean += all->v[i] / n;
	for (size_t i = 0; i < all->count; i++) {
		double v = all->v[i], predicted = perun_scaling_model_value(growth, &all->x[i]);
		double off = predicted - v;

		total += (v - mean) * (v - mean);
		growth->rss += off * off;
		growth->relative_rss += off / v * (off / v);
		growth->relative_error += fabs(off) / v / n; /* signed, as Extra-P has it */
		growth->smape += perun_symmetric_error(predicted, v, zero) / n;
	}
	growth->adjusted_r2 = 1 - growth->rss / total * (n - 1) / (n - 2);
}

static void two_parts(const struct part *all, size_t first_end, size_t second, uint32_t parameter,
		      const struct perun_modeler_options *options,
		      const struct perun_candidate *candidates, size_t candidate_count,
		      struct perun_scaling_model *growth)
{
	struct part parts[2] = {{all->x, all->v, first_end},
				{all->x + second, all->v + second, all->count - second}};

	*growth = (struct perun_scaling_model){
		.segments = 2, .until = all->x[first_end - 1], .from = all->x[second]};
	for (int i = 0; i < 2; i++) {
		struct perun_single found;

		search_part(&parts[i], parameter, options, candidates, candidate_count, &found);
		growth->formulas[i] = perun_formula_of_candidate(
			found.c0, found.c1, found.constant ? NULL : &found.candidate, parameter);
	}
	add_costs(growth, all);
}

void perun_segmented_search(const struct perun_space *space,
			    const struct perun_modeler_options *options,
			    const struct perun_candidate *candidates, size_t candidate_count,
			    const double *values, struct perun_scaling_model *growth)
{
	size_t n = space->count, windows = n >= WINDOW ? n - WINDOW + 1 : 0, marks, change;
	struct sample *samples = perun_alloc_zero(n, sizeof *samples);
	double *x = perun_alloc_zero(n, sizeof *x), *v = perun_alloc_zero(n, sizeof *v);
	double *errors = perun_alloc_zero(windows, sizeof *errors);
	struct part all = {x, v, n};
	struct perun_single found;

	for (size_t i = 0; i < n; i++)
		samples[i] = (struct sample){space->x[i], values[i]};
	qsort(samples, n, sizeof *samples, compare_samples);
	for (size_t i = 0; i < n; i++) {
		x[i] = samples[i].x;
		v[i] = samples[i].v;
	}
	for (size_t i = 0; i < windows; i++) {
		struct part window = {x + i, v + i, WINDOW};

		search_part(&window, space->parameter, options, candidates, candidate_count,
			    &found);
		errors[i] = fabs(found.costs.normalized_rss);
		if (errors[i] < ROUNDING)
			errors[i] = 0;
	}
	change = find_change(errors, windows, &marks);
	if (change == SIZE_MAX) {
		perun_basic_search(space, options, values, &found);
		perun_single_to_growth(&found, space->parameter, growth);
	} else if (marks == 3) { /* the point is common to both parts */
		two_parts(&all, change + 3, change + 2, space->parameter, options, candidates,
			  candidate_count, growth);
	} else { /* between two points */
		size_t before = change ? change - 1 : 0;

		two_parts(&all, before + 3, before + 3, space->parameter, options, candidates,
			  candidate_count, growth);
	}
	perun_free(samples);
	perun_free(x);
	perun_free(v);
	perun_free(errors);
}
