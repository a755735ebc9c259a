/* SPDX-License-Identifier: BSD-3-Clause */
/* Which inputs are kept, and which one is changed next. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "core/context/clock.h"
#include "core/fuzz/files.h"
#include "core/fuzz/search.h"

/* From this length on, or that of the largest seed. */
#define LONG_BYTES 1024.0
/* By how much a time has to be longer than ever: it is noisy. */
#define LONGER 1.05
/* Further inputs are kept for new edges and greater ratios alone. */
#define MANY_INPUTS 20000
/* Time says something from here on, and from that many times what is expected on. */
#define MIN_SECONDS    0.002
#define MIN_TIME_RATIO 4.0
/* How many crashes and hangs are written to files. */
#define MAX_ENDINGS 100

/* ---- ratios ---------------------------------------------------------------------------------- */

/* Whoever sorts is not slow: for long inputs n log n is expected. */
static double expected_bytes(const struct perun_fuzz *search, size_t size)
{
	double known = search->expectation.size > LONG_BYTES ? (double)search->expectation.size
							     : LONG_BYTES;

	return (double)size > known ? (double)size * log2((double)size) / log2(known)
				    : (double)size;
}

double fuzz_expected_cost(const struct perun_fuzz *search, size_t size)
{
	double cost = search->expectation.cost +
		      search->expectation.cost_per_byte * expected_bytes(search, size);

	return cost > 1 ? cost : 1;
}

static double expected_seconds(const struct perun_fuzz *search, size_t size)
{
	double seconds = search->expectation.seconds +
			 search->expectation.seconds_per_byte * expected_bytes(search, size);

	return seconds > 1e-6 ? seconds : 1e-6;
}

double fuzz_ratio(const struct perun_fuzz *search, const struct fuzz_run *run, size_t size,
		  bool by_time)
{
	return by_time ? run->seconds / expected_seconds(search, size)
		       : (double)run->cost / fuzz_expected_cost(search, size);
}

/*
 * What is not counted takes time: code of libraries that were built otherwise. Only what two more runs confirm counts.
 */
