/* SPDX-License-Identifier: BSD-3-Clause */
/* The search itself: what each worker does until its time is over. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "core/context/clock.h"
#include "core/fuzz/search.h"

/* The most rules that make one new input from another. */
#define MAX_RULES 5

/* One run of LONG_ONES is of a long input; no input is longer than LONGEST bytes. */
enum { LONG_ONES = 256, LONGEST = 1 << 20 };

struct worker {
	struct perun_fuzz *search;
	struct fuzz_target *target;
	struct fuzz_random random;
	struct fuzz_rules rules;
	struct perun_buffer input, next;
};

static struct fuzz_bytes bytes_of(const struct perun_buffer *buffer)
{
	return (struct fuzz_bytes){buffer->data ? buffer->data : "", buffer->length};
}

/* Leave what becomes of the parent in worker->input; the rules that did it in `applied`. */
static size_t change(struct worker *worker, const struct fuzz_entry *parent, size_t *applied)
{
	const struct fuzz_entry *other = fuzz_inputs_choose(worker->search, &worker->random);
	size_t wanted = fuzz_random_few(&worker->random, MAX_RULES), count = 0;

	perun_buffer_clear(&worker->input);
	perun_buffer_add(&worker->input, parent->bytes, parent->size);
	for (size_t i = 0; i < wanted; i++) {
		size_t rule = fuzz_rules_choose(&worker->rules, &worker->random, parent->contents);
		struct perun_buffer swap;

		perun_buffer_clear(&worker->next);
		if (!fuzz_rule_apply(&worker->rules, rule, &worker->random,
				     bytes_of(&worker->input),
				     (struct fuzz_bytes){other->bytes, other->size},
				     worker->search->options.most_bytes, &worker->next))
			continue;
		swap = worker->input;
		worker->input = worker->next;
		worker->next = swap;
		applied[count++] = rule;
	}
	return count;
}

static int try_one(struct perun_ctx *ctx, struct worker *worker)
{
	struct perun_fuzz *search = worker->search;
	const struct fuzz_entry *parent = fuzz_inputs_choose(search, &worker->random);
	size_t applied[MAX_RULES], count = change(worker, parent, applied);
	struct fuzz_run run;
	bool kept = false;
	int status;

	if (!count)
		return PERUN_OK;
	status = fuzz_target_run(ctx, worker->target, worker->input.data ? worker->input.data : "",
				 worker->input.length, search->options.run_limit,
				 search->search_deadline, &run);
	atomic_fetch_add(&search->runs, 1);
	if (!status && run.outcome != FUZZ_STOPPED)
		status = fuzz_inputs_judge(ctx, search, worker->target, bytes_of(&worker->input),
					   &run, parent,
					   worker->rules.items[applied[count - 1]].name, &kept);
	for (size_t i = 0; i < count; i++)
		fuzz_rules_judge(&worker->rules, applied[i], kept);
	return status;
}

/* An input repeated until it is longer than others may be: what costs is seen that short ones hide. */
static int try_long(struct perun_ctx *ctx, struct worker *worker)
{
	struct perun_fuzz *search = worker->search;
	const struct fuzz_entry *parent = fuzz_inputs_choose(search, &worker->random);
	size_t size = search->options.most_bytes << fuzz_random_below(&worker->random, 6);
	struct fuzz_run run;
	bool kept;
	int status;

	if (!parent->size || size > LONGEST)
		return PERUN_OK;
	fuzz_repeat(parent, size, &worker->input);
	status = fuzz_target_run(ctx, worker->target, worker->input.data, worker->input.length,
				 search->options.run_limit, search->search_deadline, &run);
	atomic_fetch_add(&search->runs, 1);
	if (!status && run.outcome == FUZZ_DONE)
		status = fuzz_inputs_judge(ctx, search, worker->target, bytes_of(&worker->input),
					   &run, parent, "repeat all", &kept);
	return status;
}

static bool is_over(const struct perun_fuzz *search)
{
	uint64_t most = search->options.most_runs;

	return clock_now() >= search->search_deadline ||
	       (most && atomic_load(&search->runs) >= most);
}

/* What the worker learned of the rules, for the report. */
static void hand_over(struct worker *worker)
{
	struct perun_fuzz *search = worker->search;

	pthread_mutex_lock(&search->lock);
	for (size_t i = 0; i < worker->rules.count && i < search->rules.count; i++) {
		search->rules.items[i].tried += worker->rules.items[i].tried;
		search->rules.items[i].used += worker->rules.items[i].used;
	}
	pthread_mutex_unlock(&search->lock);
}

static int work(struct perun_ctx *ctx, size_t number, void *data)
{
	struct worker worker = {.search = data};
	struct perun_fuzz *search = worker.search;
	uint64_t tried = 0;
	int status = fuzz_target_open(ctx, &search->program, &worker.target);

	worker.random.state = search->options.random_seed * 1000003u + number;
	if (!status)
		status = fuzz_rules_copy(ctx, &search->rules, &worker.rules);
	while (!status && !is_over(search)) {
		status = ++tried % LONG_ONES ? try_one(ctx, &worker) : try_long(ctx, &worker);
		if (!number)
			perun_progress(ctx, "seconds of fuzzing",
				       (uint64_t)(clock_now() - search->start),
				       (uint64_t)(search->deadline - search->start) + 1);
		if (!status && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
	}
	if (worker.rules.count)
		hand_over(&worker);
	fuzz_rules_free(&worker.rules);
	fuzz_target_close(worker.target);
	perun_buffer_free(&worker.input);
	perun_buffer_free(&worker.next);
	return status;
}

int fuzz_work(struct perun_ctx *ctx, struct perun_fuzz *search)
{
	return perun_parallel_for(ctx, search->options.workers, work, search);
}
