/* SPDX-License-Identifier: BSD-3-Clause */
/* A traced thread, and what is done at each entry and exit of a function. */
#ifndef PERUN_TRACE_THREAD_H
#define PERUN_TRACE_THREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/trace/file.h"

#define EXPORT              __attribute__((visibility("default")))
#define HIDDEN              __attribute__((visibility("hidden")))
#define INITIAL             __attribute__((tls_model("initial-exec")))
#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* What grows with the calls of a thread, in steps for which storage was taken. */
#define FRAMES_STEP 1024u
#define NODES_STEP  1024u

struct thread {
	struct trace_header *header;
	struct trace_frame *frames, *top;
	struct trace_node *nodes;
	struct trace_record *records;
	uint32_t depth_ready, nodes_ready;
	uint64_t records_ready;
	uint32_t deep; /* calls that are open and were too deep */
	bool busy;
	int file;
	uint64_t check_at; /* patched: calls so far when the costs are looked at again */
};

/* Of this process; NULL = it is not traced. */
extern struct trace_session *trace_session HIDDEN;
extern __thread struct thread *trace_current INITIAL HIDDEN;

/* The first function of a thread; NULL = it is not traced. */
struct thread *trace_enter_thread(void) HIDDEN;
/* Nothing of what was traced in the current thread stays: the tree begins again. */
void trace_forget(void) HIDDEN;
bool trace_grow_frames(struct thread *thread) HIDDEN;
uint32_t trace_find_child(struct thread *thread, uint32_t parent, uint64_t function) HIDDEN;
/* Room for more records; false: there is none. */
bool trace_grow_records(struct thread *thread) HIDDEN;

static inline uint64_t trace_now(void)
{
	return collectors_clock(trace_session->use_counter);
}

/* A function begins, in a thread that is not busy; false: it is nested too deeply. */
static inline bool trace_enter(struct thread *thread, uint64_t function)
{
	struct trace_frame *frame;
	uint32_t parent, child;

	if (unlikely(thread->header->depth + 1 >= thread->depth_ready || thread->deep)) {
		if (thread->deep || !trace_grow_frames(thread)) {
			thread->deep++;
			thread->header->deep++;
			return false;
		}
	}
	parent = thread->top->node;
	child = thread->nodes[parent].last;
	if (unlikely(thread->nodes[child].function != function || !child)) {
		thread->busy = true;
		child = trace_find_child(thread, parent, function);
		thread->busy = false;
		if (!child) {
			thread->header->full++;
			child = parent; /* its time counts as its caller's */
		}
	}
	frame = ++thread->top;
	thread->header->depth++;
	frame->node = child;
	frame->children = 0;
	frame->size = TRACE_NO_SIZE;
	frame->order = thread->header->order++;
	frame->start = trace_now();
	return true;
}

/* Whether calls are still recorded one by one. */
static inline bool trace_records(const struct thread *thread)
{
	return thread->header->record_count < thread->records_ready ||
	       unlikely(atomic_load_explicit(&trace_session->claimed, memory_order_relaxed) <
			trace_session->limit);
}

static inline void trace_write_record(struct thread *thread, const struct trace_frame *frame,
				      uint64_t inclusive, uint64_t exclusive)
{
	struct trace_node *node = &thread->nodes[frame->node];
	uint64_t at = thread->header->record_count;

	if (node->until) {
		node->until--;
		return;
	}
	if (unlikely(at == thread->records_ready) && !trace_grow_records(thread))
		return;
	node->until = trace_session->every - 1;
	thread->records[at] = (struct trace_record){.start = frame->start - trace_session->base,
						    .inclusive = inclusive,
						    .exclusive = exclusive,
						    .order = frame->order,
						    .size = frame->size,
						    .node = frame->node};
	thread->header->record_count = at + 1;
}

/* The end of the innermost call. */
static inline void trace_leave(struct thread *thread, uint64_t end)
{
	struct trace_frame *frame = thread->top;
	struct trace_node *node = &thread->nodes[frame->node];
	uint64_t inclusive = end - frame->start;
	uint64_t exclusive = inclusive > frame->children ? inclusive - frame->children : 0;

	node->calls++;
	node->inclusive += inclusive;
	node->exclusive += exclusive;
	if (inclusive < node->shortest)
		node->shortest = inclusive;
	if (inclusive > node->longest)
		node->longest = inclusive;
	if (trace_records(thread))
		trace_write_record(thread, frame, inclusive, exclusive);
	thread->header->last = end;
	thread->header->depth--;
	thread->top = frame - 1;
	thread->top->children += inclusive;
}

#endif
