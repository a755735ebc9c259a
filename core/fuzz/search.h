/* SPDX-License-Identifier: BSD-3-Clause */
/* A search for slow inputs: what its threads share. */
#ifndef PERUN_CORE_FUZZ_SEARCH_H
#define PERUN_CORE_FUZZ_SEARCH_H

#include <pthread.h>
#include <stdatomic.h>

#include <perun/lib/fuzz.h>

#include "core/fuzz/rules.h"
#include "core/fuzz/target.h"

/* An input that was kept. It does not change and does not move. */
struct fuzz_entry {
	char *bytes;
	size_t size;
	unsigned contents;
	uint64_t cost;
	double seconds, ratio;
	bool hung, by_time;
	size_t hot;    /* the edge that was met most often */
	char *history; /* names of rules, the last one first */
};

/* The most that an edge was met, and by whom. */
struct fuzz_best {
	_Atomic uint64_t count;
	size_t entry;
};

/* The dearest input with its hot edge: `found` as the search met it, `entry` made smaller. */
struct fuzz_find {
	const struct fuzz_entry *found;
	struct fuzz_entry entry;
	struct fuzz_bytes
		input; /* that is run to examine it: as it was found, or smaller where that runs long */
	double seconds; /* that it runs */
	double until;   /* for all that is done with it */
	bool smallest;
	char *name;
	struct perun_fuzz_growth growth, usual_growth;
	struct perun_verdict verdict;
	struct perun_fuzz_edge *edges;
	size_t edge_count;
};

/* What an input of some length is expected to cost: a start and a slope, which grows with the logarithm of long ones. */
struct fuzz_expectation {
	double cost, cost_per_byte, seconds, seconds_per_byte;
	size_t size; /* of the largest seed: the slope is its */
};

struct perun_fuzz {
	struct perun_fuzz_options options; /* defaults filled in */
	struct fuzz_program program;
	struct fuzz_rules rules; /* with what all workers tried, at the end */
	enum fuzz_counting counting;
	double start, search_deadline, deadline;
	struct fuzz_expectation expectation;

	pthread_mutex_t lock; /* of all that follows, but for what is atomic */
	struct fuzz_entry **entries;
	size_t count, capacity;
	size_t seeds; /* the first ones */
	struct fuzz_best *best;
	size_t all_edges;
	bool is_hashed;
	_Atomic size_t edges; /* that were met */
	_Atomic uint64_t runs;
	double best_ratio;
	size_t best_entries[8], best_count; /* the dearest for their lengths */
	const struct fuzz_entry **slow;     /* the dearest of each hot edge */
	size_t slow_count, slow_capacity;
	uint64_t *endings; /* hashes of the edges of crashes and hangs */
	size_t ending_count, ending_capacity, crashes, hangs;
	struct perun_fuzz_moment *moments;
	size_t moment_count, moment_capacity;

	struct fuzz_find *finds;
	size_t find_count;
	struct perun_fuzz_find *public_finds;
	struct perun_fuzz_rule *public_rules;
	struct perun_fuzz_result result;
};

double fuzz_expected_cost(const struct perun_fuzz *search, size_t size);
/* The ratio of a run by its cost, or by its time where `by_time`. */
double fuzz_ratio(const struct perun_fuzz *search, const struct fuzz_run *run, size_t size,
		  bool by_time);

/* inputs.c: what is kept. Both are called by any worker. */
/* Judge a run: keep the input if it is worth it. True = it was kept. */
int fuzz_inputs_judge(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		      struct fuzz_bytes input, const struct fuzz_run *run,
		      const struct fuzz_entry *parent, const char *rule, bool *kept);
/* One to change. */
const struct fuzz_entry *fuzz_inputs_choose(struct perun_fuzz *search, struct fuzz_random *random);
void fuzz_inputs_free(struct perun_fuzz *search);

/* work.c: the search itself, until search->search_deadline. */
int fuzz_work(struct perun_ctx *ctx, struct perun_fuzz *search);

/* long-seeds.c: seeds repeated until they are long, before the search. */
int fuzz_try_long_seeds(struct perun_ctx *ctx, struct perun_fuzz *search,
			struct fuzz_target *target);

/* finds.c: choose the finds, measure how they grow, compare them, make them smaller, until search->deadline. */
int fuzz_finds_examine(struct perun_ctx *ctx, struct perun_fuzz *search);
void fuzz_finds_free(struct perun_fuzz *search);

/* A ratio that leaves no doubt. */
#define FUZZ_ENOUGH 100.0
/* minimize.c: leave out what the ratio does not need, nor a ratio of `enough`. */
int fuzz_minimize(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		  struct fuzz_find *find, double enough);
/* growth.c: how costs grow with length, of the find and of the first seed. */
int fuzz_measure_growth(struct perun_ctx *ctx, struct perun_fuzz *search,
			struct fuzz_target *target, struct fuzz_find *find);
/* An input repeated to a length, instead of what was in `out`. */
void fuzz_repeat(const struct fuzz_entry *entry, size_t size, struct perun_buffer *out);

#endif
