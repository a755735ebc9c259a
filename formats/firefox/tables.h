/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a thread: stacks as a tree of frames, frames, functions, objects and strings. */
#ifndef FIREFOX_TABLES_H
#define FIREFOX_TABLES_H

#include "firefox.h"

enum { FIREFOX_NONE = -1 };

struct firefox_frame {
	perun_id location;
	uint32_t line_index; /* which line of the location; the innermost is 0 */
	int32_t function;    /* row of functions */
};

struct firefox_function {
	perun_id function;            /* PERUN_NO_ID: `name` is an address */
	int32_t name, file, resource; /* strings, and a row of resources; or FIREFOX_NONE */
	int64_t line;
};

struct firefox_stack {
	int32_t frame, prefix;
};

/* Open addressing: keys of 64 bits to rows. */
struct firefox_index {
	uint64_t *keys;
	int32_t *rows; /* FIREFOX_NONE = free */
	size_t count, size;
};

struct firefox_tables {
	const struct perun_profile *profile;
	struct firefox_stack *stacks;
	size_t stack_count, stack_room;
	struct firefox_frame *frames;
	size_t frame_count, frame_room;
	struct firefox_function *functions;
	size_t function_count, function_room;
	perun_id *resources; /* strings: files of mappings */
	size_t resource_count, resource_room;
	struct perun_buffer strings; /* one after another, NUL between */
	size_t string_count;
	struct firefox_index row_index;  /* of whole stacks, each of which is walked once */
	struct firefox_index path_index; /* likewise of the profile's paths */
	perun_id *walked;                /* paths on the way to one that has a row */
	size_t walked_room;
	struct firefox_index stack_index, frame_index, function_index, resource_index, string_index;
};

void firefox_tables_begin(struct firefox_tables *tables, const struct perun_profile *profile);
void firefox_tables_free(struct firefox_tables *tables);
/* The row of a string that is in the table. */
int32_t firefox_tables_string(const struct firefox_tables *tables, perun_id id);
/* The row of a stack of the profile, or FIREFOX_NONE for an empty one. */
int32_t firefox_tables_stack(struct firefox_tables *tables, perun_id stack);

#endif
