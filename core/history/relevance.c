/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that a busy machine makes: found as a comparison of two versions finds them (core/compare). */
#include <math.h>
#include <string.h>

#include "core/history/history.h"
#include "core/history/values.h"
#include "core/profile/pool.h"
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

/* The last two versions that a strand was measured at, if both have a few runs. */
struct last_change {
	perun_id key; /* of strands that were measured together; PERUN_NO_ID = none */
	size_t before, last;
	double change; /* a logarithm */
};

/* What the last changes of strands that were measured together show of their noise. */
struct noises {
	struct last_change *changes; /* of each strand */
	struct few_noise *noises;    /* of each key */
};

static size_t runs_of(const struct perun_strand *strand, size_t version)
{
	return strand->starts[version + 1] - strand->starts[version];
}

static struct last_change last_change_of(const struct perun_strand *strand)
{
	struct last_change found = {.key = PERUN_NO_ID, .last = strand->count};

	while (found.last > 0 && isnan(strand->values[found.last - 1]))
		found.last--;
	if (found.last == 0 || strand->noise != PERUN_NOISE_TIMED || strand->inclusive)
		return found;
	found.before = perun_last_measured_before(strand, --found.last);
	if (found.before == SIZE_MAX || !(strand->values[found.before] > 0) ||
	    !(strand->values[found.last] > 0) || runs_of(strand, found.before) >= FEW_RUNS ||
	    runs_of(strand, found.last) >= FEW_RUNS)
		return found;
	found.key = 0;
	found.change = log(strand->values[found.last]) - log(strand->values[found.before]);
	return found;
}

static perun_id key_of(struct perun_pool **keys, const struct perun_strand *strand,
		       const struct last_change *change)
{
	const size_t versions[] = {change->before, change->last};
	struct perun_buffer key = {0};
	perun_id id;

	perun_buffer_add(&key, (const char *)versions, sizeof versions);
	perun_bytes_add_text(&key, strand->metric);
	perun_bytes_add_text(&key, strand->command);
	perun_bytes_add_text(&key, strand->machine);
	id = perun_pool_add(keys, key.data, key.length);
	perun_buffer_free(&key);
	return id;
}

/* The changes of each key, one key after the other, become its noise. */
static void find_noises(const struct perun_history *history, struct noises *noises, size_t keys)
{
	size_t *ends = perun_alloc_zero(keys + 1, sizeof *ends), from = 0;
	double *sorted = perun_alloc((history->count + 1) * sizeof *sorted);

	noises->noises = perun_alloc((keys + 1) * sizeof *noises->noises);
	for (size_t s = 0; s < history->count; s++) {
		if (noises->changes[s].key != PERUN_NO_ID)
			ends[noises->changes[s].key + 1]++;
	}
	for (size_t k = 1; k <= keys; k++)
		ends[k] += ends[k - 1];
	for (size_t s = 0; s < history->count; s++) {
		if (noises->changes[s].key != PERUN_NO_ID)
			sorted[ends[noises->changes[s].key]++] = noises->changes[s].change;
	}
	for (size_t k = 0; k < keys; k++) {
		noises->noises[k] = few_runs_noise(sorted + from, ends[k] - from);
		from = ends[k];
	}
	perun_free(sorted);
	perun_free(ends);
}

static struct noises noises_of(const struct perun_history *history)
{
	struct noises noises = {perun_alloc((history->count + 1) * sizeof *noises.changes), NULL};
	struct perun_pool *keys = perun_pool_new(false, 0, 0);
	size_t count = 0;

	for (size_t s = 0; s < history->count; s++) {
		struct last_change *change = &noises.changes[s];

		*change = last_change_of(&history->strands[s].strand);
		if (change->key == PERUN_NO_ID)
			continue;
		change->key = key_of(&keys, &history->strands[s].strand, change);
		count = change->key >= count ? change->key + 1 : count;
	}
	find_noises(history, &noises, count);
	perun_pool_unref(keys);
	return noises;
}

/* A change of the last version, which no later one confirms, within what the machine moves other strands by. */
static bool is_noise(const struct noises *noises, const struct perun_history *history, size_t s,
		     const struct perun_change_point *point)
{
	const struct perun_strand *strand = &history->strands[s].strand;
	const struct last_change *last = &noises->changes[s];
	size_t runs;

	if (last->key == PERUN_NO_ID || last->last != point->index)
		return false;
	runs = runs_of(strand, last->before);
	runs = runs_of(strand, last->last) < runs ? runs_of(strand, last->last) : runs;
	return fabs(strand->values[last->last] - strand->values[last->before]) <=
	       few_runs_floor(&noises->noises[last->key], last->change, runs) *
		       strand->values[last->before];
}

void perun_history_drop_irrelevant(struct perun_history *history)
{
	struct noises noises = noises_of(history);

	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];

		for (size_t i = builder->changes.count; i-- > 0;) {
			const struct perun_change_point *point = &builder->changes.points[i];

			if (was_busy(history, &builder->strand, point) ||
			    is_noise(&noises, history, s, point))
				drop(&builder->changes, i);
		}
	}
	perun_free(noises.changes);
	perun_free(noises.noises);
}
