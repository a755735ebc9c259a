/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a traced program, read from the files of its threads and put together. */
#ifndef PERUN_TRACE_CALLS_H
#define PERUN_TRACE_CALLS_H

#include <perun/context.h>

#include "file.h"

#define CALLS_NO_FILE UINT32_MAX

struct calls_function {
	uint64_t address;          /* as its file has it */
	uint32_t file;             /* in `files` */
	char *name;                /* NULL = what the file says */
	uint64_t count, inclusive; /* of all its calls, where the engine needs to know */
	uint64_t excluded;         /* the time when the tracing of it ended; 0 = it did not */
};

/* A node of the tree of all threads. Node 0 is the root; parents come before their children. */
struct calls_node {
	uint32_t function, parent, child, sibling;
	uint64_t count, inclusive, exclusive;
};

struct calls_record {
	uint64_t start, inclusive, exclusive, order;
	int64_t size; /* TRACE_NO_SIZE = none */
	uint32_t node;
	int32_t thread;
};

struct calls {
	char **files;
	size_t file_count, file_capacity;
	struct calls_function *functions;
	size_t function_count, function_capacity;
	struct calls_node *nodes;
	size_t node_count, node_capacity;
	struct calls_record *records;
	size_t record_count, record_capacity;
	uint64_t total; /* calls */
	size_t threads, processes;
	uint64_t deep, full, unmatched; /* calls that were not counted, and why */
	bool sizes;                     /* some record has one */
};

/* None yet, with the root alone. */
void calls_init(struct calls *calls);
void calls_free(struct calls *calls);
/* Add what a session that began at `base` left in a folder. Files that make no sense fail (PERUN_INPUT). */
int calls_read(struct perun_ctx *ctx, const char *folder, uint64_t base, struct calls *calls);

/* For those who find calls otherwise. */
/* The number of a file; kept. */
uint32_t calls_file(struct calls *calls, const char *path);
/* A function that is not there yet; the name is copied. */
uint32_t calls_add_function(struct calls *calls, const struct calls_function *function);
/* The node of a function below another node; made if it is not there. */
uint32_t calls_node(struct calls *calls, uint32_t parent, uint32_t function);
void calls_add_record(struct calls *calls, const struct calls_record *record);
/* Order the records by their start. */
void calls_sort(struct calls *calls);

#endif
