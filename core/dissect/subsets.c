/* SPDX-License-Identifier: BSD-3-Clause */
/* Delta debugging: the smallest set of changes that is slow. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dissect/subsets.h"

static bool *new_set(const struct subsets *subsets)
{
	return perun_alloc_zero(subsets->count + 1, sizeof(bool));
}

static void add_set(const struct subsets *subsets, bool *set, const bool *other)
{
	for (size_t i = 0; i < subsets->count; i++)
		set[i] |= other[i];
}

static size_t count_set(const struct subsets *subsets, const bool *set)
{
	size_t count = 0;

	for (size_t i = 0; i < subsets->count; i++)
		count += set[i];
	return count;
}

static double weigh(const struct subsets *subsets, const bool *set)
{
	double sum = 0;

	for (size_t i = 0; i < subsets->count; i++)
		sum += set[i] ? subsets->weights[i] : 0;
	return sum;
}

/* ---- two parts ------------------------------------------------------------------------------- */

/* A change, and how probable it is. */
struct suspect {
	size_t change;
	double weight;
};

static int compare_suspects(const void *one, const void *other)
{
	const struct suspect *a = one, *b = other;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->change < b->change ? -1 : a->change > b->change;
}

/* The changes of a set, the most probable first; the caller frees them. */
static size_t list_suspects(const struct subsets *subsets, const bool *set,
			    struct suspect **suspects)
{
	size_t count = 0;

	*suspects = perun_alloc_zero(subsets->count + 1, sizeof **suspects);
	for (size_t i = 0; i < subsets->count; i++) {
		if (set[i])
			(*suspects)[count++] = (struct suspect){i, subsets->weights[i]};
	}
	if (count)
		qsort(*suspects, count, sizeof **suspects, compare_suspects);
	return count;
}

/* A part of the candidates that needs none of the others, and how far its probability is from a half. */
struct part {
	bool *set;
	double distance; /* INFINITY = there is no such part */
};

/* Take a part if it is nearer to a half by `least`, and neither empty nor all. */
static void offer(const struct subsets *subsets, const bool *candidates, const bool *set,
		  double least, struct part *best)
{
	size_t count = count_set(subsets, set);
	double distance = fabs(weigh(subsets, set) / weigh(subsets, candidates) - 0.5);

	if (!count || count == count_set(subsets, candidates) || distance + least >= best->distance)
		return;
	memcpy(best->set, set, subsets->count * sizeof *set);
	best->distance = distance;
}

/* As many of the most probable changes, each with what it needs, as it takes for half of the probability. */
static void take_most_probable(const struct subsets *subsets, const bool *candidates,
			       const struct suspect *suspects, size_t count, struct part *best)
{
	bool *set = new_set(subsets), *more = new_set(subsets);
	double all = weigh(subsets, candidates);

	for (size_t i = 0; i < count; i++) {
		double sum = weigh(subsets, set), added;

		if (set[suspects[i].change])
			continue;
		memcpy(more, set, subsets->count * sizeof *set);
		more[suspects[i].change] = true;
		needs_close(subsets->needs, candidates, false, more);
		added = weigh(subsets, more) - sum;
		if (count_set(subsets, more) == count_set(subsets, candidates))
			continue;
		if (count_set(subsets, set) && sum + added / 2 >= all / 2)
			break;
		memcpy(set, more, subsets->count * sizeof *set);
	}
	offer(subsets, candidates, set, 0, best);
	perun_free(set);
	perun_free(more);
}

/* Parts that are not as near to a half as this one are not worth a set of less probable changes. */
#define NEARER 0.15

/* One change with what it needs, or all but those that need it. */
static void take_ends(const struct subsets *subsets, const bool *candidates,
		      const struct suspect *suspects, size_t count, struct part *best)
{
	bool *set = new_set(subsets);

	for (size_t i = 0; i < count; i++) {
		memset(set, 0, subsets->count * sizeof *set);
		set[suspects[i].change] = true;
		needs_close(subsets->needs, candidates, false, set);
		offer(subsets, candidates, set, NEARER, best);
		memcpy(set, candidates, subsets->count * sizeof *set);
		needs_leave_out(subsets->needs, suspects[i].change, set);
		offer(subsets, candidates, set, NEARER, best);
	}
	perun_free(set);
}

