/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading profiles of Firefox: Gecko's own, processed ones (the Profiler, samply), and recordings of its developer tools. */
#ifndef FIREFOX_READING_H
#define FIREFOX_READING_H

#include "formats/common/numbers.h"
#include "formats/common/stacks.h"
#include "formats/common/stream.h"

enum { FF_COLUMNS = 8 };

/* Columns of a table; what is not a number is NaN. */
struct ff_table {
	struct numbers columns[FF_COLUMNS];
};

enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_DELTA, SAMPLE_WEIGHT };
enum { STACK_PREFIX, STACK_FRAME };
enum { FRAME_FUNCTION, FRAME_LINE, FRAME_COLUMN, FRAME_ADDRESS, FRAME_LOCATION };
enum { FUNCTION_NAME, FUNCTION_FILE, FUNCTION_LINE };

/* What threads share since version 57 is in `shared` of the profile. */
struct ff_tables {
	struct ff_table stacks, frames, functions;
	perun_id *strings;
	size_t string_count, string_room;
};

struct ff_thread {
	struct ff_table samples;
	struct ff_tables own;
	char *name, *process, *weight_type;
	perun_id tid, pid;
	bool has_tables;
};

struct ff_reading {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	struct stacks *stacks;
	struct ff_thread read;     /* the one that is read */
	struct ff_thread *threads; /* that wait for what follows */
	size_t thread_count, thread_room;
	struct ff_tables shared;
	size_t processes; /* that were texts */
	double interval;  /* in ms */
	bool meta_known, shared_known;
	int status; /* of the rows of threads that were made while the rest is read */
	bool tools; /* a recording of the developer tools: scripts of the page alone */
	bool gecko;
	bool everything; /* the option */
};

/* Rows of what is known by now: a thread with all its tables needs nothing that follows. */
bool firefox_is_complete(const struct ff_reading *reading, const struct ff_thread *thread);
int firefox_add_thread(struct ff_reading *reading, const struct ff_thread *thread);
int firefox_parse(struct ff_reading *reading, struct perun_input *input);
void firefox_free(struct ff_reading *reading);
int firefox_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		 struct perun_builder *builder);

#endif
