/* SPDX-License-Identifier: BSD-3-Clause */
/* What a context holds; private to core/context. */
#ifndef PERUN_CORE_CONTEXT_CONTEXT_H
#define PERUN_CORE_CONTEXT_CONTEXT_H

#include <pthread.h>

#include "perun/context.h"

/*
 * What a thread takes over from the one that starts it: `current` is asked there, `inherit` is given the answer. Whoever
 * keeps something for each thread says so; NULL = nothing.
 */
typedef const void *perun_thread_current(void);
typedef void perun_thread_inherit(const void *current);
void perun_threads_take_over(perun_thread_current *current, perun_thread_inherit *inherit);

/* How many threads to use for `count` things: as many as processors, or PERUN_THREADS. */
size_t perun_thread_count(size_t count);
/* A thread that runs body(data), for the one that starts it: it must be joined. It stays where it is until then. */
struct perun_thread {
	pthread_t id;
	void (*body)(void *data);
	void *data;
	const void *current;
	const char *reading; /* the input, see perun_memory_reading() */
};
/* False when there is none. Signals stay with the thread that calls. */
bool perun_thread_start(struct perun_thread *thread, void (*body)(void *data), void *data);
void perun_thread_join(struct perun_thread *thread);

struct perun_loss {
	char *what;
	uint64_t count;
};

struct perun_ctx {
	struct perun_handlers handlers;
	/* Set in the contexts of perun_parallel_for's threads: where warnings and progress go. */
	struct perun_parallel *parallel;

	int status;
	bool empty;    /* an input holds no measurement: that is what failed */
	bool muted;    /* warnings are none for the moment */
	char **causes; /* innermost first */
	size_t cause_count, cause_capacity;
	char *chain; /* all causes as one line, NULL when there is none */

	size_t warning_count; /* those of threads count for the context that they work for */
	uint64_t messages;    /* warnings and notes so far, heard or not */
	bool holding;         /* warnings and notes wait for perun_ctx_release() */
	struct perun_held {
		char *text;
		bool note;
	} * held;
	size_t held_count, held_room;
	struct perun_loss *losses;
	size_t loss_count, loss_capacity;
	uint32_t *loss_slots; /* losses by the hash of their words: index + 1, 0 = free */
	size_t loss_slot_count;
	size_t iteration; /* of a thread of perun_parallel_for(): the one that it is at */
};

/*
 * For arrays of megabytes that are written all over: on large pages where the kernel has them, which saves
 * most of the faults when it is first touched and of the look-ups of addresses. Free with perun_free().
 */
void *perun_alloc_large(size_t size);
void *perun_alloc_large_zero(size_t count, size_t size);

/* Warnings, notes and kinds of losses so far: none was added by what left this as it was. */
uint64_t perun_ctx_messages(const struct perun_ctx *ctx);

/* The end when there is no memory left: calls the handler of perun_on_out_of_memory(). */
_Noreturn void perun_out_of_memory(void);
/*
 * The input that this thread reads from now on, which that handler is given; NULL = none. Returns the one
 * before. The name is borrowed until the next call.
 */
const char *perun_memory_reading(const char *name);

/* A file that is only there for the time being, from when it is made until it is renamed or deleted. */
void perun_leftover_add(const char *path);
void perun_leftover_remove(const char *path);

/* Say no warnings and notes for the moment, or say them again; returns what was before. */
bool perun_ctx_mute(struct perun_ctx *ctx, bool muted);
/*
 * Keep warnings and notes until it is known whether the work succeeds; true: they are kept already, by somebody who
 * releases them. What fails is reported by its cause alone.
 */
bool perun_ctx_hold(struct perun_ctx *ctx);
/* Report what was kept, or forget it. */
void perun_ctx_release(struct perun_ctx *ctx, bool report);
/* Whether somebody gets what perun_warn() says to this context. */
bool perun_ctx_is_heard(const struct perun_ctx *ctx);
/*
 * Forward a warning or note (which it takes) of iteration i, or progress, of a thread to the context that started it, one at a
 * time. Messages come in the order of iterations: what one says waits until all before it are done.
 */
void perun_parallel_say(struct perun_parallel *parallel, size_t i, char *text, bool note);
void perun_parallel_progress(struct perun_parallel *parallel, const char *what, uint64_t done,
			     uint64_t total);
bool perun_parallel_cancelled(struct perun_parallel *parallel);

#endif
