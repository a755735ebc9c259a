/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds that are made ahead while a program runs: what may be tried next, in trees of their own. */
#include <config.h>

#include <string.h>

#include "core/context/context.h"
#include "core/dissect/dissect.h"

/* One tree, and the thread that builds in it. */
struct job {
	const struct perun_dissect *search;
	struct workspace *tree;
	bool *set;
	bool busy; /* there is a thread, or a result that nobody took */
	struct perun_thread thread;
	struct perun_builds builds; /* without a listener, which belongs to another thread */
	int status;
	struct made made;
};

struct ahead {
	struct job *jobs;
	size_t count;
};

int ahead_new(struct perun_ctx *ctx, struct perun_dissect *search, const char *base,
	      struct ahead **made)
{
	struct ahead *ahead = NULL;
	int status = PERUN_OK;

	if (search->options.jobs) {
		ahead = perun_alloc_zero(1, sizeof *ahead);
		ahead->jobs = perun_alloc_zero(search->options.jobs, sizeof *ahead->jobs);
	}
	for (size_t i = 0; !status && i < search->options.jobs; i++) {
		char *name = perun_format("lines-%zu", i + 2);
		struct job *job = &ahead->jobs[ahead->count++];

		job->search = search;
		job->set = perun_alloc_zero(search->changes.count + 1, sizeof *job->set);
		status = tree_open(ctx, search, base, name, &job->tree);
		perun_free(name);
	}
	*made = ahead;
	return status;
}

static void finish(struct job *job)
{
	if (job->busy)
		perun_thread_join(&job->thread);
	job->busy = false;
}

void ahead_free(struct perun_dissect *search)
{
	struct ahead *ahead = search->ahead;

	for (size_t i = 0; ahead && i < ahead->count; i++) {
		struct job *job = &ahead->jobs[i];

		finish(job);
		tree_close(job->tree);
		perun_free(job->set);
		perun_free(job->made.log);
	}
	if (ahead)
		perun_free(ahead->jobs);
	perun_free(ahead);
	search->ahead = NULL;
}

static void build(void *data)
{
	struct job *job = data;
	struct perun_ctx *quiet = perun_ctx_new(NULL);

	job->status = tree_make(quiet, job->search, &job->builds, job->tree, job->set, &job->made);
	perun_ctx_free(quiet);
}

/* The set that is tried after one that turns out so; false where the search is over then. */
static bool predict(const struct perun_dissect *search, const bool *set,
		    enum perun_dissect_answer answer, bool *next)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_dissect copy = *search;
	size_t count = search->changes.count;
	struct oracle oracle = {.set = set, .answer = answer, .next = next};

	copy.asked = &oracle;
	needs_copy(&search->needs, &copy.needs);
	copy.changes.items =
		perun_memdup(search->changes.items, (count + 1) * sizeof *search->changes.items);
	copy.trials = perun_memdup(search->trials, search->trial_count * sizeof *search->trials);
	copy.trial_capacity = search->trial_count;
	search_run(quiet, &copy);
	for (size_t i = search->trial_count; i < copy.trial_count; i++)
		perun_free(copy.trials[i].set);
	perun_free(copy.trials);
	perun_free(copy.changes.items);
	needs_free(&copy.needs);
	perun_ctx_free(quiet);
	return oracle.found;
}

static struct job *find_job(struct ahead *ahead, const bool *set)
{
	for (size_t i = 0; i < ahead->count; i++) {
		struct job *job = &ahead->jobs[i];

		if (job->busy &&
		    memcmp(job->set, set, job->search->changes.count * sizeof *set) == 0)
			return job;
	}
	return NULL;
}

void ahead_start(struct perun_dissect *search, const bool *set)
{
	static const enum perun_dissect_answer answers[] = {PERUN_DISSECT_SLOW, PERUN_DISSECT_FAST};
	struct ahead *ahead = search->ahead;
	size_t count = search->changes.count, started = 0;
	bool *next = perun_alloc_zero(count + 1, sizeof *next);

	for (size_t i = 0; ahead && i < 2 && started < ahead->count; i++) {
		struct job *job = &ahead->jobs[started];

		if (!predict(search, set, answers[i], next) || find_job(ahead, next))
			continue;
		finish(job);
		perun_free(job->made.log);
		job->made.log = NULL;
		memcpy(job->set, next, count * sizeof *next);
		job->builds = *search->builds;
		job->builds.listener = (struct perun_run_listener){0};
		job->busy = perun_thread_start(&job->thread, build, job);
		started++;
	}
	perun_free(next);
}

bool ahead_take(struct perun_ctx *ctx, struct perun_dissect *search, const bool *set, int *status,
		struct made *made)
{
	struct job *job = search->ahead ? find_job(search->ahead, set) : NULL;
	struct workspace *tree = search->tree;

	if (!job)
		return false;
	finish(job);
	search->tree = job->tree;
	job->tree = tree;
	*status = job->status;
	*made = job->made;
	job->made.log = NULL;
	if (*status)
		perun_fail(ctx, *status, "a build failed");
	return true;
}
