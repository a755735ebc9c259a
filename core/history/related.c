/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of stacks whose costs changed at one version: which of these changes a history reports. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/history/functions.h"
#include "core/history/history.h"

/* Measured versions that may well be the same change. */
#define NEAR 2
/* Versions on each side from which a level is taken where it does not end sooner. */
#define AROUND 10

/* The functions of a metric of a command on a class of machine. */
struct family {
	struct perun_strand_builder **strands;
	char **names; /* without PERUN_AND_CALLEES */
	size_t count, capacity;
	size_t *ranks; /* of each version: how many measured ones are before it */
	struct perun_function_change *functions;
	struct perun_change_point **points; /* of each strand that changed */
	double *values;
};

static bool is_function(const struct perun_strand *strand)
{
	return strand->stacks && !strand->whole;
}

/* What one sample adds; 0 = costs are exact. */
static double sample_of(const struct perun_strand *strand)
{
	return strand->noise == PERUN_NOISE_SAMPLED ? strand->sample : 0;
}

static char *name_of(const struct perun_strand *strand)
{
	size_t end = strlen(PERUN_AND_CALLEES), length = strlen(strand->location);

	return perun_strndup(strand->location,
			     strand->inclusive && length > end ? length - end : length);
}

static void rank_versions(struct family *family, size_t versions)
{
	size_t measured = 0;

	family->ranks = perun_alloc_zero(versions + 1, sizeof *family->ranks);
	for (size_t i = 0; i < versions; i++) {
		bool any = false;

		for (size_t k = 0; !any && k < family->count; k++)
			any = i < family->strands[k]->count &&
			      !isnan(family->strands[k]->values[i]);
		family->ranks[i] = measured;
		measured += any;
	}
}

static void free_family(struct family *family)
{
	for (size_t k = 0; k < family->count; k++)
		perun_free(family->names[k]);
	perun_free(family->names);
	perun_free(family->strands);
	perun_free(family->ranks);
	perun_free(family->functions);
	perun_free(family->points);
	perun_free(family->values);
}

/* SIZE_MAX = it never was. */
static size_t last_measured(const struct perun_strand *strand)
{
	size_t last = strand->count;

	while (last > 0 && isnan(strand->values[last - 1]))
		last--;
	return last - 1;
}

static size_t distance(const struct family *family, size_t one, size_t other)
{
	size_t a = family->ranks[one], b = family->ranks[other];

	return a < b ? b - a : a - b;
}

/* The change of a strand at a version, or, since noise of samples moves it, next to it. */
static struct perun_change_point *nearest(const struct family *family,
					  const struct perun_strand_builder *strand, size_t version)
{
	struct perun_change_point *best = NULL;
	size_t near = sample_of(&strand->strand) > 0 ? NEAR : 0;

	for (size_t i = 0; i < strand->changes.count; i++) {
		struct perun_change_point *point = &strand->changes.points[i];
		size_t away = distance(family, point->index, version);

		if (away <= near && (!best || away < distance(family, best->index, version)))
			best = point;
	}
	return best;
}

/* The median of the values in [first, end). */
static double level(const struct family *family, const struct perun_strand_builder *strand,
		    size_t first, size_t end)
{
	size_t count = 0;

	for (size_t i = first; i < end && i < strand->count; i++) {
		if (!isnan(strand->values[i]))
			family->values[count++] = strand->values[i];
	}
	return count ? perun_median_in_place(family->values, count) : 0;
}

/* What strands without a change cost on both sides of one, as far as they have no other change. */
static void set_levels(const struct family *family, size_t k, size_t index)
{
	struct perun_function_change *function = &family->functions[k];
	const struct perun_strand_builder *strand = family->strands[k];
	size_t first = index > AROUND ? index - AROUND : 0, end = index + AROUND;

	for (size_t i = 0; i < strand->changes.count; i++) {
		size_t other = strand->changes.points[i].index;

		if (other <= index && other > first)
			first = other;
		if (other > index && other < end)
			end = other;
	}
	function->before = level(family, strand, first, index);
	function->after = level(family, strand, index, end);
}

