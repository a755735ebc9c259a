/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program in two directories, such as two versions of it, run alternately in random order until the
 * difference is clear. Of the growing part of the interface: see perun/lib/version.h.
 *
 * Threads: an interleave belongs to one thread at a time.
 */
#ifndef PERUN_LIB_INTERLEAVE_H
#define PERUN_LIB_INTERLEAVE_H

#include <perun/json.h>
#include <perun/lib/verdict.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How runs are measured and how many there are. Members that are 0 have the values in parentheses. */
struct perun_interleave_options {
	uint32_t struct_size;
	/*
	 * What of each run is compared: real, user, sys, cpu (user and sys together), max_rss,
	 * instructions or cycles. NULL: real; and cpu as the second metric, which counts where noise hides
	 * a change of the first.
	 */
	const char *metric;
	/* Who measures the runs: a collector with the operation once() (perun/collect.h), such as time. Required. */
	const char *collector;
	const char *sampler;      /* and who samples them, for perun_interleave_sample() (none) */
	const char *const *words; /* further words for both, ended by NULL (none) */
	size_t warmup;            /* runs of each side before those that count */
	size_t pairs;             /* of a session at first (20) */
	size_t max_pairs; /* where fewer are inconclusive (8 * pairs, or what `budget` allows) */
	/*
	 * Seconds that perun_interleave_compare() may take, with both sessions; only one pair of each session
	 * is run in any case. 0: none, and without `max_pairs` a session goes on while it is shorter than 30 s.
	 */
	double budget;
	double threshold; /* the smallest change that counts, as a share */
	bool seeded;      /* the order follows from `seed`, not from a new one each time */
	uint64_t seed;
	const char *const *environment; /* "NAME=VALUE" to add, ended by NULL (none) */
	bool shell; /* the words of `argv`, joined by blanks, are a command line of /bin/sh */
	/* The collector's option that ends a run after a number of seconds, for perun_interleave_limit_runs() (none). */
	const char *limit_option;
};

struct perun_interleave;

/*
 * Prepare to run `argv` (ends with NULL; borrowed like the texts of `options` until it is freed). Makes a
 * directory for temporary files. Free it with perun_interleave_free(), which takes NULL, too.
 */
PERUN_EXPORT int perun_interleave_new(struct perun_ctx *ctx, char *const *argv,
				      const struct perun_interleave_options *options,
				      struct perun_interleave **interleave);
PERUN_EXPORT void perun_interleave_free(struct perun_interleave *interleave);

/* What is measured and how, with the values that are taken for 0. */
struct perun_interleave_facts {
	uint32_t struct_size;
	const char *command; /* the program and its arguments in one line */
	const char *metric;
	const char *second; /* the second metric; NULL = none */
	size_t pairs, max_pairs;
	double threshold;
	uint64_t seed;
	double budget; /* 0 = none */
};
/* Borrowed; `metric` and `second` change where perun_interleave_compare() says so. */
PERUN_EXPORT const struct perun_interleave_facts *
perun_interleave_facts(const struct perun_interleave *interleave);
/* Measure the first metric only from now on. */
PERUN_EXPORT void perun_interleave_drop_second(struct perun_interleave *interleave);
/* Comparisons take this number of seconds at most from now on; 0 = any. */
PERUN_EXPORT void perun_interleave_limit(struct perun_interleave *interleave, double seconds);

/*
 * From now on a run that takes this number of times as long as the longest so far, and a second more, is killed and
 * fails. Does nothing without `limit_option`.
 */
PERUN_EXPORT void perun_interleave_limit_runs(struct perun_interleave *interleave, double times);

/* Values of a metric: value i of both sides was measured one right after the other. */
struct perun_interleave_series {
	double *values[2];
	size_t block; /* neighbouring pairs whose medians were compared; 0 = not compared yet */
	struct perun_verdict verdict;
};

/* {0} is an empty one. */
struct perun_interleave_session {
	struct perun_interleave_series first, second; /* of the metric, and of the second one */
	size_t count, capacity;                       /* pairs */
	double level;                                 /* p below which a change was reported */
};

/*
 * Run `count` more pairs in both directories, the order of each pair drawn; warm-up runs first if the
 * session is empty. What was measured before a failure stays in the session.
 */
PERUN_EXPORT int perun_interleave_pairs(struct perun_ctx *ctx, struct perun_interleave *interleave,
					const char *const directories[2], size_t count,
					struct perun_interleave_session *session);
/*
 * Run the program once in each of `count` directories, up to 8, in an order that is drawn. `values` and `seconds` have
 * room for `count`; `seconds`, of the second metric, is not changed where there is none.
 */
PERUN_EXPORT int perun_interleave_round(struct perun_ctx *ctx, struct perun_interleave *interleave,
					const char *const *directories, size_t count,
					double *values, double *seconds);
/*
 * Run the program once in a directory with the sampler: where it spends its time. Fails where this machine cannot
 * sample, and where `words` are not for it. `*profile` is a new reference.
 */
PERUN_EXPORT int perun_interleave_sample(struct perun_ctx *ctx, struct perun_interleave *interleave,
					 const char *directory, struct perun_profile **profile);
PERUN_EXPORT void perun_interleave_session_free(struct perun_interleave_session *session);

/* What one session says, or two together. */
struct perun_interleave_result {
	struct perun_interleave_session sessions[2];
	size_t count;             /* sessions */
	bool turned;              /* noise hid the metric: the second one has taken its place */
	enum perun_answer answer; /* a change only where both sessions report it */
	bool unconfirmed;         /* the first session reported a change, the second did not */
};
/*
 * Compare the programs in two directories; a change is measured again in a second session, which has to
 * report the same. Where only the second metric shows one, the two change places, in `interleave` as well.
 * Free the result with perun_interleave_result_free(), also after a failure.
 */
PERUN_EXPORT int perun_interleave_compare(struct perun_ctx *ctx,
					  struct perun_interleave *interleave,
					  const char *const directories[2],
					  struct perun_interleave_result *result);
PERUN_EXPORT void perun_interleave_result_free(struct perun_interleave_result *result);
/* What the sessions say together of the first or the second metric: a change only where each reports it. */
PERUN_EXPORT enum perun_answer perun_interleave_agreed(const struct perun_interleave_result *result,
						       bool second);

/*
 * A comparison that another process runs, maybe elsewhere: what is to be run as a document, for which that process makes an
 * interleave; after perun_interleave_compare() the values that it measured; and, of an interleave from the same document,
 * the result that follows from them. The documents are the caller's, and are borrowed as long as an interleave is used.
 */
PERUN_EXPORT struct perun_json *
perun_interleave_document(char *const *argv, const struct perun_interleave_options *options);
PERUN_EXPORT int perun_interleave_of_document(struct perun_ctx *ctx,
					      const struct perun_json *document,
					      struct perun_interleave **interleave);
PERUN_EXPORT struct perun_json *
perun_interleave_values(const struct perun_interleave *interleave,
			const struct perun_interleave_result *result);
PERUN_EXPORT int perun_interleave_conclude(struct perun_ctx *ctx,
					   struct perun_interleave *interleave,
					   const struct perun_json *values,
					   struct perun_interleave_result *result);
/* "s", "B" or "": the unit of a metric. */
PERUN_EXPORT const char *perun_interleave_unit(const char *metric);

#ifdef __cplusplus
}
#endif
#endif
