/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of an interleaved comparison share. */
#ifndef PERUN_CORE_INTERLEAVE_INTERLEAVE_H
#define PERUN_CORE_INTERLEAVE_INTERLEAVE_H

#include <perun/lib/interleave.h>
#include <perun/lib/program.h>

struct perun_interleave {
	char *const *argv;
	char *shell[4];           /* /bin/sh -c COMMAND, which argv is then */
	const char **words;       /* for the collector, ended by NULL */
	const char **environment; /* the first place is for the padding of each run */
	const char **given;       /* those of the caller alone */
	const char *collector, *sampler;
	struct perun_interleave_facts facts;
	char *command;                /* of the facts */
	struct perun_scratch scratch; /* a directory for the collector's files */
	size_t warmup;
	size_t longest;  /* pairs of a session that is short */
	uint64_t random; /* state of the generator */
	const char *limit_option;
	size_t word_count;  /* without the limit of runs */
	double longest_run; /* in seconds, so far */
	char run_limit[32]; /* one of `words` */
	/* Arrays of one that was read from a document, whose texts they borrow; NULL = it was not. */
	char **own_argv;
	const char **own_words, **own_environment;
};

/* Compare the values of a session. */
void interleave_judge(const struct perun_interleave *interleave,
		      struct perun_interleave_session *session);
/* Whether the metric is inconclusive, but the second one shows a change. */
bool interleave_is_turned(const struct perun_interleave *interleave,
			  const struct perun_interleave_session *session);
/* What follows from sessions that were judged; whether the first one `turned` to the second metric. */
void interleave_conclude(struct perun_interleave *interleave,
			 struct perun_interleave_result *result, bool turned);

#endif
