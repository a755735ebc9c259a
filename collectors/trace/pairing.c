/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries and returns of functions as calls: a stack of each thread. */
#include <config.h>

#include <string.h>

#include <perun/lib/hash.h>

#include "pairing.h"

#define TRAMPOLINE 4096 /* its page */

struct frame {
	uint64_t start, children, order, stack, back;
	int64_t size;
	uint32_t node, function;
};

/* A place that was passed. */
struct mark {
	uint64_t time;
	uint32_t function;
};

struct thread {
	int32_t process, thread;
	struct frame *frames;
	size_t depth, capacity;
	struct mark *marks;
	size_t mark_count, mark_capacity;
	uint64_t order, last;
};

struct pairing {
	struct pairing_options options;
	struct calls *calls;
	struct thread *threads;
	size_t count, capacity;
	size_t latest;  /* the thread of the event before */
	uint32_t *hash; /* of threads by their number, + 1; 0 = free */
	size_t hash_size;
	uint64_t *until; /* of nodes: calls before the next that is recorded */
	size_t until_count;
	int32_t *processes;
	size_t process_count, process_capacity;
	uint64_t *trampolines;
	size_t trampoline_count, trampoline_capacity;
};

struct pairing *pairing_new(const struct pairing_options *options, struct calls *calls)
{
	struct pairing *pairing = perun_alloc_zero(1, sizeof *pairing);

	pairing->options = *options;
	pairing->calls = calls;
	return pairing;
}

/* ---- threads ------------------------------------------------------------------------------------ */

static size_t hash_place(const struct pairing *pairing, int32_t thread)
{
	size_t at = (size_t)perun_hash_number((uint32_t)thread) & (pairing->hash_size - 1);

	while (pairing->hash[at] && pairing->threads[pairing->hash[at] - 1].thread != thread)
		at = (at + 1) & (pairing->hash_size - 1);
	return at;
}

static void grow_hash(struct pairing *pairing)
{
	perun_free(pairing->hash);
	pairing->hash_size = pairing->hash_size ? pairing->hash_size * 2 : 64;
	pairing->hash = perun_alloc_zero(pairing->hash_size, sizeof *pairing->hash);
	for (size_t i = 0; i < pairing->count; i++)
		pairing->hash[hash_place(pairing, pairing->threads[i].thread)] = (uint32_t)i + 1;
}

static void know_process(struct pairing *pairing, int32_t process)
{
	for (size_t i = 0; i < pairing->process_count; i++)
		if (pairing->processes[i] == process)
			return;
	PERUN_GROW(pairing->processes, pairing->process_count, pairing->process_capacity);
	pairing->processes[pairing->process_count++] = process;
	pairing->calls->processes++;
}

static struct thread *find_thread(struct pairing *pairing, const struct pairing_event *event)
{
	size_t at;

	if (pairing->latest < pairing->count &&
	    pairing->threads[pairing->latest].thread == event->thread)
		return &pairing->threads[pairing->latest];
	if (pairing->count * 2 >= pairing->hash_size)
		grow_hash(pairing);
	at = hash_place(pairing, event->thread);
	if (!pairing->hash[at]) {
		PERUN_GROW(pairing->threads, pairing->count, pairing->capacity);
		pairing->threads[pairing->count] =
			(struct thread){.process = event->process, .thread = event->thread};
		pairing->hash[at] = (uint32_t)++pairing->count;
		pairing->calls->threads++;
		know_process(pairing, event->process);
	}
	pairing->latest = pairing->hash[at] - 1;
	return &pairing->threads[pairing->latest];
}

/*
 * When an event of a thread was. The kernel's clock for its own programs may step back by a little when
 * it is corrected (ktime_get_mono_fast_ns); calls would overlap and the times of their own not add up.
 */
static uint64_t pass_time(struct thread *thread, uint64_t time)
{
	if (time > thread->last)
		thread->last = time;
	return thread->last;
}

/* ---- calls -------------------------------------------------------------------------------------- */

static void record_call(struct pairing *pairing, const struct thread *thread,
			const struct frame *frame, uint64_t inclusive, uint64_t exclusive)
{
	struct calls *calls = pairing->calls;
	uint64_t *until;

	while (pairing->until_count <= frame->node) {
		size_t count = calls->node_count + calls->node_count / 2;

		pairing->until = perun_realloc_array(pairing->until, count, sizeof *pairing->until);
		memset(pairing->until + pairing->until_count, 0,
		       (count - pairing->until_count) * sizeof *pairing->until);
		pairing->until_count = count;
	}
	until = &pairing->until[frame->node];
	if (*until) {
		--*until;
	} else if (calls->record_count < pairing->options.limit) {
		const struct calls_record record = {
			.start = frame->start - pairing->options.base,
			.inclusive = inclusive,
			.exclusive = exclusive,
			.order = frame->order,
			.size = frame->size,
			.node = frame->node,
			.thread = thread->thread,
		};

		*until = pairing->options.every - 1;
		calls_add_record(calls, &record);
	}
}

static void add_call(struct pairing *pairing, const struct thread *thread,
		     const struct frame *frame, uint64_t inclusive, uint64_t exclusive)
{
	struct calls_node *node = &pairing->calls->nodes[frame->node];
	struct calls_function *function = &pairing->calls->functions[frame->function];

	function->count++;
	function->inclusive += inclusive;
	node->count++;
	node->inclusive += inclusive;
	node->exclusive += exclusive;
	pairing->calls->total++;
	record_call(pairing, thread, frame, inclusive, exclusive);
}

