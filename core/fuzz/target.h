/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that is fuzzed, and what one input costs it. A target belongs to one thread. */
#ifndef PERUN_CORE_FUZZ_TARGET_H
#define PERUN_CORE_FUZZ_TARGET_H

#include <perun/context.h>

/* How costs are counted. */
enum fuzz_counting {
	FUZZ_EDGES_OF_CHILDREN,  /* it counts its edges; a process for each input */
	FUZZ_EDGES_OF_A_PROCESS, /* a function is called for each input */
	FUZZ_EDGES_OF_GCOV, /* it was compiled with --coverage, and writes its counts when it ends */
	FUZZ_INSTRUCTIONS,  /* the processor counts */
	FUZZ_NANOSECONDS    /* of processor time: all that is known */
};

struct fuzz_program {
	char *const *
		words; /* ends with NULL; a word @@ becomes the input's file, else it is standard input */
	uint64_t memory_limit; /* bytes of each process; 0 = none */
	double deadline;       /* of clock_now(), for its start; 0 = none */
};

enum fuzz_outcome { FUZZ_DONE, FUZZ_CRASHED, FUZZ_HUNG, FUZZ_STOPPED /* the user or the time */ };

struct fuzz_run {
	enum fuzz_outcome outcome;
	int signal;     /* of a crash */
	uint64_t cost;  /* of a run that was stopped: so far */
	double seconds; /* processor time */
};

struct fuzz_target;

/* Starts it, with an empty input to see what it counts. */
int fuzz_target_open(struct perun_ctx *ctx, const struct fuzz_program *program,
		     struct fuzz_target **target);
void fuzz_target_close(struct fuzz_target *target); /* NULL is fine */
enum fuzz_counting fuzz_target_counting(const struct fuzz_target *target);
/* Whether it is not known how many edges the program has. */
bool fuzz_target_is_hashed(const struct fuzz_target *target);

/*
 * Run it once. It is ended after `limit` seconds (FUZZ_HUNG), or at `deadline` (of clock_now()). Fails when it cannot
 * be run.
 */
int fuzz_target_run(struct perun_ctx *ctx, struct fuzz_target *target, const char *bytes,
		    size_t size, double limit, double deadline, struct fuzz_run *run);
/* How often each edge was met in the last run; `*count` is 0 where edges are not counted. The target's. */
const uint64_t *fuzz_target_edges(const struct fuzz_target *target, size_t *count);
/* Which file an edge is in and where, as its symbols have it; false = not known. The target's. */
bool fuzz_target_place(const struct fuzz_target *target, size_t edge, char **path,
		       uint64_t *address);

#endif
