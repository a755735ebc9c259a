/* SPDX-License-Identifier: BSD-3-Clause */
/* Delta debugging: the smallest set of changes that is slow. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/dissect/subsets.h"

/* A group, as far as it is among the candidates. */
struct unit {
	size_t group;
	double weight; /* the largest of its changes */
};

static int compare_units(const void *one, const void *other)
{
	const struct unit *a = one, *b = other;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->group < b->group ? -1 : a->group > b->group;
}

/* The groups of a set, the most probable first; the caller frees them. */
static size_t list_units(const struct subsets *subsets, const bool *set, struct unit **units)
{
	size_t *place = perun_alloc_zero(subsets->count + 1, sizeof *place), count = 0;

	*units = perun_alloc_zero(subsets->count + 1, sizeof **units);
	for (size_t i = 0; i < subsets->count; i++) {
		size_t group = subsets->needs->group[i];

		if (!set[i])
			continue;
		if (!place[group]) {
			(*units)[count] = (struct unit){.group = group};
			place[group] = ++count;
		}
		if (subsets->weights[i] > (*units)[place[group] - 1].weight)
			(*units)[place[group] - 1].weight = subsets->weights[i];
	}
	qsort(*units, count, sizeof **units, compare_units);
	perun_free(place);
	return count;
}

/* As many of the most probable units as it takes for half of the probability, but not all. */
static size_t find_half(const struct unit *units, size_t count)
{
	double all = 0, sum = 0;
	size_t half = 0;

	for (size_t i = 0; i < count; i++)
		all += units[i].weight;
	while (half < count - 1 && (half == 0 || sum + units[half].weight / 2 < all / 2))
		sum += units[half++].weight;
	return half;
}

static bool *new_set(const struct subsets *subsets)
{
	return perun_alloc_zero(subsets->count + 1, sizeof(bool));
}

static void add_set(const struct subsets *subsets, bool *set, const bool *other)
{
	for (size_t i = 0; i < subsets->count; i++)
		set[i] |= other[i];
}

/* Halvings down to one, and what confirms it. */
static void estimate(const struct subsets *subsets, size_t units)
{
	size_t trials = 1;

	for (; units > 1; units = (units + 1) / 2)
		trials++;
	if (subsets->left)
		*subsets->left = trials;
}

/* Both halves of the candidates, and whether there are two. */
static bool split(const struct subsets *subsets, const bool *candidates, bool *halves[2])
{
	struct unit *units;
	size_t count = list_units(subsets, candidates, &units), half;

	estimate(subsets, count);
	if (count < 2) {
		perun_free(units);
		return false;
	}
	half = find_half(units, count);
	for (int side = 0; side < 2; side++)
		memset(halves[side], 0, subsets->count * sizeof(bool));
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < subsets->count; k++) {
			if (candidates[k] && subsets->needs->group[k] == units[i].group)
				halves[i >= half][k] = true;
		}
	}
	perun_free(units);
	return true;
}

static size_t count_groups(const struct subsets *subsets)
{
	size_t count = 0;

	for (size_t i = 0; i < subsets->count; i++)
		count += subsets->needs->group[i] == i;
	return count;
}

static int try_with(struct perun_ctx *ctx, const struct subsets *subsets, const bool *set,
		    const bool *context, enum perun_dissect_answer *answer)
{
	bool *both = new_set(subsets);
	int status;

	add_set(subsets, both, set);
	add_set(subsets, both, context);
	status = subsets->try(ctx, subsets->data, both, answer);
	perun_free(both);
	return status;
}

/* Each half is needed: search one with the other one there, and then that with what was found. */
static int reduce_both(struct perun_ctx *ctx, const struct subsets *subsets, bool *halves[2],
		       const bool *context, bool *found)
{
	bool *more = new_set(subsets), *second = new_set(subsets);
	int status;

	add_set(subsets, more, context);
	add_set(subsets, more, halves[1]);
	status = subsets_reduce(ctx, subsets, halves[0], more, found);
	memset(more, 0, subsets->count * sizeof *more);
	add_set(subsets, more, context);
	add_set(subsets, more, found);
	if (!status)
		status = subsets_reduce(ctx, subsets, halves[1], more, second);
	else
		add_set(subsets, second, halves[1]);
	add_set(subsets, found, second);
	perun_free(more);
	perun_free(second);
	return status;
}

/* One step: which half is to be searched next, or -1 for both; -2: groups were joined, split again. */
static int choose_half(struct perun_ctx *ctx, const struct subsets *subsets, bool *halves[2],
		       const bool *context, int *status)
{
	enum perun_dissect_answer answers[2];
	size_t groups = count_groups(subsets);

	for (int side = 0; side < 2; side++) {
		*status = try_with(ctx, subsets, halves[side], context, &answers[side]);
		if (*status)
			return -1;
		if (answers[side] == PERUN_DISSECT_SLOW)
			return side;
		if (answers[side] == PERUN_DISSECT_FAST && !subsets->strict)
			return !side;
		if (answers[side] == PERUN_DISSECT_UNRESOLVED && count_groups(subsets) < groups)
			return -2;
	}
	return -1;
}

int subsets_reduce(struct perun_ctx *ctx, const struct subsets *subsets, const bool *candidates,
		   const bool *context, bool *found)
{
	bool *halves[2] = {new_set(subsets), new_set(subsets)}, *left = new_set(subsets);
	int status = PERUN_OK, next = -2;

	add_set(subsets, left, candidates);
	while (!status && next != -1 && split(subsets, left, halves)) {
		next = choose_half(ctx, subsets, halves, context, &status);
		if (next >= 0)
			memcpy(left, halves[next], subsets->count * sizeof *left);
	}
	memset(found, 0, subsets->count * sizeof *found);
	if (!status && next == -1)
		status = reduce_both(ctx, subsets, halves, context, found);
	else
		add_set(subsets, found, left);
	for (int side = 0; side < 2; side++)
		perun_free(halves[side]);
	perun_free(left);
	return status;
}
