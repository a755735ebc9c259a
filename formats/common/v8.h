/* SPDX-License-Identifier: BSD-3-Clause */
/* V8's CPU profiles (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/): alone or in trace events. */
#ifndef PERUN_FORMATS_COMMON_V8_H
#define PERUN_FORMATS_COMMON_V8_H

#include "formats/common/numbers.h"
#include "formats/common/stacks.h"
#include "formats/common/stream.h"

struct v8_node {
	uint64_t id, parent_id;
	bool has_id, has_parent;
	uint32_t parent;   /* index; UINT32_MAX = none */
	perun_id location; /* PERUN_NO_ID: represents no function */
	double self;       /* hits or bytes */
};

/* Bytes of allocations of which V8 samples one, unless something else is asked for; files do not say it. */
enum { V8_HEAP_INTERVAL = 32768 };

struct v8_profile {
	struct stacks *stacks;
	struct v8_node *nodes;
	size_t node_count, node_room;
	perun_id *stack_ids;       /* of nodes, once they are linked; PERUN_NO_ID: not made yet */
	struct stacks_nodes paths; /* likewise */
	struct stacks_numbers ids; /* of nodes */
	struct stacks_numbers
		above;     /* child's id -> place in `callers`, where children are listed */
	uint32_t *callers; /* indexes of nodes */
	size_t caller_count, caller_room;
	struct stacks_numbers sampled; /* id of a node that samples name -> its place there */
	struct ids samples;            /* these places */
	struct numbers deltas;         /* times between samples */
	double sizes, squares;         /* of the samples of a heap, and of their squares */
	double start, end, first;      /* first: time of the first sample, where times are listed */
	size_t unknown;                /* samples of nodes that are not there */
};

void v8_begin(struct v8_profile *profile, struct stacks *stacks);
void v8_free(struct v8_profile *profile);
/* A member of a profile: "nodes", "head", "samples", "timeDeltas", "startTime", "endTime"; false: another. */
bool v8_read_member(struct v8_profile *profile, struct stream *stream);
/* Empty it, keeping the memory. */
void v8_clear(struct v8_profile *profile);
/* Append the nodes, samples and deltas of `more`, a part of the same profile, which is emptied. */
void v8_append(struct v8_profile *profile, struct v8_profile *more);
/* Rows of what was read: of times when there are samples, else of the nodes' own values. */
int v8_add_rows(struct v8_profile *profile, struct perun_ctx *ctx, unsigned metric,
		perun_id labels);
int v8_add_nodes(struct v8_profile *profile, struct perun_ctx *ctx, unsigned metric);

#endif