static int judge_time(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		      struct fuzz_bytes input, struct fuzz_run *run, bool *by_time)
{
	bool counted = search->counting <= FUZZ_INSTRUCTIONS;
	double least = counted ? MIN_TIME_RATIO : search->options.ratio, ratio;
	int status = PERUN_OK;

	*by_time = false;
	if (counted && search->options.repeatable)
		return PERUN_OK;
	if ((counted && run->seconds < MIN_SECONDS) || run->outcome == FUZZ_CRASHED)
		return PERUN_OK;
	ratio = fuzz_ratio(search, run, input.size, counted);
	if (ratio < least || ratio <= search->best_ratio * LONGER ||
	    (counted && fuzz_ratio(search, run, input.size, false) * 2 > ratio))
		return PERUN_OK;
	for (int i = 0; i < 2 && !status && run->outcome == FUZZ_DONE; i++) {
		struct fuzz_run again;

		status =
			fuzz_target_run(ctx, target, input.bytes, input.size,
					search->options.run_limit, search->search_deadline, &again);
		if (!status && again.outcome == FUZZ_DONE && again.seconds < run->seconds) {
			run->seconds = again.seconds;
			run->cost = again.cost;
		}
	}
	*by_time = !status && counted && run->seconds >= MIN_SECONDS &&
		   fuzz_ratio(search, run, input.size, true) >= least &&
		   fuzz_ratio(search, run, input.size, true) >
			   2 * fuzz_ratio(search, run, input.size, false);
	return status;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Whether an edge was met more often than ever; `*fresh`: for the first time. Without the lock: a first look. */
static bool is_better(const struct perun_fuzz *search, const uint64_t *edges, size_t count,
		      bool *fresh)
{
	bool better = false;

	*fresh = false;
	for (size_t i = 0; i < count && i < search->all_edges && !*fresh; i++) {
		uint64_t best;

		if (!edges[i])
			continue;
		best = atomic_load_explicit(&search->best[i].count, memory_order_relaxed);
		*fresh = !best;
		better |= edges[i] > best;
	}
	return better || *fresh;
}

/* Take its edges for the most that were met. Under the lock. */
static void take_edges(struct perun_fuzz *search, const uint64_t *edges, size_t count, size_t entry)
{
	for (size_t i = 0; i < count && i < search->all_edges; i++) {
		uint64_t best = atomic_load_explicit(&search->best[i].count, memory_order_relaxed);

		if (edges[i] <= best)
			continue;
		if (!best)
			atomic_fetch_add(&search->edges, 1);
		search->best[i].entry = entry;
		atomic_store_explicit(&search->best[i].count, edges[i], memory_order_relaxed);
	}
}

static size_t hottest(const uint64_t *edges, size_t count)
{
	size_t hot = 0;

	for (size_t i = 1; i < count; i++)
		if (edges[i] > edges[hot])
			hot = i;
	return hot;
}

static char *join_history(const struct fuzz_entry *parent, const char *rule)
{
	enum { MOST = 200 };
	char *history;

	if (!rule)
		return perun_strdup("");
	history = parent && *parent->history ? perun_format("%s, %s", rule, parent->history)
					     : perun_strdup(rule);
	if (strlen(history) > MOST) {
		char *comma = strchr(history + MOST, ',');

		if (comma)
			*comma = 0;
	}
	return history;
}

/* The eight with the greatest ratios, and the dearest one of each hot edge. Under the lock. */
static void rank(struct perun_fuzz *search, size_t number, const struct fuzz_entry *entry)
{
	size_t places = sizeof search->best_entries / sizeof *search->best_entries, least = 0, i;

	if (entry->ratio > search->best_ratio)
		search->best_ratio = entry->ratio;
	for (i = 1; i < search->best_count; i++)
		if (search->entries[search->best_entries[i]]->ratio <
		    search->entries[search->best_entries[least]]->ratio)
			least = i;
	if (search->best_count < places)
		search->best_entries[search->best_count++] = number;
	else if (entry->ratio > search->entries[search->best_entries[least]]->ratio)
		search->best_entries[least] = number;
	if (entry->ratio < search->options.ratio)
		return;
	for (i = 0; i < search->slow_count && (search->slow[i]->hot != entry->hot ||
					       search->slow[i]->by_time != entry->by_time);
	     i++)
		;
	if (i < search->slow_count && search->slow[i]->ratio >= entry->ratio)
		return;
	if (i == search->slow_count) {
		PERUN_GROW(search->slow, search->slow_count, search->slow_capacity);
		search->slow_count++;
	}
	search->slow[i] = entry;
}

static void note_moment(struct perun_fuzz *search)
{
	struct perun_fuzz_moment moment = {.seconds = clock_now() - search->start,
					   .runs = atomic_load(&search->runs),
					   .edges = atomic_load(&search->edges),
					   .ratio = search->best_ratio};

	PERUN_GROW(search->moments, search->moment_count, search->moment_capacity);
	search->moments[search->moment_count++] = moment;
}

static int write_input(struct perun_ctx *ctx, const struct perun_fuzz *search, const char *folder,
		       struct fuzz_bytes input)
{
	char *directory = perun_format("%s/%s", search->options.directory, folder);
	char *name = perun_format(
		"%016llx", (unsigned long long)perun_fnv1a(input.bytes, input.size, PERUN_FNV1A));
	int status = fuzz_write_file(ctx, directory, name, input.bytes, input.size);

	perun_free(directory);
	perun_free(name);
	return status;
}

/* Whether none ended with the same edges before. */
static bool is_new_ending(struct perun_fuzz *search, const uint64_t *edges, size_t count,
			  const struct fuzz_run *run)
{
	uint64_t hash = PERUN_FNV1A + (uint64_t)run->outcome * 256 + (uint64_t)run->signal;

	for (size_t i = 0; i < count; i++)
		if (edges[i])
			hash = perun_hash_number(hash ^ i);
	for (size_t i = 0; i < search->ending_count; i++)
		if (search->endings[i] == hash)
			return false;
	if (search->ending_count >= MAX_ENDINGS)
		return false;
	PERUN_GROW(search->endings, search->ending_count, search->ending_capacity);
	search->endings[search->ending_count++] = hash;
	return true;
}

static struct fuzz_entry *make_entry(const struct perun_fuzz *search, struct fuzz_bytes input,
				     const struct fuzz_run *run, bool by_time)
{
	struct fuzz_entry *entry = perun_alloc_zero(1, sizeof *entry);

	entry->bytes = perun_memdup(input.size ? input.bytes : "", input.size ? input.size : 1);
	entry->size = input.size;
	entry->contents = fuzz_content_of(input.bytes, input.size);
	entry->cost = run->cost;
	entry->seconds = run->seconds;
	entry->hung = run->outcome == FUZZ_HUNG;
	entry->by_time = by_time;
	entry->ratio = fuzz_ratio(search, run, input.size, by_time);
	return entry;
}

int fuzz_inputs_judge(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		      struct fuzz_bytes input, const struct fuzz_run *given,
		      const struct fuzz_entry *parent, const char *rule, bool *kept)
{
	struct fuzz_run run = *given;
	struct fuzz_entry *entry = NULL;
	const uint64_t *edges;
	size_t count;
	bool by_time, fresh, better, usual, ending, full;
	double ratio;
	int status = judge_time(ctx, search, target, input, &run, &by_time);

	*kept = false;
	if (status)
		return status;
	edges = fuzz_target_edges(target, &count);
	better = is_better(search, edges, count, &fresh);
	/* Long ones meet everything more often: the others would never be better. */
	usual = input.size <= search->options.most_bytes;
	better &= usual;
	ratio = fuzz_ratio(search, &run, input.size, by_time);
	pthread_mutex_lock(&search->lock);
	ending = (run.outcome == FUZZ_CRASHED || run.outcome == FUZZ_HUNG) &&
		 is_new_ending(search, edges, count, &run);
	search->crashes += ending && run.outcome == FUZZ_CRASHED;
	search->hangs += ending && run.outcome == FUZZ_HUNG;
	full = search->count >= MANY_INPUTS;
	*kept = run.outcome != FUZZ_CRASHED && run.outcome != FUZZ_STOPPED &&
		(!rule || fresh || (better && !full) || ratio > search->best_ratio);
	if (*kept) {
		entry = make_entry(search, input, &run, by_time);
		entry->history = join_history(parent, rule);
		entry->hot = hottest(edges, count);
		if (usual)
			take_edges(search, edges, count, search->count);
		PERUN_GROW(search->entries, search->count, search->capacity);
		search->entries[search->count++] = entry;
		rank(search, search->count - 1, entry);
		note_moment(search);
	}
	pthread_mutex_unlock(&search->lock);
	if (ending)
		status = write_input(ctx, search, run.outcome == FUZZ_HUNG ? "hangs" : "crashes",
				     input);
	if (*kept && rule && !status && (fresh || by_time || entry->ratio >= search->options.ratio))
		status = write_input(ctx, search, "inputs", input);
	return status;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* In four of ten cases one that holds the most of some edge, in three one of the dearest, else any. */
const struct fuzz_entry *fuzz_inputs_choose(struct perun_fuzz *search, struct fuzz_random *random)
{
	size_t way = fuzz_random_below(random, 10), number;
	const struct fuzz_entry *chosen;

	pthread_mutex_lock(&search->lock);
	number = fuzz_random_below(random, search->count);
	for (int i = 0; way < 4 && search->all_edges && i < 64; i++) {
		const struct fuzz_best *best =
			&search->best[fuzz_random_below(random, search->all_edges)];

		if (best->count > 1) {
			number = best->entry;
			break;
		}
	}
	if (way >= 7 && search->best_count)
		number = search->best_entries[fuzz_random_below(random, search->best_count)];
	chosen = search->entries[number];
	if (chosen->size > search->options.most_bytes)
		chosen = search->entries[fuzz_random_below(random, search->seeds)];
	pthread_mutex_unlock(&search->lock);
	return chosen;
}

void fuzz_inputs_free(struct perun_fuzz *search)
{
	for (size_t i = 0; i < search->count; i++) {
		perun_free(search->entries[i]->bytes);
		perun_free(search->entries[i]->history);
		perun_free(search->entries[i]);
	}
	perun_free(search->entries);
	perun_free(search->best);
	perun_free(search->slow);
	perun_free(search->endings);
	perun_free(search->moments);
}
