/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done with the finds when the search is over. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context/clock.h"
#include "core/fuzz/files.h"
#include "core/fuzz/search.h"

/* The worst ones are examined and written. */
enum { MAX_FINDS = 6, PAIRS = 12 };
/* Pairs of runs that are enough to say that a find is not slow at all. */
#define FEWEST_PAIRS   3
#define CLEARLY_SLOWER 1.2
/* Seconds from which on a run is long. */
#define LONG_RUN 0.05

/* ---- which ones ------------------------------------------------------------------------------ */

static int compare_finds(const void *one, const void *other)
{
	const struct fuzz_entry *a = *(const struct fuzz_entry *const *)one;
	const struct fuzz_entry *b = *(const struct fuzz_entry *const *)other;

	return (a->ratio < b->ratio) - (a->ratio > b->ratio);
}

static void choose_finds(struct perun_fuzz *search)
{
	size_t count = search->slow_count < MAX_FINDS ? search->slow_count : MAX_FINDS;

	if (!count)
		return;
	qsort(search->slow, search->slow_count, sizeof *search->slow, compare_finds);
	search->finds = perun_alloc_zero(count, sizeof *search->finds);
	search->find_count = count;
	for (size_t i = 0; i < count; i++) {
		struct fuzz_find *find = &search->finds[i];

		find->found = search->slow[i];
		find->entry = *find->found;
		find->entry.bytes =
			perun_memdup(find->found->bytes, find->found->size ? find->found->size : 1);
		find->input = (struct fuzz_bytes){find->found->bytes, find->found->size};
		find->seconds = find->found->seconds;
		find->name = perun_format("%zu", i + 1);
		find->verdict.answer = PERUN_VERDICT_UNDECIDED;
	}
}

/* ---- where its cost is ----------------------------------------------------------------------- */

/* Where the edges of the last run are, as far as it is not known: the next process has them elsewhere. */
static void find_places(const struct fuzz_target *target, struct perun_fuzz_edge *edges,
			size_t count)
{
	const uint64_t *counts;
	size_t run;

	counts = fuzz_target_edges(target, &run);
	for (size_t i = 0; i < count && i < run; i++) {
		char *path;

		if (counts[i] && !edges[i].path &&
		    fuzz_target_place(target, i, &path, &edges[i].address))
			edges[i].path = path;
	}
}

/* Without those that neither met. */
static void keep_met(struct fuzz_find *find)
{
	size_t kept = 0;

	for (size_t i = 0; i < find->edge_count; i++)
		if (find->edges[i].count || find->edges[i].usual)
			find->edges[kept++] = find->edges[i];
	find->edge_count = kept;
}

static int compare_edges(struct perun_ctx *ctx, struct perun_fuzz *search,
			 struct fuzz_target *target, struct fuzz_find *find,
			 const struct perun_buffer *usual)
{
	const uint64_t *counts;
	struct fuzz_run run;
	size_t count;
	int status = fuzz_target_run(ctx, target, find->input.bytes, find->input.size,
				     search->options.run_limit, find->until, &run);

	if (status)
		return status;
	counts = fuzz_target_edges(target, &count);
	find->edges = perun_alloc_zero(count + 1, sizeof *find->edges);
	find->edge_count = count;
	for (size_t i = 0; i < count; i++)
		find->edges[i].count = counts[i];
	find_places(target, find->edges, count);
	status = fuzz_target_run(ctx, target, usual->data ? usual->data : "", usual->length,
				 search->options.run_limit, find->until, &run);
	if (!status) {
		counts = fuzz_target_edges(target, &count);
		for (size_t i = 0; i < count && i < find->edge_count; i++)
			find->edges[i].usual = counts[i];
		find_places(target, find->edges, find->edge_count);
	}
	keep_met(find);
	return status;
}

/* ---- whether time says so, too --------------------------------------------------------------- */