/* Halvings down to one, and what confirms it. */
static void estimate(const struct subsets *subsets, size_t count)
{
	size_t trials = 1;

	for (; count > 1; count = (count + 1) / 2)
		trials++;
	if (subsets->left)
		*subsets->left = trials;
}

/* A part of the candidates that builds without the others, and the others; whether there are two. */
static bool split(const struct subsets *subsets, const bool *candidates, bool *parts[2])
{
	struct suspect *suspects;
	size_t count = list_suspects(subsets, candidates, &suspects);
	struct part best = {parts[0], INFINITY};

	estimate(subsets, count);
	if (count > 1) {
		take_most_probable(subsets, candidates, suspects, count, &best);
		take_ends(subsets, candidates, suspects, count, &best);
	}
	for (size_t i = 0; i < subsets->count; i++)
		parts[1][i] = candidates[i] && !parts[0][i];
	perun_free(suspects);
	return isfinite(best.distance);
}

/* ---- searching ------------------------------------------------------------------------------- */

static int try_with(struct perun_ctx *ctx, const struct subsets *subsets, const bool *set,
		    const bool *context, enum perun_dissect_answer *answer)
{
	bool *both = new_set(subsets);
	int status;

	add_set(subsets, both, set);
	add_set(subsets, both, context);
	needs_close(subsets->needs, subsets->within, false, both);
	status = subsets->try(ctx, subsets->data, both, answer);
	perun_free(both);
	return status;
}

/* Each part is needed: search one with the other one there, and then that with what was found. */
static int reduce_both(struct perun_ctx *ctx, const struct subsets *subsets, bool *parts[2],
		       const bool *context, bool *found)
{
	bool *more = new_set(subsets), *second = new_set(subsets);
	int status;

	add_set(subsets, more, context);
	add_set(subsets, more, parts[1]);
	status = subsets_reduce(ctx, subsets, parts[0], more, found);
	memset(more, 0, subsets->count * sizeof *more);
	add_set(subsets, more, context);
	add_set(subsets, more, found);
	if (!status)
		status = subsets_reduce(ctx, subsets, parts[1], more, second);
	else
		add_set(subsets, second, parts[1]);
	add_set(subsets, found, second);
	perun_free(more);
	perun_free(second);
	return status;
}

/* One step: which part is to be searched next, or -1 for both; -2: more needs are known, split again. */
static int choose_part(struct perun_ctx *ctx, const struct subsets *subsets, bool *parts[2],
		       const bool *context, int *status)
{
	enum perun_dissect_answer answers[2];
	size_t known = subsets->needs->known;

	for (int side = 0; side < 2; side++) {
		*status = try_with(ctx, subsets, parts[side], context, &answers[side]);
		if (*status)
			return -1;
		if (answers[side] == PERUN_DISSECT_SLOW)
			return side;
		if (answers[side] == PERUN_DISSECT_FAST && !subsets->strict)
			return !side;
		if (answers[side] == PERUN_DISSECT_UNRESOLVED && subsets->needs->known > known)
			return -2;
	}
	return -1;
}

int subsets_reduce(struct perun_ctx *ctx, const struct subsets *subsets, const bool *candidates,
		   const bool *context, bool *found)
{
	bool *parts[2] = {new_set(subsets), new_set(subsets)}, *left = new_set(subsets);
	int status = PERUN_OK, next = -2;

	add_set(subsets, left, candidates);
	while (!status && next != -1 && split(subsets, left, parts)) {
		next = choose_part(ctx, subsets, parts, context, &status);
		if (next >= 0)
			memcpy(left, parts[next], subsets->count * sizeof *left);
	}
	memset(found, 0, subsets->count * sizeof *found);
	if (!status && next == -1)
		status = reduce_both(ctx, subsets, parts, context, found);
	else
		add_set(subsets, found, left);
	for (int side = 0; side < 2; side++)
		perun_free(parts[side]);
	perun_free(left);
	return status;
}
