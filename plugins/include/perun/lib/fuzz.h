/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Search for inputs that cost a program more than their length explains. Of the growing part of the interface: see
 * perun/lib/version.h.
 *
 * Inputs are changed by rules, run, and kept when an edge of the program is met for the first time or more often than
 * ever before, as PerfFuzz does (Lemieux, Padhye, Sen, Song, "PerfFuzz: automatically generating pathological inputs",
 * ISSTA 2018, section 3), or when they cost more for each byte. A find costs more than `ratio` times what an
 * input of its length is expected to: the cost of the empty input, and that of the dearest seed for each byte. Finds
 * are one for each edge that takes most of the cost.
 * Threads: a search belongs to one thread at a time; it starts threads of its own.
 */
#ifndef PERUN_LIB_FUZZ_H
#define PERUN_LIB_FUZZ_H

#include <perun/lib/verdict.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perun_fuzz_options {
	uint32_t struct_size;
	char *const
		*command; /* ends with NULL; @@ is the input's file, else it is standard input */
	const char *const *seeds; /* files and directories; at least one file */
	size_t seed_count;
	const char *name_pattern;       /* of files in directories; NULL = all */
	const char *directory;          /* where inputs are kept; made if need be */
	bool resume;                    /* go on with the inputs that are there */
	const char *rules, *dictionary; /* files, or NULL: see perun-fuzz(1) */
	double seconds;                 /* of all, minimizing included; 0 = a minute */
	double run_limit; /* of a run in seconds; 0 = twenty times the slowest seed, a second at least */
	uint64_t most_runs; /* of the search; 0 = no matter */
	size_t most_bytes;  /* of an input; 0 = twice the largest seed, 8192 at least */
	uint64_t memory;    /* bytes for each process; 0 = no matter */
	double ratio;       /* what makes a find; 0 = 2 */
	uint64_t random_seed;
	bool repeatable; /* where costs are counted, times are not used: the same search again, with one worker */
	unsigned workers; /* 0 = one for each processor */
};

enum perun_fuzz_counting {
	PERUN_FUZZ_EDGES, /* of a program with the runtime library linked in, or compiled with --coverage */
	PERUN_FUZZ_INSTRUCTIONS,
	PERUN_FUZZ_NANOSECONDS
};
/* "edges", "instructions", "ns". */
PERUN_EXPORT const char *perun_fuzz_counting_name(enum perun_fuzz_counting counting);

/* How costs grow with the length of an input. */
struct perun_fuzz_growth {
	size_t count;
	const double *sizes, *costs; /* what was measured */
	const char *class_name;      /* "O(n^2)", "O(2^n)"; NULL = too little is known */
};

/* An edge of the program in a find, and in the seed repeated to its length. */
struct perun_fuzz_edge {
	const char *path; /* of the file that it is in; NULL = not known */
	uint64_t address; /* as its symbols have it */
	uint64_t count, usual;
};

struct perun_fuzz_find {
	uint32_t struct_size;
	const char *
		name; /* of the file, slow/NAME in the directory; NAME.seed is what it is compared with */
	size_t size; /* bytes, after it was made smaller */
	const char *bytes;
	size_t found_size;
	uint64_t cost;
	double expected; /* cost of an input of its length */
	double ratio;
	bool hung;    /* it was ended: the cost is the least that it is */
	bool by_time; /* found by its time: what costs is not counted */
	bool smallest; /* nothing could be left out any more; false = there was no time to find out */
	const char *rules;                             /* that made it, the last one first */
	struct perun_fuzz_growth growth, usual_growth; /* of the seed, repeated */
	/* Seconds of processor time of both, in turns; .answer UNDECIDED with no values when there was no time. */
	struct perun_verdict verdict;
	const struct perun_fuzz_edge *edges; /* that were met in either */
	size_t edge_count;
	double found_ratio; /* `ratio` of the input as it was found */
};

struct perun_fuzz_rule {
	const char *name;
	uint64_t tried, kept;
};

/* How it went: at some times. */
struct perun_fuzz_moment {
	double seconds;
	uint64_t runs;
	size_t edges; /* met so far */
	double ratio; /* the greatest so far */
};

/* What was found; all of it is the search's. */
struct perun_fuzz_result {
	uint32_t struct_size;
	enum perun_fuzz_counting counting;
	uint64_t runs;
	double seconds;
	size_t inputs;           /* kept */
	size_t edges, all_edges; /* met, and that the program has; 0 where that is not known */
	size_t crashes, hangs;   /* different ones */
	const struct perun_fuzz_find *finds; /* the worst first; stride find_size */
	uint32_t find_size;
	size_t find_count;
	const struct perun_fuzz_rule *rules; /* that were tried, the most useful first */
	size_t rule_count;
	const struct perun_fuzz_moment *moments;
	size_t moment_count;
};

struct perun_fuzz;

/*
 * Search until the time is over, write what was found to the directory. `*made` is the caller's, to be freed, also
 * when this fails. PERUN_CANCELLED: the result is there as far as it goes.
 */
PERUN_EXPORT int perun_fuzz_search(struct perun_ctx *ctx, const struct perun_fuzz_options *options,
				   struct perun_fuzz **made);
PERUN_EXPORT const struct perun_fuzz_result *perun_fuzz_result(const struct perun_fuzz *search);
PERUN_EXPORT void perun_fuzz_free(struct perun_fuzz *search); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
