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

/* A basic model of each part. */
static void fit_parts(const struct part *all, size_t first_end, size_t second, uint32_t parameter,
		      const struct perun_modeler_options *options,
		      const struct perun_candidate *candidates, size_t candidate_count,
		      struct perun_piecewise *pieces)
{
	struct part parts[2] = {{all->x, all->v, first_end},
				{all->x + second, all->v + second, all->count - second}};

	*pieces = (struct perun_piecewise){.until = all->x[first_end - 1], .from = all->x[second]};
	for (int i = 0; i < 2; i++) {
		struct perun_model_piece *piece = &pieces->pieces[i];
		struct perun_single found;

		search_part(&parts[i], parameter, options, candidates, candidate_count, &found);
		*piece = (struct perun_model_piece){.constant = found.c0};
		if (found.constant)
			continue;
		piece->coefficient = found.c1;
		piece->power = found.candidate.poly;
		piece->logarithm = found.candidate.log;
	}
}

static struct part sort_points(const struct perun_space *space, const double *values)
{
	size_t n = space->count;
	struct sample *samples = perun_alloc_zero(n, sizeof *samples);
	double *x = perun_alloc_zero(2 * n, sizeof *x), *v = x + n;

	for (size_t i = 0; i < n; i++)
		samples[i] = (struct sample){space->x[i], values[i]};
	qsort(samples, n, sizeof *samples, compare_samples);
	for (size_t i = 0; i < n; i++) {
		x[i] = samples[i].x;
		v[i] = samples[i].v;
	}
	perun_free(samples);
	return (struct part){x, v, n};
}

static bool find_pieces(const struct part *all, uint32_t parameter,
			const struct perun_modeler_options *options,
			const struct perun_candidate *candidates, size_t candidate_count,
			struct perun_piecewise *pieces)
{
	size_t windows = all->count >= WINDOW ? all->count - WINDOW + 1 : 0, marks, change;
	double *errors = perun_alloc_zero(windows, sizeof *errors);

	for (size_t i = 0; i < windows; i++) {
		struct part window = {all->x + i, all->v + i, WINDOW};
		struct perun_single found;

		search_part(&window, parameter, options, candidates, candidate_count, &found);
		errors[i] = fabs(found.costs.normalized_rss);
		if (errors[i] < ROUNDING)
			errors[i] = 0;
	}
	change = find_change(errors, windows, &marks);
	perun_free(errors);
	if (change == SIZE_MAX)
		return false;
	if (marks == 3) { /* the point is common to both parts */
		fit_parts(all, change + 3, change + 2, parameter, options, candidates,
			  candidate_count, pieces);
	} else { /* between two points */
		size_t before = change ? change - 1 : 0;

		fit_parts(all, before + 3, before + 3, parameter, options, candidates,
			  candidate_count, pieces);
	}
	return true;
}

/* Whether a formula meets all values up to rounding. */
static bool is_exact(const struct perun_space *space, const struct perun_single *found,
		     const double *values)
{
	for (size_t i = 0; i < space->count; i++) {
		double term = found->constant ? 0
					      : found->c1 * perun_candidate_value(&found->candidate,
										  space->x[i]);

		if (!(fabs(found->c0 + term - values[i]) <= ROUNDING * fabs(values[i])))
			return false;
	}
	return true;
}

bool perun_segmented_find(const struct perun_space *space,
			  const struct perun_modeler_options *options,
			  const struct perun_candidate *candidates, size_t candidate_count,
			  const double *values, struct perun_piecewise *pieces,
			  struct perun_single *found)
{
	struct part all = sort_points(space, values);
	bool segmented =
		find_pieces(&all, space->parameter, options, candidates, candidate_count, pieces);

	/* Windows may differ where one formula is exact: a constant counts as none beside large values. */
	perun_basic_search(space, options, values, found);
	perun_free((double *)all.x);
	return segmented && !is_exact(space, found, values);
}

void perun_segmented_search(const struct perun_space *space,
			    const struct perun_modeler_options *options,
			    const struct perun_candidate *candidates, size_t candidate_count,
			    const double *values, struct perun_scaling_model *growth)
{
	struct perun_piecewise pieces;
	struct perun_single found;
	struct part all = {space->x, values, space->count};

	if (!perun_segmented_find(space, options, candidates, candidate_count, values, &pieces,
				  &found)) {
		perun_single_to_growth(&found, space->parameter, growth);
		return;
	}
	*growth = (struct perun_scaling_model){
		.segments = 2, .until = pieces.until, .from = pieces.from};
	for (int i = 0; i < 2; i++)
		growth->formulas[i] = perun_formula_of_piece(&pieces.pieces[i], space->parameter);
	add_costs(growth, &all);
}
