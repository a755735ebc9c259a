/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that follow from one of the real time, and say nothing of their own. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"

/* Factors of levels that are made from each other differ by less. */
#define DERIVED 0.002

struct history_times {
	const struct perun_strand **strands; /* by place */
	size_t count;
};

static bool is_real(const struct perun_strand *strand)
{
	return strcmp(strand->metric, "time(real)") == 0 || strcmp(strand->metric, "time") == 0;
}

static int compare_places(const struct perun_strand *a, const struct perun_strand *b)
{
	int order = strcmp(a->location, b->location);

	if (!order)
		order = strcmp(a->command, b->command);
	return order ? order : strcmp(a->machine ? a->machine : "", b->machine ? b->machine : "");
}

static int by_place(const void *one, const void *other)
{
	const struct perun_strand *const *a = one, *const *b = other;

	return compare_places(*a, *b);
}

struct history_times *history_times_new(const struct perun_history *history)
{
	struct history_times *times = perun_alloc_zero(1, sizeof *times);
	size_t count = perun_history_count(history);

	times->strands = perun_alloc_zero(count + 1, sizeof *times->strands);
	for (size_t s = 0; s < count; s++) {
		const struct perun_strand *strand = perun_history_strand(history, s);

		if (is_real(strand))
			times->strands[times->count++] = strand;
	}
	if (times->count)
		qsort(times->strands, times->count, sizeof *times->strands, by_place);
	return times;
}

void history_times_free(struct history_times *times)
{
	if (times)
		perun_free(times->strands);
	perun_free(times);
}

static const struct perun_change_point *point_at(const struct perun_strand *strand, size_t index)
{
	for (size_t i = 0; i < strand->changes->count; i++) {
		if (strand->changes->points[i].index == index)
			return &strand->changes->points[i];
	}
	return NULL;
}

bool history_times_say(const struct history_times *times, const struct perun_strand *strand,
		       const struct perun_change_point *point)
{
	const struct perun_strand *const *real =
		times->count && !is_real(strand) ? bsearch(&strand, times->strands, times->count,
							   sizeof *times->strands, by_place)
						 : NULL;
	const struct perun_change_point *time = real ? point_at(*real, point->index) : NULL;
	double factor, other;

	if (!time)
		return false;
	if (strncmp(strand->metric, "time(", 5) == 0)
		return perun_strand_result(strand, point) == perun_strand_result(*real, time);
	factor = point->after / point->before;
	other = time->after / time->before;
	return fabs(factor / other - 1) < DERIVED || fabs(factor * other - 1) < DERIVED;
}
