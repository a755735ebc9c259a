/* SPDX-License-Identifier: BSD-3-Clause */
/* The heaps of the measured processes, as the events say: what lives, what each stack allocated. */
#ifndef PERUN_MEMORY_HEAP_H
#define PERUN_MEMORY_HEAP_H

#include <perun/context.h>

#include "ring.h"

/* What one stack allocated with one function in one snapshot. Amounts of samples are fractions. */
struct heap_row {
	uint32_t stack, kind, snapshot;
	uint32_t next; /* the row before of the same stack, UINT32_MAX = none */
	double count, bytes;
	double live_bytes, live_count; /* still there */
	double peak_bytes, peak_count; /* there when the most bytes were */
	uint64_t peak_seen;            /* the number of the peak that these are of */
};

/* One allocation. */
struct heap_block {
	uint64_t address, bytes, time;
	uint64_t made, freed; /* numbers of events; freed UINT64_MAX = never */
	uint64_t end;         /* a time of the snapshot in which it was freed */
	uint32_t stack, kind;
	uint32_t freed_by; /* the stack of what freed it; HEAP_NO_STACK = not known */
};
#define HEAP_NO_STACK UINT32_MAX

/* A block that lives, or the last one freed. */
struct heap_live {
	uint64_t key; /* address | process << 48; 0 = none */
	uint64_t bytes;
	uint32_t row, block;
};

struct heap_options {
	uint64_t sample;   /* mean bytes between samples, 0 = all is recorded */
	uint64_t interval; /* of snapshots, in ticks */
	size_t blocks;     /* the most single allocations to keep */
};

#define HEAP_MAX_SNAPSHOTS 1000

struct heap {
	struct heap_options options;
	struct heap_row *rows;
	size_t row_count, row_capacity;
	struct heap_block *blocks;
	size_t block_count, block_capacity;
	bool too_many;       /* blocks were given up */
	uint32_t *last_rows; /* of each stack */
	size_t stack_count;

	struct heap_live *live; /* a hash table with open addressing */
	size_t live_used, live_capacity;
	unsigned live_shift; /* 64 - the bits of the capacity */
	uint64_t live_secret;

	uint64_t events, allocations, frees,
		foreign_frees; /* foreign: of memory that is not known */
	/* Freed as the very next event: of memory that was not needed for long. */
	uint64_t temporary, last_allocated; /* the latter is a key, 0 = something else came last */
	double bytes, live_bytes, live_count, peak_bytes;
	uint64_t peak_event, peak_time, peaks;
	uint64_t first_time, last_time;
	uint32_t snapshot; /* the current one, from its start to its end */
	uint64_t snapshot_start, snapshot_end;
};

void heap_init(struct heap *heap, const struct heap_options *options);
void heap_free(struct heap *heap);

/* Room for the rows of stacks up to this number. */
void heap_add_stack(struct heap *heap, uint32_t stack);
/* `key`: address | process << 48. */
void heap_allocated(struct heap *heap, uint64_t key, uint64_t bytes, uint32_t kind, uint32_t stack,
		    uint64_t time);
/* What was freed goes to `*last`. */
void heap_freed(struct heap *heap, uint64_t key, uint64_t time, struct heap_live *last);
/* What freed the last one. */
void heap_freed_by(struct heap *heap, const struct heap_live *last, uint32_t stack);
/* The last freeing of a thread did not happen: its realloc() failed. */
void heap_kept(struct heap *heap, const struct heap_live *last);
/* All events are there: amounts of the peak are final, rows of one snapshot are one. */
void heap_finish(struct heap *heap);
uint32_t heap_snapshot(const struct heap *heap, uint64_t time);
/* How many allocations a recorded one of this size represents. */
double heap_weight(const struct heap *heap, uint64_t bytes);

#endif
