/* SPDX-License-Identifier: BSD-3-Clause */
/* Which commit made a program slower, in as few runs as the noise allows. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/interleave/bisect.h"
#include "core/context/clock.h"

/* The probability that any version is judged wrongly, all steps together. */
#define ERROR 0.01
/* The deviation that is reckoned with is at least this share of the difference: */
#define MIN_DEVIATION 0.5
#define MIN_ROUNDS    3

/* ---- judging one version --------------------------------------------------------------------- */

/*
 * Differences of the two runs of each pair, as shares of their mean: other work on the machine makes both
 * longer by about the same share. The caller frees them.
 */
static double *make_differences(const struct perun_interleave_session *session)
{
	double *differences = perun_alloc_zero(session->count + 1, sizeof *differences);

	for (size_t i = 0; i < session->count; i++) {
		double good = session->first.values[0][i], other = session->first.values[1][i];
		double mean = (fabs(good) + fabs(other)) / 2;

		differences[i] = mean > 0 ? (other - good) / mean : 0;
	}
	return differences;
}

/*
 * Wald's sequential test (1945) of whether the version is as far from the good one as the bad one is
 * (delta), or not at all: above 0 it is, and how far says how sure that is. Each difference is cut off
 * there, so that runs which something else slowed down weigh no more than others; and the test does not
 * decide where most of the pairs say otherwise.
 */
static double weigh(const struct perun_bisect *bisect,
		    const struct perun_interleave_session *session)
{
	double *differences = make_differences(session), delta = bisect->delta, sum = 0;
	double median = perun_median(differences, session->count);
	double deviation =
		fmax(bisect->deviation,
		     PERUN_MAD_TO_SIGMA * perun_mad(differences, session->count, median));

	for (size_t i = 0; i < session->count; i++) {
		double difference = fmin(fmax(differences[i], 0), delta);

		sum += delta * (difference - delta / 2) / (deviation * deviation);
	}
	perun_free(differences);
	return (sum > 0) == (median > delta / 2) ? sum : 0;
}

/* Where the sequential test does not end, the version lies between: is it slower at all? */
static enum perun_bisect_answer judge_between(const struct perun_bisect *bisect,
					      const struct perun_interleave_session *session)
{
	struct perun_verdict_options options = {
		.struct_size = sizeof options,
		.strict = true,
		.threshold = perun_interleave_facts(bisect->interleave)->threshold,
		.paired = true};
	struct perun_verdict verdict;

	perun_judge(session->first.values[0], session->count, session->first.values[1],
		    session->count, &options, &verdict);
	if (verdict.answer == PERUN_VERDICT_INCREASE)
		return PERUN_BISECT_SLOW;
	return verdict.answer == PERUN_VERDICT_UNDECIDED ? PERUN_BISECT_OPEN : PERUN_BISECT_FAST;
}

static int judge_version(struct perun_ctx *ctx, struct perun_bisect *bisect, const char *directory,
			 struct perun_bisect_step *step)
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(bisect->interleave);
	const char *const directories[2] = {perun_build_directory(bisect->good), directory};
	double wanted = log((1 - bisect->error) / bisect->error), sum = 0, began = clock_now();
	struct perun_interleave_session session = {0};
	int status = PERUN_OK;

	while (!status && session.count < facts->max_pairs &&
	       (!session.count || !facts->budget || clock_now() - began < facts->budget) &&
	       (session.count < MIN_ROUNDS || fabs(sum) < wanted)) {
		status = perun_interleave_pairs(ctx, bisect->interleave, directories, 1, &session);
		sum = weigh(bisect, &session);
	}
	step->pairs = session.count;
	if (!status) {
		step->rate = perun_median(session.first.values[1], session.count) /
			     perun_median(session.first.values[0], session.count);
		step->answer = fabs(sum) < wanted ? judge_between(bisect, &session)
			       : sum > 0          ? PERUN_BISECT_SLOW
						  : PERUN_BISECT_FAST;
	}
	perun_interleave_session_free(&session);
	return status;
}

/* Build and run a version; one that does not build, or not run, is not a failure. */
static int try_version(struct perun_ctx *ctx, struct perun_bisect *bisect,
		       struct perun_bisect_step *step)
{
	struct perun_build *build;
	bool unbuilt;
	int status =
		perun_build_open(ctx, bisect->builds, step->commit->checksum, &build, &unbuilt);

