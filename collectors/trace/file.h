/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runtime in the traced program and the collector share: a file for each thread. */
#ifndef PERUN_TRACE_FILE_H
#define PERUN_TRACE_FILE_H

#include <stdatomic.h>
#include <stdint.h>

#include "collectors/common/clock.h"

/* The environment variable that names the folder of a session. */
#define TRACE_VARIABLE "PERUN_TRACE_SESSION"
#define TRACE_MAGIC    0x3165636172547250u

/* The file "session" in the folder. */
struct trace_session {
	uint64_t magic;
	uint64_t base;  /* of the clock; times are ticks since then */
	uint64_t limit; /* calls to be recorded one by one, in all threads together */
	uint64_t
		every; /* of the calls of a function from one place only each N-th is recorded: N */
	uint32_t use_counter;
	uint32_t patch; /* fill the room that the compiler left in functions */
	uint32_t sized; /* the sizes of some functions are to be read: see "selected" */
	/* When a function that is patched is traced no longer. */
	uint64_t exclude_after;   /* calls */
	uint64_t exclude_below;   /* ticks that they take in the mean; 0 = however long */
	uint64_t exclude_share;   /* if tracing takes more of the time, in thousandths; 0 = any */
	uint64_t exclude_least;   /* ticks that tracing may take anyway */
	uint64_t second;          /* in ticks */
	_Atomic uint32_t closed;  /* the collector is done: no new threads */
	_Atomic uint64_t claimed; /* records that threads have room for */
	_Atomic uint64_t lost;    /* threads that could not be traced */
	_Atomic uint64_t
		pair; /* ticks that an entry and an exit take; of it, `inner` are measured */
	_Atomic uint64_t inner;
};

/*
 * The file "selected" says which functions are to be patched, where not all are: a trace_selected each,
 * in order.
 */
struct trace_selected {
	uint64_t device, inode; /* of the file */
	uint64_t address;       /* as the file has it */
	uint32_t argument;      /* that has the size: 1..6, 0 = none */
	uint32_t bytes;         /* of the size: 4 or 8 */
	uint32_t memory;        /* the argument points to it, `offset` bytes further */
	uint32_t spare;
	int64_t offset;
};

/*
 * The files "thread-PID-PROCESS-NUMBER": this header, then the frames that are open, the nodes of the tree
 * of calls, and the records of calls, each in a part of its own with room for as many as can be. Node 0 is
 * the root. Only the part of the file that is used has storage.
 *
 * Where ELF files were mapped is in "modules-PID-PROCESS": lines of "START LIMIT BIAS PATH" (hexadecimal).
 * Functions that are traced no longer are in "excluded-PID-PROCESS": lines of "ADDRESS TIME".
 */
struct trace_header {
	uint64_t magic;
	uint64_t process; /* distinguishes images that had the same pid, after exec() */
	int32_t pid, thread;
	uint64_t frames_at, nodes_at, records_at, size; /* offsets */
	uint32_t node_count, node_limit;
	uint32_t depth; /* open frames */
	uint32_t spare;
	uint64_t record_count;
	uint64_t order;      /* calls so far */
	uint64_t last;       /* the time of the last event */
	uint64_t deep, full; /* calls that were too deep, or found no room for their node */
	uint64_t unmatched;  /* ends of functions that did not begin */
};

struct trace_frame {
	uint64_t start;
	uint64_t children; /* time spent in them */
	uint64_t order;
	int64_t size; /* as the program says; TRACE_NO_SIZE = it does not */
	uint32_t node;
	uint32_t record; /* this call is to be recorded */
};

struct trace_node {
	uint64_t function;                     /* its address in the process */
	uint32_t parent, child, sibling, last; /* the first child; the one used last. 0 = none */
	uint64_t calls, inclusive, exclusive;
	uint64_t shortest, longest;
	uint64_t until; /* calls before the next that is recorded */
};

struct trace_record {
	uint64_t start, inclusive, exclusive, order;
	int64_t size;
	uint32_t node, spare;
};

#define TRACE_NO_SIZE INT64_MIN
#define TRACE_DEPTH   65536
#define TRACE_NODES   (1u << 20)
#define TRACE_CLAIM   1024 /* records that a thread takes at a time */

#endif
