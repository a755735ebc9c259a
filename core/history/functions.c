/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of stacks: which changes matter in the whole, which only moved, which totals say something. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/history/functions.h"

/* The least change of a function of sampled profiles, as a share of everything. */
#define MIN_SHARE 0.01
/* Costs that differ by less than this are those of one function under two names. */
#define ALIKE 0.03
/* A total is explained when changed functions make up this part of its change. */
#define EXPLAINED 0.5
/* Functions whose changes are less than this part of the change of a total that is named are part of it. */
#define PART 0.1
/* Of totals that are not explained, the innermost with this part of the largest change is named. */
#define NEARLY_ALL 0.8

/* Functions that moved which are named; the rest is a number. */
#define MAX_MOVES 3

struct functions {
	struct perun_function_change *items;
	size_t count;
};

static double change_of(const struct perun_function_change *function)
{
	return function->after - function->before;
}

static void settle(struct perun_function_change *function, enum perun_function_fate fate,
		   size_t other)
{
	function->fate = fate;
	function->other = other;
	function->changed = fate == PERUN_FUNCTION_NAMED;
}

/* What everything costs before, or after where that is all there is. */
static double whole_of(const struct functions *all)
{
	double before = 0, after = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (!all->items[i].inclusive) {
			before += all->items[i].before;
			after += all->items[i].after;
		}
	}
	return before > 0 ? before : after;
}

double perun_function_share(double sample, double exact_share)
{
	return sample > 0 ? MIN_SHARE : exact_share;
}

static void drop_small(const struct functions *all, double exact_share)
{
	double whole = whole_of(all);

	for (size_t i = 0; i < all->count; i++) {
		struct perun_function_change *item = &all->items[i];
		double least = perun_function_share(item->sample, exact_share) * whole;

		if (fabs(change_of(item)) < least)
			settle(item, PERUN_FUNCTION_SMALL, i);
	}
}

/* Whether two changes of opposite sign are of one size, as far as samples can say so. */
static bool are_alike(const struct perun_function_change *gone,
		      const struct perun_function_change *other)
{
	double one = fabs(change_of(gone)), two = fabs(change_of(other)), error = 0;

	if (gone->sample > 0)
		error = 2 * sqrt((one + two) / gone->sample) * gone->sample;
	return fabs(one - two) <= ALIKE * fmax(one, two) + error;
}

/* The function that took over the cost of one that is gone: a new one rather than one that grew. */
static size_t find_successor(const struct functions *all, const struct perun_function_change *gone)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < all->count; i++) {
		const struct perun_function_change *other = &all->items[i];

		if (other->inclusive || !other->changed || change_of(other) <= 0 ||
		    !are_alike(gone, other))
			continue;
		if (best == SIZE_MAX || (all->items[best].before != 0 && other->before == 0))
			best = i;
	}
	return best;
}

/* A function that is gone, and a new one, or one that grew, by as much: it was renamed, or inlined. */
static void find_moved(const struct functions *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct perun_function_change *gone = &all->items[i];
		size_t successor;

		if (gone->inclusive || !gone->changed || gone->after != 0)
			continue;
		successor = find_successor(all, gone);
		if (successor == SIZE_MAX)
			continue;
		settle(gone, PERUN_FUNCTION_MOVED, successor);
		settle(&all->items[successor], PERUN_FUNCTION_MOVED, i);
	}
}

/* What changed functions explain of a change upwards or downwards. */
static double explained(const struct functions *all, bool upwards)
{
	double sum = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct perun_function_change *item = &all->items[i];

		if (!item->inclusive && item->changed && (change_of(item) > 0) == upwards)
			sum += fabs(change_of(item));
	}
	return sum;
}

/* Totals of one direction: only the innermost that holds nearly all of what nothing else explains. */
static void keep_one_total(const struct functions *all, bool upwards)
{
	double known = explained(all, upwards), largest = 0;
	size_t kept = SIZE_MAX;

	for (int pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < all->count; i++) {
			struct perun_function_change *total = &all->items[i];
			double change = fabs(change_of(total));

			if (!total->inclusive || !total->changed ||
			    (change_of(total) > 0) != upwards)
				continue;
			if (pass == 0 && (known >= EXPLAINED * change || !total->both))
				settle(total, PERUN_FUNCTION_EXPLAINED, i);
			else if (pass == 0)
				largest = fmax(largest, change);
			else if (pass == 1 && change >= NEARLY_ALL * largest &&
				 (kept == SIZE_MAX || total->before < all->items[kept].before))
				kept = i;
			else if (pass == 2 && i != kept)
				settle(total, PERUN_FUNCTION_EXPLAINED, kept);
		}
	}
}

/* Of a total that is named, small parts are not named as well. */
static void drop_parts(const struct functions *all)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct perun_function_change *total = &all->items[i];

		for (size_t j = 0; total->inclusive && total->changed && j < all->count; j++) {
			struct perun_function_change *self = &all->items[j];
			double part = change_of(self) / change_of(total);

			if (!self->inclusive && self->changed && part > 0 && part < PART)
				settle(self, PERUN_FUNCTION_EXPLAINED, i);
		}
	}
}

/* A total that is mostly the function's own cost is a change of the function. */
static void name_leaf(const struct functions *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct perun_function_change *total = &all->items[i];

		for (size_t j = 0; total->inclusive && total->changed && j < all->count; j++) {
			struct perun_function_change *self = &all->items[j];

			if (self->inclusive || strcmp(self->name, total->name) != 0 ||
			    strcmp(self->workload, total->workload) != 0 ||
			    change_of(self) / change_of(total) < EXPLAINED)
				continue;
			settle(self, PERUN_FUNCTION_NAMED, i);
			settle(total, PERUN_FUNCTION_EXPLAINED, j);
		}
	}
}

void perun_relate_functions(struct perun_function_change *functions, size_t count,
			    double exact_share)
{
	const struct functions all = {functions, count};

	drop_small(&all, exact_share);
	find_moved(&all);
	keep_one_total(&all, true);
	keep_one_total(&all, false);
	name_leaf(&all);
	drop_parts(&all);
}

void perun_moves_add(struct perun_moves *moves, const char *from, const char *to, bool renamed)
{
	if (moves->count++ >= MAX_MOVES)
		return;
	perun_buffer_printf(&moves->text,
			    renamed ? "%s%s is %s now (renamed)"
				    : "%s%s is a part of %s now (inlined)",
			    moves->count > 1 ? ", " : "", from, to);
}

char *perun_moves_take(struct perun_moves *moves)
{
	char *text;

	if (moves->count > MAX_MOVES)
		perun_buffer_printf(&moves->text, " and %zu more", moves->count - MAX_MOVES);
	text = moves->count ? perun_buffer_take(&moves->text) : NULL;
	*moves = (struct perun_moves){0};
	return text;
}