static void describe(const struct family *family, size_t version)
{
	for (size_t k = 0; k < family->count; k++) {
		const struct perun_strand_builder *strand = family->strands[k];
		struct perun_change_point *point = nearest(family, strand, version);
		struct perun_function_change *function = &family->functions[k];

		*function = (struct perun_function_change){.name = family->names[k],
							   .workload = "",
							   .sample = sample_of(&strand->strand),
							   .inclusive = strand->strand.inclusive,
							   .changed = point};
		family->points[k] = point;
		if (point) {
			function->before = point->before;
			function->after = point->after;
		} else {
			set_levels(family, k, version);
		}
		function->both = function->before != 0 && function->after != 0;
	}
}

static void remove_point(struct perun_strand_builder *strand, size_t version)
{
	struct perun_segmentation *changes = &strand->changes;

	for (size_t i = 0; i < changes->count; i++) {
		if (changes->points[i].index != version)
			continue;
		changes->count--;
		memmove(changes->points + i, changes->points + i + 1,
			(changes->count - i) * sizeof *changes->points);
		perun_strand_settle(strand, version);
		return;
	}
}

/* The change of a total, as one of the function that explains it. */
static void name_function(const struct perun_function_change *function,
			  const struct perun_change_point *total,
			  struct perun_strand_builder *strand)
{
	struct perun_segmentation *changes = &strand->changes;
	struct perun_change_point point = *total;
	size_t at = changes->count;

	point.before = function->before;
	point.after = function->after;
	point.shift = point.after - point.before;
	point.low = total->low - total->shift + point.shift;
	point.high = total->high - total->shift + point.shift;
	changes->points =
		perun_realloc_array(changes->points, changes->count + 1, sizeof *changes->points);
	while (at > 0 && changes->points[at - 1].index > point.index) {
		changes->points[at] = changes->points[at - 1];
		at--;
	}
	changes->points[at] = point;
	changes->count++;
}

/* Neither function has a change: where they are the last values, these exclude nothing. */
static void take_moved(struct perun_history *history, const struct family *family, size_t k,
		       size_t version)
{
	const struct perun_function_change *function = &family->functions[k];
	const struct perun_function_change *other = &family->functions[function->other];
	struct perun_strand *strand = &family->strands[k]->strand;

	strand->small |= version == last_measured(strand);
	/* Noise of samples moves the change of the other one: it is said where this one is gone. */
	if (function->after != 0 || family->points[k]->index != version)
		return;
	PERUN_GROW(history->moved, history->moved_count, history->moved_capacity);
	history->moved[history->moved_count++] =
		(struct perun_moved_function){version, perun_strdup(function->name),
					      perun_strdup(other->name), other->before == 0};
}

/* What all changes at a version, and next to it, say together. */
static void relate(struct perun_history *history, const struct family *family, size_t version)
{
	describe(family, version);
	perun_relate_functions(family->functions, family->count, PERUN_EXACT_SHARE);
	for (size_t k = 0; k < family->count; k++) {
		const struct perun_function_change *function = &family->functions[k];
		const struct perun_change_point *total = family->points[function->other];

		if (function->fate == PERUN_FUNCTION_NAMED && total->index == version &&
		    !family->points[k])
			name_function(function, total, family->strands[k]);
	}
	for (size_t k = 0; k < family->count; k++) {
		const struct perun_function_change *function = &family->functions[k];

		if (function->fate == PERUN_FUNCTION_MOVED)
			take_moved(history, family, k, version);
		if (function->fate != PERUN_FUNCTION_KEPT && function->fate != PERUN_FUNCTION_NAMED)
			remove_point(family->strands[k], version);
	}
}

/* Whether a strand of the family changes at each version. */
static bool *mark_changes(const struct family *family, size_t versions)
{
	bool *changes = perun_alloc_zero(versions + 1, sizeof *changes);

	for (size_t k = 0; k < family->count; k++) {
		const struct perun_segmentation *own = &family->strands[k]->changes;

		for (size_t i = 0; i < own->count; i++)
			changes[own->points[i].index] = true;
	}
	return changes;
}