/* The innermost call ends. */
static void close_frame(struct pairing *pairing, struct thread *thread, uint64_t time)
{
	struct frame *frame = &thread->frames[--thread->depth];
	uint64_t inclusive = time - frame->start;

	add_call(pairing, thread, frame, inclusive, inclusive - frame->children);
	if (thread->depth)
		thread->frames[thread->depth - 1].children += inclusive;
}

/* A call that took the place of its caller's frame, which has not returned for that. */
static bool is_tail_call(const struct pairing *pairing, const struct pairing_event *event,
			 const struct frame *frame)
{
	if (!event->hooked)
		return false;
	for (size_t i = 0; i < pairing->trampoline_count; i++)
		if (event->back - pairing->trampolines[i] < TRAMPOLINE)
			return true;
	return pairing->trampoline_count == 0 && event->back != frame->back;
}

void pairing_enter(struct pairing *pairing, const struct pairing_event *event)
{
	struct thread *thread = find_thread(pairing, event);
	uint64_t time = pass_time(thread, event->time);
	struct frame *frame;
	uint32_t parent;

	/* What was further up the stack is gone: a long jump, an exception, or a return not seen. */
	while (thread->depth) {
		frame = &thread->frames[thread->depth - 1];
		if (frame->stack > event->stack ||
		    (frame->stack == event->stack && is_tail_call(pairing, event, frame)))
			break;
		close_frame(pairing, thread, time);
	}
	parent = thread->depth ? thread->frames[thread->depth - 1].node : 0;
	PERUN_GROW(thread->frames, thread->depth, thread->capacity);
	frame = &thread->frames[thread->depth++];
	*frame = (struct frame){.start = time,
				.order = thread->order++,
				.stack = event->stack,
				.back = event->back,
				.size = event->size,
				.function = event->function};
	if (pairing->calls->node_count < TRACE_NODES) {
		frame->node = calls_node(pairing->calls, parent, event->function);
	} else {
		pairing->calls->full++;
		frame->node = parent; /* its time counts as its caller's */
	}
}

void pairing_leave(struct pairing *pairing, const struct pairing_event *event)
{
	struct thread *thread = find_thread(pairing, event);
	uint64_t time = pass_time(thread, event->time);
	size_t depth = thread->depth;

	while (depth && (thread->frames[depth - 1].function != event->function ||
			 thread->frames[depth - 1].stack != event->stack))
		depth--;
	if (!depth) {
		pairing->calls->unmatched++;
		return;
	}
	while (thread->depth >= depth)
		close_frame(pairing, thread, time);
}

/* ---- places ------------------------------------------------------------------------------------- */

static struct mark *find_mark(struct thread *thread, uint32_t function)
{
	for (size_t i = 0; i < thread->mark_count; i++)
		if (thread->marks[i].function == function)
			return &thread->marks[i];
	PERUN_GROW(thread->marks, thread->mark_count, thread->mark_capacity);
	thread->marks[thread->mark_count] = (struct mark){.function = function};
	return &thread->marks[thread->mark_count++];
}

void pairing_start(struct pairing *pairing, const struct pairing_event *event)
{
	struct thread *thread = find_thread(pairing, event);

	find_mark(thread, event->function)->time = pass_time(thread, event->time);
}

void pairing_point(struct pairing *pairing, const struct pairing_event *event, bool pair)
{
	struct thread *thread = find_thread(pairing, event);
	uint64_t time = pass_time(thread, event->time);
	struct mark *mark = find_mark(thread, event->function);
	uint32_t parent = thread->depth ? thread->frames[thread->depth - 1].node : 0;
	struct frame frame = {.start = mark->time ? mark->time : time,
			      .order = thread->order,
			      .size = event->size,
			      .function = event->function};

	if (pair && !mark->time) {
		pairing->calls->unmatched++;
		return;
	}
	thread->order++;
	frame.node = calls_node(pairing->calls, parent, event->function);
	/* None of it is the place's own: it is the time of the functions around it. */
	add_call(pairing, thread, &frame, time - frame.start, 0);
	mark->time = pair ? 0 : time;
}

/* ---- ends --------------------------------------------------------------------------------------- */

void pairing_end(struct pairing *pairing, int32_t thread, uint64_t time)
{
	struct thread *ended;
	size_t at;

	if (!pairing->hash_size)
		return;
	at = hash_place(pairing, thread);
	if (!pairing->hash[at])
		return;
	ended = &pairing->threads[pairing->hash[at] - 1];
	time = pass_time(ended, time);
	while (ended->depth)
		close_frame(pairing, ended, time);
	ended->mark_count = 0;
}

void pairing_trampoline(struct pairing *pairing, uint64_t address)
{
	for (size_t i = 0; i < pairing->trampoline_count; i++)
		if (pairing->trampolines[i] == address)
			return;
	PERUN_GROW(pairing->trampolines, pairing->trampoline_count, pairing->trampoline_capacity);
	pairing->trampolines[pairing->trampoline_count++] = address;
}

void pairing_free(struct pairing *pairing)
{
	if (!pairing)
		return;
	for (size_t i = 0; i < pairing->count; i++) {
		struct thread *thread = &pairing->threads[i];

		while (thread->depth)
			close_frame(pairing, thread, thread->last);
		perun_free(thread->frames);
		perun_free(thread->marks);
	}
	perun_free(pairing->threads);
	perun_free(pairing->hash);
	perun_free(pairing->until);
	perun_free(pairing->processes);
	perun_free(pairing->trampolines);
	perun_free(pairing);
}
