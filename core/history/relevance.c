/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that a busy machine makes: found as a comparison of two versions finds them (core/compare). */
#include <math.h>
#include <string.h>

#include "core/history/history.h"
#include "core/statistics/few-runs.h"

/* A benchmark whose real time is this many times its processor time waits by its nature. */
#define WAITS 2

static void drop(struct perun_segmentation *changes, size_t i)
{
	changes->count--;
	memmove(changes->points + i, changes->points + i + 1,
		(changes->count - i) * sizeof *changes->points);
}

static const struct perun_strand *find_cpu(const struct perun_history *history,
					   const struct perun_strand *real)
{
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;

		if (strcmp(strand->metric, "time(cpu)") == 0 &&
		    strcmp(strand->location, real->location) == 0 &&
		    strcmp(strand->command, real->command) == 0 &&
		    strcmp(strand->machine, real->machine) == 0)
			return strand;
	}
	return history->clocks ? find_cpu(history->clocks, real) : NULL;
}

/* Real times that changed where processor times did not: the machine was busy. */
static bool was_busy(const struct perun_history *history, const struct perun_strand *strand,
		     const struct perun_change_point *point)
{
	const struct perun_strand *cpu =
		strcmp(strand->metric, "time(real)") == 0 ? find_cpu(history, strand) : NULL;

	if (!cpu || point->index >= cpu->count ||
	    strand->values[point->index] >= WAITS * cpu->values[point->index])
		return false;
	for (size_t i = 0; i < cpu->changes->count; i++) {
		if (cpu->changes->points[i].index == point->index)
			return false;
	}
	return true;
}

/* ---- a few runs of the last version --------------------------------------------------------------- */

static size_t runs_of(const struct perun_strand *strand, size_t version)
{
	return strand->starts[version + 1] - strand->starts[version];
}

/* The change between two versions of a few runs each, as a logarithm; NaN = there is none. */
static double change_of_few(const struct perun_strand *strand, size_t before, size_t last)
{
	if (strand->noise != PERUN_NOISE_TIMED || strand->inclusive || last >= strand->count ||
	    !(strand->values[before] > 0) || !(strand->values[last] > 0) ||
	    runs_of(strand, before) >= FEW_RUNS || runs_of(strand, last) >= FEW_RUNS)
		return NAN;
	return log(strand->values[last]) - log(strand->values[before]);
}

/* What the strands of the same profiles show of the noise of a change, as a share. */
static double floor_of(const struct perun_history *history, const struct perun_strand *strand,
		       size_t before, size_t last)
{
	double *changes = perun_alloc((history->count + 1) * sizeof *changes), floor;
	size_t count = 0, own = 0, runs = runs_of(strand, before);

	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *other = &history->strands[s].strand;
		double change = strcmp(other->metric, strand->metric) == 0 &&
						strcmp(other->command, strand->command) == 0 &&
						strcmp(other->machine, strand->machine) == 0
					? change_of_few(other, before, last)
					: NAN;

		if (isnan(change))
			continue;
		own = other == strand ? count : own;
		changes[count++] = change;
	}
	runs = runs_of(strand, last) < runs ? runs_of(strand, last) : runs;
	floor = few_runs_floor(changes, count, own, runs);
	perun_free(changes);
	return floor;
}

/* A change of the last version, which no later one confirms, within what the machine moves other strands by. */
static bool is_noise(const struct perun_history *history, const struct perun_strand *strand,
		     const struct perun_change_point *point)
{
	size_t before = perun_last_measured_before(strand, point->index);

	for (size_t i = point->index + 1; i < strand->count; i++) {
		if (!isnan(strand->values[i]))
			return false;
	}
	return before != SIZE_MAX && !isnan(change_of_few(strand, before, point->index)) &&
	       fabs(strand->values[point->index] - strand->values[before]) <=
		       floor_of(history, strand, before, point->index) * strand->values[before];
}

void perun_history_drop_irrelevant(struct perun_history *history)
{
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];

		for (size_t i = builder->changes.count; i-- > 0;) {
			const struct perun_change_point *point = &builder->changes.points[i];

			if (was_busy(history, &builder->strand, point) ||
			    is_noise(history, &builder->strand, point))
				drop(&builder->changes, i);
		}
	}
}
