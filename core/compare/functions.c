/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of stacks of two versions: which of their changes say something. */
#include <math.h>

#include "core/compare/compare.h"
#include "core/history/functions.h"

struct related {
	struct perun_comparisons *all;
	size_t *strands; /* of each function */
	struct perun_function_change *functions;
	size_t count;
};

static bool changed(const struct compare_strand *strand)
{
	return strand->found.result != PERUN_RESULT_NO_CHANGE &&
	       strand->found.result != PERUN_RESULT_INCONCLUSIVE;
}

static void fill(struct related *related, size_t first)
{
	struct perun_comparisons *all = related->all;
	size_t end = compare_end(all, first);

	related->strands = perun_alloc((end - first + 1) * sizeof *related->strands);
	related->functions = perun_alloc((end - first + 1) * sizeof *related->functions);
	for (size_t i = first; i < end; i++) {
		const struct compare_strand *strand = &all->strands[i];

		if (!strand->stacks || strand->whole)
			continue;
		related->functions[related->count] = (struct perun_function_change){
			.name = strand->found.location,
			.workload = strand->found.workload,
			.before = strand->found.before,
			.after = strand->found.after,
			.sample = strand->found.noise == PERUN_NOISE_SAMPLED ? strand->sample : 0,
			.inclusive = strand->found.inclusive,
			.both = compare_has(strand, BEFORE) && compare_has(strand, AFTER),
			.changed = changed(strand)};
		related->strands[related->count++] = i;
	}
}

/* Not its own interval says so, but what else is known: what that excludes says nothing of the comparison. */
static void set_unchanged(struct compare_strand *strand)
{
	strand->found.result = PERUN_RESULT_NO_CHANGE;
	strand->found.low = strand->found.high = NAN;
}

/* The one that is gone, or the one that costs as much more. */
static const char *say_moved(const struct perun_function_change *function,
			     const struct perun_function_change *other,
			     struct perun_comparisons *all)
{
	if (function->after == 0 && other->after != 0)
		return compare_keep(all,
				    perun_format("gone, but %s costs as much more: %s", other->name,
						 other->before == 0 ? "renamed" : "inlined"));
	return compare_keep(all,
			    perun_format("as much more as %s cost, which is gone", other->name));
}

static void apply(const struct related *related, size_t i)
{
	struct perun_comparisons *all = related->all;
	const struct perun_function_change *function = &related->functions[i];
	struct compare_strand *strand = &all->strands[related->strands[i]];
	const struct compare_strand *other = &all->strands[related->strands[function->other]];

	if (function->fate == PERUN_FUNCTION_NAMED) {
		strand->found.result = compare_result(strand, function->after > function->before);
		strand->found.p = other->found.p;
		strand->found.explanation = other->found.explanation;
	} else if (function->fate != PERUN_FUNCTION_KEPT) {
		set_unchanged(strand);
	}
	if (function->fate != PERUN_FUNCTION_MOVED)
		return;
	strand->moved = true;
	strand->found.explanation = say_moved(function, &related->functions[function->other], all);
}

void compare_functions(struct perun_comparisons *all, size_t first,
		       const struct perun_compare_options *options)
{
	struct related related = {.all = all};

	struct perun_moves moves = {0};
	char *moved;

	fill(&related, first);
	perun_relate_functions(related.functions, related.count, options->exact_threshold);
	for (size_t i = 0; i < related.count; i++) {
		const struct perun_function_change *function = &related.functions[i];
		const struct perun_function_change *other = &related.functions[function->other];

		apply(&related, i);
		if (function->fate == PERUN_FUNCTION_MOVED && function->after == 0)
			perun_moves_add(&moves, function->name, other->name, other->before == 0);
	}
	moved = perun_moves_take(&moves);
	if (moved)
		compare_note(all, perun_format("no change in cost: %s", moved));
	perun_free(moved);
	perun_free(related.strands);
	perun_free(related.functions);
}
