/* SPDX-License-Identifier: BSD-3-Clause */
/* Databases of Nsight Systems with the call paths that Extra-Prof marked. */
#ifndef NSIGHT_H
#define NSIGHT_H

#include <limits.h>

#include <perun/lib/experiment.h>
#include <perun/format.h>

/* A number of a database; absent = NULL. All times are in ns. */
#define NSIGHT_ABSENT INT64_MIN

/* Sums do not overflow; what is absent adds nothing. */
static inline int64_t nsight_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == NSIGHT_ABSENT || b == NSIGHT_ABSENT)
		return a == NSIGHT_ABSENT ? b : a;
	return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? -INT64_MAX : INT64_MAX) : sum;
}

struct nsight_options {
	int64_t piece_limit;
	uint64_t expansion_limit; /* bytes */
};

/* ---- one file --------------------------------------------------------------------------------- */

/* The most threads of a kernel that are counted: no graphics processor runs as many at once. */
enum { NSIGHT_MAX_THREADS = (1 << 29) - 1 };

/* What the processor or the graphics processor did in [start, end]. Strings are ids of the builder. */
struct nsight_activity {
	int64_t start, end, correlation;
	union {
		int64_t thread; /* of a call in ranges */
		int64_t chain;  /* of a call in a file without ranges */
		int64_t bytes;  /* of a copy or memset */
	};
	perun_id name;
	uint32_t threads : 29; /* that a kernel runs at once, at most */
	uint32_t type : 2;     /* 0 kernel, 1 copy, 2 memset */
	uint32_t place : 1;    /* 0 = pageable memory */
};
struct nsight_list {
	struct nsight_activity *list;
	size_t count, room;
};

/* A range that was marked, with its depth (INT32_MIN = absent). Many files have little else. */
struct nsight_range {
	int64_t start, end, thread, domain;
	int32_t depth;
	perun_id name;
};
struct nsight_ranges {
	struct nsight_range *list;
	size_t count, room;
};

/* When a range begins and ends. */
struct nsight_extent {
	int64_t start, end;
};

/* Ranges by thread and start, and before each of them the nearest one that ends later. */
struct nsight_nesting {
	const struct nsight_range *list;
	uint32_t *order, *outer, count; /* outer: UINT32_MAX = none */
};

/* A call path and what was spent there; one of a call of the API has a correlation. */
struct nsight_path {
	int64_t correlation, duration;
	int32_t depth;
	perun_id path; /* as in the file */
};

/* How long kernels ran on a path. */
struct nsight_busy {
	perun_id path;
	int64_t time;
};

struct nsight_symbol {
	int64_t id;
	perun_id text;
};

/* The name of a function, by the text of its address: both are parts of a string. */
struct nsight_name {
	perun_id text;
	size_t address, address_length, name;
};

/* A caller: the farther, the deeper. */
struct nsight_chain {
	int64_t id, depth;
	perun_id name;
};

struct nsight_file {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	struct nsight_list kernels, copies, sets, syncs;
	struct nsight_list
		calls; /* that allocate or free memory; paths are all that is needed of others */
	uint32_t *processors; /* of each graphics processor, the most threads it runs at once */
	size_t processor_count, processor_room;
	struct nsight_ranges
		ranges; /* of all domains, until paths are found: then of Extra-Prof's */
	int64_t domain; /* Extra-Prof's */
	struct nsight_nesting nesting; /* of the ranges, while calls are read */
	struct nsight_extent *extents; /* of the ranges that cut kernels */
	size_t extent_count;
	struct nsight_path *paths;
	size_t path_count, path_room;
	struct nsight_busy *busy; /* by path */
	size_t busy_count;
	struct nsight_path *idle;
	size_t idle_count, idle_room;
	struct nsight_symbol *symbols; /* StringIds, by id */
	size_t symbol_count, symbol_room;
	int64_t first_symbol, last_symbol; /* of Extra-Prof's names */
	struct nsight_name *names;         /* by address */
	size_t name_count, name_room;
	struct nsight_chain *chains; /* of the tracing by Nsight Systems */
	size_t chain_count, chain_room;
	uint64_t pieces_left; /* of kernels, that ranges may still cut */
	uint64_t bytes_left;  /* see nsight_spend() */
	uint64_t spent;       /* since Ctrl-C was looked for */
	int status;           /* why nsight_spend() said no */
	bool has_ranges, has_kernels, has_idle, resolved, exclusive;
	bool in_ranges; /* some ranges are Extra-Prof's */
};
/* Read the tables. `path`: of the database, which is not changed. */
int nsight_load(struct nsight_file *file, const char *path, uint64_t size);
void nsight_clear(struct nsight_file *file);

/* What pairs cost, and what is made of one: a path, or a sum of what overlaps. */
enum { NSIGHT_PAIR = 8, NSIGHT_MADE = 128 };
/*
 * Take bytes for pairs of what a file holds, or for texts made of several: a file of n bytes may have n * n of them.
 * False, and file->status says it, when the option expansion-limit allows no more or the user wants to stop.
 */
bool nsight_spend(struct nsight_file *file, uint64_t bytes);

/* Attach calls to paths, unless that was done before: all else was read when it begins, and each call is met once. */
int nsight_begin_calls(struct nsight_file *file);
int nsight_attach_call(struct nsight_file *file, const struct nsight_activity *call);
int nsight_resolve(struct nsight_file *file);
bool nsight_is_allocation(const char *name);
void nsight_nest(const struct nsight_ranges *ranges, struct nsight_nesting *nesting);
void nsight_forget_nesting(struct nsight_nesting *nesting);
/* The place of the innermost range around a call, or UINT32_MAX; a range is longer at both ends. */
uint32_t nsight_find_range(struct nsight_file *file, const struct nsight_nesting *nesting,
			   const struct nsight_activity *call);
/* How long kernels ran in ranges, whose threads are forgotten; then how long none ran on their paths. */
int nsight_find_busy(struct nsight_file *file);
void nsight_find_idle(struct nsight_file *file);
/* A path for people: names instead of addresses. */
int nsight_decode(struct nsight_file *file, perun_id path, struct perun_buffer *out);

/* ---- what happens at the same time ------------------------------------------------------------- */

/* From one start or end of an activity to the next. */
struct nsight_span {
	int64_t start, end;
	int64_t threads : 63;
	uint64_t alone : 1; /* one activity goes on */
};
struct nsight_spans {
	struct nsight_span *list;
	size_t count, room;
};
/* Activities that go on together, kernels of them with this many threads at most. */
struct nsight_source {
	const struct nsight_list *list;
	uint32_t max_threads;
};
void nsight_find_spans(const struct nsight_source *sources, size_t count,
		       struct nsight_spans *spans);

/* ---- the experiment --------------------------------------------------------------------------- */

/* Where measured values go. */
enum nsight_flags {
	NSIGHT_BYTES = 1,    /* not time */
	NSIGHT_PARTIAL = 2,  /* it need not be there at every point */
	NSIGHT_OVERLAPS = 4, /* the time of other paths has it, too */
};
typedef void nsight_sink(void *data, const char *path, size_t length, unsigned flags, double value);
int nsight_measure(struct nsight_file *file, nsight_sink *sink, void *data);

int nsight_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		struct perun_builder *builder);

#endif
