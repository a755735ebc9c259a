/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the commit that made a program slower, by building versions and running them alternately
 * with a good one. Of the growing part of the interface: see perun/lib/version.h.
 *
 * Threads: a search and what it was made with belong to one thread at a time.
 */
#ifndef PERUN_LIB_BISECT_H
#define PERUN_LIB_BISECT_H

#include <perun/lib/interleave.h>
#include <perun/lib/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A version between the good and the bad one. Its texts are the search's. */
struct perun_bisect_commit {
	uint32_t struct_size;
	const char *checksum, *subject;
	bool suspect; /* it may have brought the change */
};

enum perun_bisect_answer {
	PERUN_BISECT_FAST,   /* as fast as the good version */
	PERUN_BISECT_SLOW,   /* as slow as the bad one, or slower than the good one for sure */
	PERUN_BISECT_OPEN,   /* undecided */
	PERUN_BISECT_UNBUILT /* it does not build, or not run */
};

/* A commit that was tried. */
struct perun_bisect_step {
	uint32_t struct_size;
	const struct perun_bisect_commit *commit;
	enum perun_bisect_answer answer;
	size_t pairs; /* runs of it, and of the good version */
	double rate;  /* its median, divided by that of the good version; NAN = it did not run */
};

struct perun_bisect;

/*
 * Prepare a search between two versions (checksums), which are built. `builds` and `interleave` are borrowed
 * until it is freed. PERUN_USAGE when there is no commit between them. Free with perun_bisect_free(), which
 * takes NULL, too.
 */
PERUN_EXPORT int perun_bisect_new(struct perun_ctx *ctx, struct perun_store *store,
				  struct perun_builds *builds, struct perun_interleave *interleave,
				  const char *good, const char *bad, struct perun_bisect **bisect);
PERUN_EXPORT void perun_bisect_free(struct perun_bisect *bisect);
/*
 * Compare the two versions, before the first step. There is something to search for if the answer is
 * PERUN_VERDICT_INCREASE. `*result` is the search's.
 */
PERUN_EXPORT int perun_bisect_compare(struct perun_ctx *ctx, struct perun_bisect *bisect,
				      const struct perun_interleave_result **result);
/*
 * Try the commit that says most. One that does not build or run is warned about. `*step`, the search's, is
 * NULL when no further one says more: then the suspects are what was found.
 */
PERUN_EXPORT int perun_bisect_next(struct perun_ctx *ctx, struct perun_bisect *bisect,
				   const struct perun_bisect_step **step);
/* The commits between the two versions, children first; valid as long as the search. */
PERUN_EXPORT size_t perun_bisect_commits(const struct perun_bisect *bisect);
PERUN_EXPORT const struct perun_bisect_commit *
perun_bisect_commit(const struct perun_bisect *bisect, size_t i);
/* The steps so far; a step stays valid until the next one. */
PERUN_EXPORT size_t perun_bisect_steps(const struct perun_bisect *bisect);
PERUN_EXPORT const struct perun_bisect_step *perun_bisect_step(const struct perun_bisect *bisect,
							       size_t i);

#ifdef __cplusplus
}
#endif
#endif
