/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations of memory as profiles have them: one by one, with where and when they were made. */
#ifndef PERUN_VIEWS_COMMON_ALLOCATIONS_H
#define PERUN_VIEWS_COMMON_ALLOCATIONS_H

#include "views/common/chart-table.h"
#include "views/common/quantity.h"

struct views_frame {
	const char *function; /* "" = unknown; borrowed from the profile, as is `file` */
	const char *file;     /* "" = unknown */
	int64_t line;         /* 0 = unknown */
};

struct views_allocation {
	uint32_t row; /* of the profile's resources */
	int64_t snapshot;
	double order;  /* of allocations, where the profile says it; else 0 */
	double time;   /* seconds; NaN = unknown */
	double amount; /* in views_allocations.unit */
	double count;  /* how many allocations it represents; 1 where each is recorded */
	uint64_t address;
	bool has_address;
	bool freed;       /* says that the memory was given back */
	int64_t until;    /* snapshot in which it was given back; -1 = never, -2 = not known */
	const char *kind; /* "malloc", "realloc", ...; "" = unknown */
	perun_id stack;   /* of views_allocations.profile; PERUN_NO_ID = unknown */
	struct views_frame place; /* whose allocation it is: the uid, else the leaf of the stack */
};

struct views_allocations {
	struct perun_ctx *ctx;
	struct perun_profile *profile; /* its traces are stacks */
	struct views_table table;
	const char *metric; /* what amounts are called */
	struct perun_unit unit;
	struct views_allocation *items; /* in order of the profile */
	size_t count;
	bool timed; /* some have a time */
};

/*
 * Read the allocations that the options choose: `where` of VIEWS_TABLE_OPTIONS, `metric` (NULL = what is
 * measured in bytes). Fails (PERUN_INPUT) and says why when the profile does not measure memory, with
 * `addressed` also when no allocation has an address. Close it also then.
 */
int views_allocations_open(struct perun_ctx *ctx, struct perun_profile *profile, const char *name,
			   const struct perun_options *options, const char *metric, bool addressed,
			   struct views_allocations *allocations);
void views_allocations_close(struct views_allocations *allocations);

/*
 * The frames of a stack, the innermost first, inlined ones included. The caller frees the array; without
 * a stack it is `place` alone.
 */
struct views_frame *views_allocation_frames(const struct views_allocations *allocations,
					    const struct views_allocation *allocation,
					    size_t *count);

#endif
