/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trace events: Chrome, Perfetto's JSON, clang -ftime-trace, PyTorch, uftrace, Hermes
 * (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
 */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include "formats/common/stacks.h"
#include "formats/common/stream.h"
#include "formats/common/v8.h"

struct trace_span {
	double at, duration; /* in us */
	uint64_t arguments;  /* a hash; 0 = none */
	perun_id name, detail, file;
	uint32_t line, thread; /* thread: index */
	uint32_t place;        /* in the stack while it is open, plus 1 */
	char phase;
	bool ended;   /* X: its time is over */
	bool unnamed; /* E: it ends what is open, whatever that is called */
};

struct trace_thread {
	uint64_t process, thread;
	perun_id name;               /* 0 = none */
	struct perun_label label[2]; /* process and thread */
	perun_id labels;             /* the set of both */
};

/* A sample of Hermes. */
struct trace_sample {
	double at;
	uint64_t frame;
	uint32_t thread;
};

struct trace_stack_frame {
	uint64_t id, parent;
	bool has_parent;
	perun_id location, stack;
	uint32_t above;
};

struct trace_v8 {
	struct v8_profile profile;
	uint32_t thread;
};

struct trace {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	struct perun_builder *builder;
	struct trace_span *spans;
	size_t span_count, span_room;
	struct trace_thread *threads;
	size_t thread_count, thread_room;
	struct stacks_numbers thread_ids, process_names;
	struct trace_sample *samples;
	size_t sample_count, sample_room;
	struct trace_stack_frame *frames;
	size_t frame_count, frame_room;
	struct stacks_numbers frame_ids;
	struct stacks_nodes callers; /* paths of frames as callers */
	struct trace_v8 *profiles;
	size_t profile_count, profile_room;
	struct stacks_numbers profile_ids;
	struct v8_profile chunk; /* of the event that is read */
	bool has_chunk;
	size_t events;  /* read whole */
	bool amid;      /* an event was begun, or the object around the list, and did not end */
	size_t others;  /* events of other kinds */
	size_t totals;  /* what others say in sum */
	size_t empty;   /* spans of no length, which are no rows */
	size_t unbegun; /* ends that fit no open span */
	struct perun_buffer text;
};

/* The whole file into `trace`; one that is cut off is read as far as it goes, with a warning unless it only lacks "]". */
int trace_parse(struct trace *trace, struct perun_input *input);
/* Rows of the spans of all threads. */
int trace_add_spans(struct trace *trace, unsigned metric);
/* Rows of samples, V8's and Hermes'. */
int trace_add_samples(struct trace *trace, unsigned metric);

#endif
