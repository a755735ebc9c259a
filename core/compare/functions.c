/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of stacks: which changes matter in the whole, which only moved, which totals say something. */
#include <math.h>
#include <string.h>

#include "core/compare/compare.h"

/* The least change of a function of sampled profiles, as a share of everything. */
#define MIN_SHARE 0.01
/* Costs that differ by less than this are those of one function under two names. */
#define ALIKE 0.03
/* A total is explained when changed functions make up this part of its change. */
#define EXPLAINED 0.5
/* Of totals that are not explained, the innermost with this part of the largest change is named. */
#define NEARLY_ALL 0.8

static double change_of(const struct compare_strand *strand)
{
	return strand->found.after - strand->found.before;
}

static bool changed(const struct compare_strand *strand)
{
	return strand->found.result != PERUN_RESULT_NO_CHANGE &&
	       strand->found.result != PERUN_RESULT_INCONCLUSIVE;
}

/* Not its own interval says so, but what else is known: what that excludes says nothing of the comparison. */
static void set_unchanged(struct compare_strand *strand)
{
	strand->found.result = PERUN_RESULT_NO_CHANGE;
	strand->found.low = strand->found.high = NAN;
}

static bool is_self(const struct compare_strand *strand, const struct compare_strand *like)
{
	return strand->stacks && !strand->whole && !strand->found.inclusive &&
	       compare_same_metric(strand, like);
}

/* What everything costs in the first version, or in the second where that is all there is. */
static double whole_of(const struct perun_comparisons *all, size_t first)
{
	const struct compare_strand *like = &all->strands[first];
	double before = 0, after = 0;

	for (size_t i = first, end = compare_end(all, first); i < end; i++) {
		if (is_self(&all->strands[i], like)) {
			before += all->strands[i].found.before;
			after += all->strands[i].found.after;
		}
	}
	return before > 0 ? before : after;
}

static void drop_small(struct perun_comparisons *all, size_t first,
		       const struct perun_compare_options *options)
{
	const struct compare_strand *like = &all->strands[first];
	double whole = whole_of(all, first);

	for (size_t i = first, end = compare_end(all, first); i < end; i++) {
		struct compare_strand *strand = &all->strands[i];
		bool sampled = strand->found.noise == PERUN_NOISE_SAMPLED;

		if (!strand->stacks || strand->whole || !compare_same_metric(strand, like))
			continue;
		if (fabs(change_of(strand)) <
		    (sampled ? MIN_SHARE : options->exact_threshold) * whole)
			set_unchanged(strand);
	}
}

/* Whether two changes of opposite sign are of one size, as far as samples can say so. */
static bool are_alike(const struct compare_strand *gone, const struct compare_strand *other)
{
	double one = fabs(change_of(gone)), two = fabs(change_of(other)), error = 0;

	if (gone->sample > 0)
		error = 2 * sqrt((one + two) / gone->sample) * gone->sample;
	return fabs(one - two) <= ALIKE * fmax(one, two) + error;
}

static void set_moved(struct perun_comparisons *all, struct compare_strand *gone,
		      struct compare_strand *other)
{
	bool renamed = other->found.before == 0;

	gone->moved = other->moved = true;
	set_unchanged(gone);
	set_unchanged(other);
	gone->found.explanation = compare_keep(
		all, perun_format("gone, but %s costs as much more: %s", other->found.location,
				  renamed ? "renamed" : "inlined"));
	other->found.explanation = compare_keep(
		all, perun_format("as much more as %s cost, which is gone", gone->found.location));
}

/* A function that is gone, and a new one, or one that grew, by as much: it was renamed, or inlined. */
static void find_moved(struct perun_comparisons *all, size_t first)
{
	for (size_t i = first, end = compare_end(all, first); i < end; i++) {
		struct compare_strand *gone = &all->strands[i];
		struct compare_strand *best = NULL;

		if (!is_self(gone, &all->strands[first]) || !changed(gone) || gone->moved ||
		    gone->found.after != 0)
			continue;
		for (size_t j = first; j < end; j++) {
			struct compare_strand *other = &all->strands[j];

			if (!is_self(other, gone) || !changed(other) || other->moved ||
			    change_of(other) <= 0 || !are_alike(gone, other))
				continue;
			/* New functions first. */
			if (!best || (best->found.before != 0 && other->found.before == 0))
				best = other;
		}
		if (best)
			set_moved(all, gone, best);
	}
}

/* What changed functions explain of a change upwards or downwards. */
static double explained(const struct perun_comparisons *all, size_t first, bool upwards)
{
	double sum = 0;

	for (size_t i = first, end = compare_end(all, first); i < end; i++) {
		const struct compare_strand *strand = &all->strands[i];

		if (is_self(strand, &all->strands[first]) && changed(strand) &&
		    (change_of(strand) > 0) == upwards)
			sum += fabs(change_of(strand));
	}
	return sum;
}

/* Totals of one direction: only the innermost that holds nearly all of what nothing else explains. */
static void keep_one_total(struct perun_comparisons *all, size_t first, bool upwards)
{
	double known = explained(all, first, upwards), largest = 0;
	struct compare_strand *kept = NULL;

	for (int pass = 0; pass < 3; pass++) {
		for (size_t i = first, end = compare_end(all, first); i < end; i++) {
			struct compare_strand *strand = &all->strands[i];
			double change = fabs(change_of(strand));

			if (!strand->found.inclusive || !changed(strand) ||
			    !compare_same_metric(strand, &all->strands[first]) ||
			    (change_of(strand) > 0) != upwards)
				continue;
			if (pass == 0 &&
			    (known >= EXPLAINED * change || !compare_has(strand, BEFORE) ||
			     !compare_has(strand, AFTER)))
				set_unchanged(strand);
			else if (pass == 0)
				largest = fmax(largest, change);
			else if (pass == 1 && change >= NEARLY_ALL * largest &&
				 (!kept || strand->found.before < kept->found.before))
				kept = strand;
			else if (pass == 2 && strand != kept)
				set_unchanged(strand);
		}
	}
}

/* A total that is mostly the function's own cost is a change of the function. */
static void name_leaf(struct perun_comparisons *all, size_t first)
{
	for (size_t i = first, end = compare_end(all, first); i < end; i++) {
		struct compare_strand *total = &all->strands[i];

		if (!total->found.inclusive || !changed(total))
			continue;
		for (size_t j = first; j < end; j++) {
			struct compare_strand *self = &all->strands[j];

			if (!is_self(self, total) ||
			    strcmp(self->found.location, total->found.location) != 0 ||
			    strcmp(self->found.workload, total->found.workload) != 0 ||
			    change_of(self) / change_of(total) < EXPLAINED)
				continue;
			self->found.result = total->found.result;
			self->found.p = total->found.p;
			self->found.explanation = total->found.explanation;
			set_unchanged(total);
		}
	}
}

void compare_functions(struct perun_comparisons *all, size_t first,
		       const struct perun_compare_options *options)
{
	drop_small(all, first, options);
	find_moved(all, first);
	keep_one_total(all, first, true);
	keep_one_total(all, first, false);
	name_leaf(all, first);
}