/* What profiles of a version say in the mean: medians of a few samples differ by whole ones. */
static double mean_at(const struct perun_strand *strand, size_t version)
{
	size_t first = strand->starts[version], end = strand->starts[version + 1];
	double sum = 0;

	for (size_t i = first; i < end; i++)
		sum += strand->repeats[i];
	return sum / (double)(end - first);
}

/* What all functions cost at a version. */
static double whole_at(const struct family *family, size_t version)
{
	double sum = 0;

	for (size_t k = 0; k < family->count; k++) {
		const struct perun_strand_builder *strand = family->strands[k];

		if (!strand->strand.inclusive && version < strand->count &&
		    !isnan(strand->values[version]))
			sum += mean_at(&strand->strand, version);
	}
	return sum;
}

/* All functions of a family are measured at the same versions. */
static void mark_small(const struct family *family)
{
	size_t last = last_measured(&family->strands[0]->strand), before;
	double whole;

	if (last == SIZE_MAX)
		return;
	before = perun_last_measured_before(&family->strands[0]->strand, last);
	whole = whole_at(family, before);
	for (size_t k = 0; k < family->count; k++) {
		struct perun_strand_builder *strand = family->strands[k];
		double least =
			perun_function_share(sample_of(&strand->strand), PERUN_EXACT_SHARE) * whole;

		strand->strand.small |=
			last < strand->count && fabs(mean_at(&strand->strand, last) -
						     mean_at(&strand->strand, before)) < least;
	}
}

static void relate_family(struct perun_history *history, struct family *family, size_t versions)
{
	bool *changes = mark_changes(family, versions);

	family->names = perun_alloc_zero(family->count + 1, sizeof *family->names);
	family->functions = perun_alloc_zero(family->count + 1, sizeof *family->functions);
	family->points = perun_alloc_zero(family->count + 1, sizeof(struct perun_change_point *));
	family->values = perun_alloc_zero(versions + 1, sizeof *family->values);
	for (size_t k = 0; k < family->count; k++)
		family->names[k] = name_of(&family->strands[k]->strand);
	rank_versions(family, versions);
	for (size_t i = 0; i < versions; i++) {
		if (changes[i])
			relate(history, family, i);
	}
	mark_small(family);
	perun_free(changes);
}

static int by_version(const void *one, const void *other)
{
	const struct perun_moved_function *a = one, *b = other;

	if (a->version != b->version)
		return a->version < b->version ? -1 : 1;
	return strcmp(a->from, b->from);
}

void perun_history_relate_functions(struct perun_history *history)
{
	struct perun_pool *groups = perun_pool_new(false);
	struct family *families = NULL;
	size_t count = 0, capacity = 0;

	for (size_t s = 0; s < history->count; s++) {
		struct family *family;
		perun_id group;

		if (!is_function(&history->strands[s].strand))
			continue;
		group = perun_strand_group(&groups, &history->strands[s].strand);
		while (count <= group) {
			PERUN_GROW(families, count, capacity);
			families[count++] = (struct family){0};
		}
		family = &families[group];
		PERUN_GROW(family->strands, family->count, family->capacity);
		family->strands[family->count++] = &history->strands[s];
	}
	for (size_t i = 0; i < count; i++) {
		if (families[i].count)
			relate_family(history, &families[i], history->line->count);
		free_family(&families[i]);
	}
	perun_free(families);
	perun_pool_unref(groups);
	if (history->moved_count)
		qsort(history->moved, history->moved_count, sizeof *history->moved, by_version);
}

void perun_history_note_moved(struct perun_ctx *ctx, const struct perun_history *history)
{
	struct perun_moves moves = {0};

	for (size_t i = 0; i < history->moved_count; i++) {
		const struct perun_moved_function *moved = &history->moved[i];
		char *text;

		/* All metrics of a profile say the same. */
		if (i == 0 || by_version(moved, moved - 1) != 0)
			perun_moves_add(&moves, moved->from, moved->to, moved->renamed);
		if (i + 1 < history->moved_count && moved[1].version == moved->version)
			continue;
		text = perun_moves_take(&moves);
		perun_note(ctx, "%.8s: no change in cost: %s",
			   history->line->checksums[moved->version], text);
		perun_free(text);
	}
}