	if (status && !unbuilt)
		return status;
	if (!status)
		status = judge_version(ctx, bisect, perun_build_directory(build), step);
	perun_build_close(build);
	if (status == PERUN_CANCELLED || perun_cancelled(ctx))
		return PERUN_CANCELLED;
	if (status) {
		step->answer = PERUN_BISECT_UNBUILT;
		perun_warn(ctx, "%.8s is skipped: %s", step->commit->checksum,
			   perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
	}
	return PERUN_OK;
}

int perun_bisect_next(struct perun_ctx *ctx, struct perun_bisect *bisect,
		      const struct perun_bisect_step **made)
{
	struct perun_bisect_step step = {
		.struct_size = sizeof step, .answer = PERUN_BISECT_UNBUILT, .rate = NAN};
	size_t next;
	int status;

	*made = NULL;
	if (!bisect_choose(bisect, &next))
		return PERUN_OK;
	step.commit = &bisect->commits[next].facts;
	status = try_version(ctx, bisect, &step);
	if (status)
		return status;
	bisect_narrow(bisect, next, step.answer);
	PERUN_GROW(bisect->steps, bisect->step_count, bisect->step_capacity);
	bisect->steps[bisect->step_count] = step;
	*made = &bisect->steps[bisect->step_count++];
	return PERUN_OK;
}

/* ---- the two ends ---------------------------------------------------------------------------- */

/* The difference that is searched for is that of the last session, its noise that of all. */
static void measure_ends(struct perun_bisect *bisect)
{
	const struct perun_interleave_session *session =
		&bisect->ends.sessions[bisect->ends.count - 1];
	double *differences = make_differences(session);

	bisect->delta = perun_median(differences, session->count);
	if (!(bisect->delta > 0))
		bisect->delta = session->first.verdict.shift / session->first.verdict.after;
	bisect->deviation = MIN_DEVIATION * bisect->delta;
	perun_free(differences);
	for (size_t i = 0; i < bisect->ends.count; i++) {
		size_t count = bisect->ends.sessions[i].count;

		differences = make_differences(&bisect->ends.sessions[i]);
		bisect->deviation =
			fmax(bisect->deviation,
			     PERUN_MAD_TO_SIGMA * perun_mad(differences, count,
							    perun_median(differences, count)));
		perun_free(differences);
	}
}

int perun_bisect_compare(struct perun_ctx *ctx, struct perun_bisect *bisect,
			 const struct perun_interleave_result **result)
{
	const char *const directories[2] = {perun_build_directory(bisect->good),
					    perun_build_directory(bisect->bad)};
	int status = perun_interleave_compare(ctx, bisect->interleave, directories, &bisect->ends);

	*result = &bisect->ends;
	if (status || bisect->ends.answer != PERUN_VERDICT_INCREASE)
		return status;
	/* What distinguishes these two distinguishes the others. */
	perun_interleave_drop_second(bisect->interleave);
	measure_ends(bisect);
	bisect->error = ERROR / fmax(ceil(log2((double)bisect->count + 1)), 1);
	return PERUN_OK;
}

/* ---- a search -------------------------------------------------------------------------------- */

int perun_bisect_new(struct perun_ctx *ctx, struct perun_store *store, struct perun_builds *builds,
		     struct perun_interleave *interleave, const char *good, const char *bad,
		     struct perun_bisect **made)
{
	struct perun_bisect *bisect = perun_alloc_zero(1, sizeof *bisect);
	struct perun_vcs *vcs;
	int status = perun_store_vcs(ctx, store, &vcs);

	bisect->builds = builds;
	bisect->interleave = interleave;
	if (!status)
		status = bisect_load(ctx, bisect, vcs, good, bad);
	if (!status)
		status = perun_build_open(ctx, builds, good, &bisect->good, NULL);
	if (!status)
		status = perun_build_open(ctx, builds, bad, &bisect->bad, NULL);
	if (status) {
		perun_bisect_free(bisect);
		bisect = NULL;
	}
	*made = bisect;
	return status;
}

void perun_bisect_free(struct perun_bisect *bisect)
{
	if (!bisect)
		return;
	for (size_t i = 0; i < bisect->count; i++) {
		perun_free((char *)bisect->commits[i].facts.checksum);
		perun_free((char *)bisect->commits[i].facts.subject);
		perun_free(bisect->commits[i].parents);
	}
	perun_free(bisect->commits);
	perun_free(bisect->steps);
	perun_interleave_result_free(&bisect->ends);
	perun_build_close(bisect->good);
	perun_build_close(bisect->bad);
	perun_free(bisect);
}

size_t perun_bisect_commits(const struct perun_bisect *bisect)
{
	return bisect->count;
}

const struct perun_bisect_commit *perun_bisect_commit(const struct perun_bisect *bisect, size_t i)
{
	return &bisect->commits[i].facts;
}

size_t perun_bisect_steps(const struct perun_bisect *bisect)
{
	return bisect->step_count;
}

const struct perun_bisect_step *perun_bisect_step(const struct perun_bisect *bisect, size_t i)
{
	return &bisect->steps[i];
}
