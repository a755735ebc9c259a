/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seeds repeated until they are long: where already these cost more than their length explains, no search is needed;
 * and they show what time a byte takes.
 */
#include <config.h>

#include "core/context/clock.h"
#include "core/fuzz/search.h"

enum { MAX_SEEDS = 4, LONGEST = 1 << 20 };
/* This share of the time at most. */
#define SHARE 0.15
/* A run that takes longer is the last of its seed. */
#define LONG_RUN 0.3
/* So much time more than an empty input takes is no noise. */
#define CLEAR_SECONDS 3e-4

/* The least time of a byte is what is expected; a program that is slow with long inputs has it with shorter ones. */
static void learn_time(struct perun_fuzz *search, double seconds, size_t size, bool *known)
{
	double per_byte = (seconds - search->expectation.seconds) / (double)size;

	if (seconds - search->expectation.seconds < CLEAR_SECONDS ||
	    (*known && per_byte >= search->expectation.seconds_per_byte))
		return;
	search->expectation.seconds_per_byte = per_byte;
	/* What a short seed takes is the start of the program, and noise. */
	if (search->counting == FUZZ_NANOSECONDS)
		search->expectation.cost_per_byte = per_byte * 1e9;
	*known = true;
}

/*
 * A program that stops at the end of the first copy says nothing of what a byte takes. Where costs are not counted that
 * cannot be seen: it is taken to read all.
 */
static bool takes_all(const struct perun_fuzz *search, const struct fuzz_entry *seed,
		      const struct fuzz_run *run, size_t size)
{
	double base = search->expectation.cost, alone = (double)seed->cost - base;

	return search->counting > FUZZ_INSTRUCTIONS ||
	       (double)run->cost - base >= alone * (double)size / (double)seed->size / 4;
}

static int try_seed(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		    const struct fuzz_entry *seed, double until, bool *known)
{
	struct perun_buffer text = {0};
	struct fuzz_run run = {.outcome = FUZZ_STOPPED};
	bool kept;
	int status = PERUN_OK;

	for (size_t size = 4 * seed->size; size <= LONGEST && !status && clock_now() < until;
	     size *= 4) {
		fuzz_repeat(seed, size, &text);
		status = fuzz_target_run(ctx, target, text.data, text.length,
					 search->options.run_limit, search->search_deadline, &run);
		if (status || run.outcome != FUZZ_DONE ||
		    !takes_all(search, seed, &run, text.length))
			break;
		learn_time(search, run.seconds, text.length, known);
		if (run.seconds > LONG_RUN)
			break;
	}
	if (!status && run.outcome != FUZZ_STOPPED)
		status = fuzz_inputs_judge(ctx, search, target,
					   (struct fuzz_bytes){text.data, text.length}, &run, seed,
					   "repeat the seed", &kept);
	perun_buffer_free(&text);
	return status;
}

int fuzz_try_long_seeds(struct perun_ctx *ctx, struct perun_fuzz *search,
			struct fuzz_target *target)
{
	double until = clock_now() + search->options.seconds * SHARE;
	size_t count = search->seeds < MAX_SEEDS ? search->seeds : MAX_SEEDS;
	bool known = false;
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++)
		if (search->entries[i]->size)
			status = try_seed(ctx, search, target, search->entries[i], until, &known);
	return status;
}
