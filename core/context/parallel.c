/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop on several threads with one outcome. */
#include <pthread.h>

#include "core/context/context.h"

struct perun_parallel {
	struct perun_ctx *ctx;
	size_t count;
	int (*body)(struct perun_ctx *ctx, size_t i, void *data);
	void *data;

	pthread_mutex_t lock; /* of everything below, and of the calls to ctx's handlers */
	size_t next;
	size_t failed;          /* the lowest i that failed, `count` when none did */
	struct perun_ctx **per; /* what iteration i left, NULL when nothing */
	bool *done;
	size_t turn; /* all iterations before it are done, and have said what they say */
	struct waiting *waiting;
	size_t waiting_count, waiting_capacity;
};

/* A message of an iteration whose turn has not come. */
struct waiting {
	size_t i;
	char *text;
	bool note;
};

static void say(const struct perun_parallel *parallel, char *text, bool note)
{
	(note ? perun_note : perun_warn)(parallel->ctx, "%s", text);
	perun_free(text);
}

void perun_parallel_say(struct perun_parallel *parallel, size_t i, char *text, bool note)
{
	pthread_mutex_lock(&parallel->lock);
	if (i == parallel->turn) {
		say(parallel, text, note);
	} else {
		PERUN_GROW(parallel->waiting, parallel->waiting_count, parallel->waiting_capacity);
		parallel->waiting[parallel->waiting_count++] = (struct waiting){i, text, note};
	}
	pthread_mutex_unlock(&parallel->lock);
}

/* Say what waits for iteration `turn`, and keep the rest. */
static void say_waiting(struct perun_parallel *parallel)
{
	size_t kept = 0;

	for (size_t k = 0; k < parallel->waiting_count; k++) {
		struct waiting waiting = parallel->waiting[k];

		if (waiting.i == parallel->turn)
			say(parallel, waiting.text, waiting.note);
		else
			parallel->waiting[kept++] = waiting;
	}
	parallel->waiting_count = kept;
}

/* One that failed is the last whose messages are said: a single thread would have ended with it. */
static void end_iteration(struct perun_parallel *parallel, size_t i)
{
	parallel->done[i] = true;
	while (parallel->turn < parallel->failed && parallel->done[parallel->turn]) {
		parallel->turn++;
		if (parallel->waiting_count)
			say_waiting(parallel);
	}
}

void perun_parallel_progress(struct perun_parallel *parallel, const char *what, uint64_t done,
			     uint64_t total)
{
	pthread_mutex_lock(&parallel->lock);
	perun_progress(parallel->ctx, what, done, total);
	pthread_mutex_unlock(&parallel->lock);
}

bool perun_parallel_cancelled(struct perun_parallel *parallel)
{
	bool cancelled;

	pthread_mutex_lock(&parallel->lock);
	cancelled = perun_cancelled(parallel->ctx);
	pthread_mutex_unlock(&parallel->lock);
	return cancelled;
}

/*
 * The next i to work on. Everything below a failed i is still done: which failure is the lowest must
 * not depend on the number of threads.
 */
static bool take_next(struct perun_parallel *parallel, size_t *i)
{
	bool more;

	pthread_mutex_lock(&parallel->lock);
	more = parallel->next < parallel->failed;
	if (more)
		*i = parallel->next++;
	pthread_mutex_unlock(&parallel->lock);
	return more;
}

static void work(void *data)
{
	struct perun_parallel *parallel = data;
	struct perun_ctx *child = NULL;
	size_t i;

	while (take_next(parallel, &i)) {
		int status;

		if (!child) {
			child = perun_ctx_new(NULL);
			child->parallel = parallel;
		}
		child->iteration = i;
		status = parallel->body(child, i, parallel->data);
		if (status != PERUN_OK && child->status == PERUN_OK)
			child->status = status;
		if (status == PERUN_OK)
			perun_ctx_clear(child);
		pthread_mutex_lock(&parallel->lock);
		if (status != PERUN_OK || child->loss_count > 0) {
			parallel->per[i] = child;
			child = NULL;
		}
		if (status != PERUN_OK && i < parallel->failed)
			parallel->failed = i;
		end_iteration(parallel, i);
		pthread_mutex_unlock(&parallel->lock);
	}
	perun_ctx_free(child);
}

static int merge(struct perun_parallel *parallel)
{
	struct perun_ctx *ctx = parallel->ctx;
	int status = PERUN_OK;

	for (size_t i = 0; i < parallel->count; i++) {
		struct perun_ctx *child = parallel->per[i];

		if (child && i <= parallel->failed) {
			for (size_t j = 0; j < child->loss_count; j++)
				perun_lost(ctx, child->losses[j].what, child->losses[j].count);
		}
		if (child && i == parallel->failed) {
			status = child->status;
			if (ctx)
				ctx->empty = child->empty;
			for (size_t j = 0; j < child->cause_count; j++)
				perun_fail(ctx, j ? PERUN_OK : status, "%s", child->causes[j]);
		}
		perun_ctx_free(child);
	}
	return status;
}

int perun_parallel_for(struct perun_ctx *ctx, size_t count,
		       int (*body)(struct perun_ctx *ctx, size_t i, void *data), void *data)
{
	struct perun_parallel parallel = {.ctx = ctx,
					  .count = count,
					  .body = body,
					  .data = data,
					  .lock = PTHREAD_MUTEX_INITIALIZER,
					  .failed = count};
	size_t others = perun_thread_count(count), started = 0;
	struct perun_thread *threads;
	int status;

	if (count == 0)
		return PERUN_OK;
	parallel.per = perun_alloc_zero(count, sizeof(struct perun_ctx *));
	parallel.done = perun_alloc_zero(count, sizeof *parallel.done);
	threads = perun_alloc_zero(others, sizeof *threads);
	while (started + 1 < others && perun_thread_start(&threads[started], work, &parallel))
		started++;
	work(&parallel); /* the calling thread does its share, alone if need be */
	for (size_t i = 0; i < started; i++)
		perun_thread_join(&threads[i]);
	perun_free(threads);
	status = merge(&parallel);
	for (size_t k = 0; k < parallel.waiting_count; k++)
		perun_free(parallel.waiting[k].text);
	perun_free(parallel.waiting);
	perun_free(parallel.done);
	perun_free(parallel.per);
	pthread_mutex_destroy(&parallel.lock);
	return status;
}