static int compare_times(struct perun_ctx *ctx, struct perun_fuzz *search,
			 struct fuzz_target *target, struct fuzz_find *find,
			 const struct perun_buffer *usual)
{
	struct perun_verdict_options options = {
		.struct_size = sizeof options, .threshold = 0.05, .paired = true};
	double before[PAIRS], after[PAIRS], until = clock_now() + (find->until - clock_now()) * 0.4;
	struct fuzz_run run = {0};
	size_t count = 0;
	int status = PERUN_OK;

	while (count < PAIRS && clock_now() < until && !status) {
		status = fuzz_target_run(ctx, target, usual->data ? usual->data : "", usual->length,
					 search->options.run_limit, until, &run);
		before[count] = run.seconds;
		if (!status && run.outcome == FUZZ_DONE)
			status = fuzz_target_run(ctx, target, find->input.bytes, find->input.size,
						 search->options.run_limit, until, &run);
		after[count] = run.seconds;
		if (status || run.outcome != FUZZ_DONE)
			break;
		count++;
	}
	if (!status && count)
		perun_judge(before, count, after, count, &options, &find->verdict);
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int write_find(struct perun_ctx *ctx, const struct perun_fuzz *search,
		      const struct fuzz_find *find)
{
	char *directory = perun_format("%s/slow", search->options.directory);
	char *found = perun_format("%s.found", find->name);
	char *seed = perun_format("%s.seed", find->name);
	struct perun_buffer usual = {0};
	int status =
		fuzz_write_file(ctx, directory, find->name, find->entry.bytes, find->entry.size);

	fuzz_repeat(search->entries[0], find->entry.size, &usual);
	if (!status)
		status = fuzz_write_file(ctx, directory, found, find->found->bytes,
					 find->found->size);
	if (!status)
		status = fuzz_write_file(ctx, directory, seed, usual.data ? usual.data : "",
					 usual.length);
	perun_buffer_free(&usual);
	perun_free(directory);
	perun_free(found);
	perun_free(seed);
	return status;
}

/* Where times are its cost, one run may have been slow for another reason: repeats beside the seed say which. */
static bool is_refuted(const struct perun_fuzz *search, const struct fuzz_find *find)
{
	const struct fuzz_run usual = {.seconds = find->verdict.after};

	if (find->entry.hung || find->verdict.after_count < FEWEST_PAIRS)
		return false;
	if (find->verdict.after_count < PAIRS) /* it takes long: only what is clear counts */
		return find->verdict.after < find->verdict.before * CLEARLY_SLOWER;
	if (find->entry.by_time)
		return fuzz_ratio(search, &usual, find->input.size, true) < search->options.ratio;
	return search->counting > FUZZ_INSTRUCTIONS &&
	       find->verdict.answer != PERUN_VERDICT_INCREASE;
}

static void free_find(struct fuzz_find *find)
{
	for (size_t k = 0; k < find->edge_count; k++)
		perun_free((char *)find->edges[k].path);
	perun_free(find->edges);
	perun_free((double *)find->growth.sizes);
	perun_free((double *)find->growth.costs);
	perun_free((char *)find->growth.class_name);
	perun_free((double *)find->usual_growth.sizes);
	perun_free((double *)find->usual_growth.costs);
	perun_free((char *)find->usual_growth.class_name);
	perun_free(find->entry.bytes);
	perun_free(find->name);
}

static void drop_refuted(struct perun_fuzz *search)
{
	size_t kept = 0;

	for (size_t i = 0; i < search->find_count; i++) {
		struct fuzz_find *find = &search->finds[i];

		if (is_refuted(search, find)) {
			free_find(find);
			continue;
		}
		search->finds[kept++] = *find;
	}
	search->find_count = kept;
}

/*
 * What runs so long cannot be examined: growing, repeating and minimizing it takes more time than there is. Where costs explode with the
 * length, as of a regular expression, a much smaller one has the same reason and runs in no time.
 */
static int make_quick(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		      struct fuzz_find *find)
{
	double until = find->until;
	int status;

	if (find->found->seconds < LONG_RUN || find->found->ratio < 2 * FUZZ_ENOUGH)
		return PERUN_OK;
	find->until = clock_now() + (until - clock_now()) * 0.4;
	status = fuzz_minimize(ctx, search, target, find, FUZZ_ENOUGH);
	find->until = until;
	find->input = (struct fuzz_bytes){find->entry.bytes, find->entry.size};
	find->seconds = find->entry.seconds;
	return status;
}

/* A find is written in any case, unless it is refuted; what there is no time for is left out. */
static int examine(struct perun_ctx *ctx, size_t number, void *data)
{
	struct perun_fuzz *search = data;
	struct fuzz_find *find = &search->finds[number];
	size_t rounds =
		(search->find_count + search->options.workers - 1) / search->options.workers;
	struct fuzz_target *target = NULL;
	struct perun_buffer usual = {0};
	double now = clock_now();
	size_t left = rounds - number / search->options.workers;
	int status = PERUN_OK;

	find->until = now + (search->deadline - now) / (double)(left ? left : 1);
	if (now < search->deadline && !perun_cancelled(ctx))
		status = fuzz_target_open(ctx, &search->program, &target);
	if (!status && target)
		status = make_quick(ctx, search, target, find);
	if (!status && target)
		status = fuzz_measure_growth(ctx, search, target, find);
	if (!status && target) {
		fuzz_repeat(search->entries[0], find->input.size, &usual);
		status = compare_edges(ctx, search, target, find, &usual);
	}
	if (!status && target)
		status = compare_times(ctx, search, target, find, &usual);
	if (!status && target && !find->smallest && !is_refuted(search, find))
		status = fuzz_minimize(ctx, search, target, find, INFINITY);
	fuzz_target_close(target);
	perun_buffer_free(&usual);
	return status || is_refuted(search, find) ? status : write_find(ctx, search, find);
}

int fuzz_finds_examine(struct perun_ctx *ctx, struct perun_fuzz *search)
{
	int status = PERUN_OK;

	choose_finds(search);
	if (perun_cancelled(ctx)) { /* what was found is kept */
		for (size_t i = 0; i < search->find_count && !status; i++)
			status = write_find(ctx, search, &search->finds[i]);
		return status;
	}
	status = perun_parallel_for(ctx, search->find_count, examine, search);
	drop_refuted(search);
	return status;
}

void fuzz_finds_free(struct perun_fuzz *search)
{
	for (size_t i = 0; i < search->find_count; i++)
		free_find(&search->finds[i]);
	perun_free(search->finds);
}
