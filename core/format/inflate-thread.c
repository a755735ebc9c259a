/* SPDX-License-Identifier: BSD-3-Clause */
/* Decompressing on a thread of its own: a ring of blocks between it and the reader. */
#include <pthread.h>
#include <string.h>

#include "core/context/context.h"
#include "core/format/inflate-thread.h"

enum { BLOCKS = 4, BLOCK_SIZE = 128 * 1024 };

struct block {
	unsigned char *bytes;
	size_t size;
};

struct perun_ahead {
	struct perun_thread thread;
	struct perun_input *input;
	perun_ahead_source *source;
	struct perun_ctx *ctx; /* the thread's */

	pthread_mutex_t lock; /* of what follows, but for the contents of blocks */
	pthread_cond_t changed;
	struct block blocks[BLOCKS];
	unsigned filled, used; /* blocks so far */
	bool ended, stopped;   /* no more blocks come; none is wanted */
	int status;            /* why they ended; said in the thread's context */

	size_t taken; /* of the block in use; the reader's */
};

static void fill_blocks(void *data)
{
	struct perun_ahead *ahead = data;
	bool more = true;

	perun_memory_reading(perun_input_name(ahead->input));
	while (more) {
		struct block *block = &ahead->blocks[ahead->filled % BLOCKS];
		int status;

		pthread_mutex_lock(&ahead->lock);
		while (ahead->filled - ahead->used == BLOCKS && !ahead->stopped)
			pthread_cond_wait(&ahead->changed, &ahead->lock);
		more = !ahead->stopped;
		pthread_mutex_unlock(&ahead->lock);
		if (!more)
			break;
		status = ahead->source(ahead->ctx, ahead->input, block->bytes, BLOCK_SIZE,
				       &block->size);
		pthread_mutex_lock(&ahead->lock);
		ahead->filled++;
		more = !status && block->size == BLOCK_SIZE;
		ahead->ended = !more;
		ahead->status = status;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}
}

static void free_ahead(struct perun_ahead *ahead)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		perun_free(ahead->blocks[i].bytes);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	perun_ctx_free(ahead->ctx);
	perun_free(ahead);
}

struct perun_ahead *perun_ahead_start(struct perun_input *input, perun_ahead_source *source)
{
	struct perun_ahead *ahead;

	if (perun_thread_count(2) < 2)
		return NULL;
	ahead = perun_alloc_zero(1, sizeof *ahead);
	ahead->input = input;
	ahead->source = source;
	ahead->ctx = perun_ctx_new(NULL);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	for (unsigned i = 0; i < BLOCKS; i++)
		ahead->blocks[i].bytes = perun_alloc(BLOCK_SIZE);
	if (perun_thread_start(&ahead->thread, fill_blocks, ahead))
		return ahead;
	free_ahead(ahead);
	return NULL;
}

/* Wait for a block; false when there is none any more. */
static bool wait_for_block(struct perun_ahead *ahead, int *status)
{
	bool there;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->filled == ahead->used && !ahead->ended)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	there = ahead->filled != ahead->used;
	/* What came before the failure is given first. */
	*status = there ? PERUN_OK : ahead->status;
	pthread_mutex_unlock(&ahead->lock);
	return there;
}

static void give_back(struct perun_ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->used++;
	if (ahead->filled - ahead->used <= BLOCKS / 2) /* not woken for each block */
		pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	ahead->taken = 0;
}

int perun_ahead_read(struct perun_ctx *ctx, struct perun_ahead *ahead, void *buffer, size_t size,
		     size_t *got)
{
	int status;

	*got = 0;
	while (*got == 0 && wait_for_block(ahead, &status)) {
		const struct block *block = &ahead->blocks[ahead->used % BLOCKS];

		*got = block->size - ahead->taken < size ? block->size - ahead->taken : size;
		if (*got)
			memcpy(buffer, block->bytes + ahead->taken, *got);
		ahead->taken += *got;
		if (ahead->taken == block->size)
			give_back(ahead);
	}
	if (*got || !status)
		return PERUN_OK;
	return perun_fail(ctx, status, "%s", perun_ctx_error(ahead->ctx));
}

void perun_ahead_stop(struct perun_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stopped = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	perun_thread_join(&ahead->thread);
	free_ahead(ahead);
}
