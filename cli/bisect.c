/* SPDX-License-Identifier: BSD-3-Clause */
/* perun bisect: which commit made a program slower, in as few runs as the noise allows. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/vcs.h>

#include "cli/bisect.h"
#include "cli/measure.h"
#include "commands/common/interleave-options.h"

/* A version is told wrongly with this probability at most, all steps together. */
#define ERROR 0.01
/* The deviation that is reckoned with is at least this share of the difference: */
#define LEAST_DEVIATION 0.5
#define LEAST_ROUNDS    3

const struct perun_option cli_bisect_options[] = {
	{.name = "good",
	 .metavar = "GOOD",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "a version that is fast"},
	{.name = "bad",
	 .metavar = "BAD",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "a version that is slower, and has the other among its ancestors"},
	{.name = "command",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE | PERUN_OPTION_REQUIRED,
	 .help = "the program and its arguments, behind --"},
	CLI_BUILD_OPTIONS,
	COMMANDS_INTERLEAVE_OPTIONS,
	{.name = "json", .help = "print JSON"},
	{0}};

/* ---- telling one version --------------------------------------------------------------------- */

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
 * (delta), or not at all: above 0 it is, and how far tells how sure that is. Each difference is cut off
 * there, so that runs which something else slowed down weigh no more than others; and the test does not
 * decide where most of the pairs say otherwise.
 */
static double weigh(const struct search *search, const struct perun_interleave_session *session)
{
	double *differences = make_differences(session), delta = search->delta, sum = 0;
	double median = perun_median(differences, session->count);
	double deviation =
		fmax(search->deviation,
		     PERUN_MAD_TO_SIGMA * perun_mad(differences, session->count, median));

	for (size_t i = 0; i < session->count; i++) {
		double difference = fmin(fmax(differences[i], 0), delta);

		sum += delta * (difference - delta / 2) / (deviation * deviation);
	}
	perun_free(differences);
	return (sum > 0) == (median > delta / 2) ? sum : 0;
}

/* Where the sequential test does not end, the version lies between: is it slower at all? */
static enum step_answer judge_between(const struct search *search,
				      const struct perun_interleave_session *session)
{
	struct perun_verdict_options options = {
		.struct_size = sizeof options,
		.threshold = perun_interleave_facts(search->interleave)->threshold,
		.paired = true};
	struct perun_verdict verdict;

	perun_judge(session->first.values[0], session->count, session->first.values[1],
		    session->count, &options, &verdict);
	if (verdict.answer == PERUN_VERDICT_INCREASE)
		return STEP_SLOW;
	return verdict.answer == PERUN_VERDICT_UNDECIDED ? STEP_OPEN : STEP_FAST;
}

static int tell_version(struct search *search, const char *directory, struct step *step)
{
	const char *const directories[2] = {perun_build_directory(search->good), directory};
	double wanted = log((1 - search->error) / search->error), sum = 0;
	size_t most = perun_interleave_facts(search->interleave)->max_pairs;
	struct perun_interleave_session session = {0};
	int status = PERUN_OK;

	while (!status && session.count < most &&
	       (session.count < LEAST_ROUNDS || fabs(sum) < wanted)) {
		status = perun_interleave_pairs(search->cli->ctx, search->interleave, directories,
						1, &session);
		sum = weigh(search, &session);
	}
	step->pairs = session.count;
	if (!status) {
		step->rate = perun_median(session.first.values[1], session.count) /
			     perun_median(session.first.values[0], session.count);
		step->answer = fabs(sum) < wanted ? judge_between(search, &session)
			       : sum > 0          ? STEP_SLOW
						  : STEP_FAST;
	}
	perun_interleave_session_free(&session);
	return status;
}

/* Build and run a version; one that does not build, or not run, is no failure. */
static int try_version(struct search *search, size_t candidate, struct step *step)
{
	struct perun_ctx *ctx = search->cli->ctx;
	struct perun_build *build;
	bool unbuilt;
	int status;

	*step = (struct step){.commit = candidate, .answer = STEP_UNBUILT, .rate = NAN};
	status = perun_build_open(ctx, search->builds, search->commits[candidate].checksum, &build,
				  &unbuilt);
	if (status && !unbuilt)
		return status;
	if (!status)
		status = tell_version(search, perun_build_directory(build), step);
	perun_build_close(build);
	if (status == PERUN_CANCELLED || cli_interrupted())
		return PERUN_CANCELLED;
	if (status) {
		step->answer = STEP_UNBUILT;
		perun_warn(ctx, "%.8s is skipped: %s", search->commits[candidate].checksum,
			   perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
	}
	return PERUN_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

static int run_steps(struct search *search)
{
	size_t next;
	int status = PERUN_OK;

	while (!status && cli_bisect_next(search, &next)) {
		struct step step;

		status = try_version(search, next, &step);
		if (status)
			break;
		PERUN_GROW(search->steps, search->step_count, search->step_capacity);
		search->steps[search->step_count++] = step;
		if (!search->json)
			cli_bisect_print_step(search, &step);
		cli_bisect_take(search, &step);
	}
	return status;
}

/* The difference that is searched for is that of the last session, its noise that of all. */
static void measure_ends(struct search *search)
{
	const struct perun_interleave_session *session =
		&search->ends.sessions[search->ends.count - 1];
	double *differences = make_differences(session);

	search->delta = perun_median(differences, session->count);
	if (!(search->delta > 0))
		search->delta = session->first.verdict.shift / session->first.verdict.after;
	search->deviation = LEAST_DEVIATION * search->delta;
	perun_free(differences);
	for (size_t i = 0; i < search->ends.count; i++) {
		size_t count = search->ends.sessions[i].count;

		differences = make_differences(&search->ends.sessions[i]);
		search->deviation =
			fmax(search->deviation,
			     PERUN_MAD_TO_SIGMA * perun_mad(differences, count,
							    perun_median(differences, count)));
		perun_free(differences);
	}
}

/* How far GOOD and BAD are apart, and whether that is sure. */
static int compare_ends(struct search *search)
{
	const char *const directories[2] = {perun_build_directory(search->good),
					    perun_build_directory(search->bad)};
	double wanted;
	int status = perun_interleave_compare(search->cli->ctx, search->interleave, directories,
					      &search->ends);

	if (status)
		return status;
	if (!search->json)
		cli_fair_print(search->cli, search->interleave, &search->ends);
	if (search->ends.answer != PERUN_VERDICT_INCREASE)
		return perun_fail(search->cli->ctx, PERUN_INPUT,
				  "%.8s is not slower than %.8s, as far as can be told: there is "
				  "nothing to search for",
				  perun_build_version(search->bad),
				  perun_build_version(search->good));
	/* What tells these two apart tells the others. */
	perun_interleave_drop_second(search->interleave);
	measure_ends(search);
	wanted = fmax(ceil(log2((double)search->count + 1)), 1);
	search->error = ERROR / wanted;
	return PERUN_OK;
}

static int open_ends(struct search *search)
{
	static const char *const names[] = {"good", "bad"};
	struct perun_build **builds[] = {&search->good, &search->bad};
	char *minors[2] = {NULL, NULL};
	int status = PERUN_OK;

	for (int i = 0; !status && i < 2; i++)
		status = cli_minor(search->cli, perun_option_string(search->options, names[i]),
				   &minors[i]);
	if (!status)
		status = cli_bisect_load(search, minors[0], minors[1]);
	for (int i = 0; !status && i < 2; i++)
		status = perun_build_open(search->cli->ctx, search->builds, minors[i], builds[i],
					  NULL);
	perun_free(minors[0]);
	perun_free(minors[1]);
	return status;
}

static int start_runs(struct search *search, const char **words)
{
	return commands_interleave_new(search->cli->ctx, search->options, (char *const *)words,
				       &search->interleave);
}

int cli_bisect(struct cli *cli, const struct cli_call *call)
{
	const char **words = cli_strings(call->options, "command");
	struct search search = {.cli = cli,
				.options = call->options,
				.json = perun_option_flag(call->options, "json")};
	const struct perun_builds_options how = {
		.struct_size = sizeof how,
		.command = perun_option_string(call->options, "build"),
		.again = perun_option_flag(call->options, "rebuild"),
		.listener = {cli_run_event, cli}};
	int status = cli_open_vcs(cli, &search.vcs);

	if (!status)
		status = perun_builds_new(cli->ctx, cli->store, &how, &search.builds);
	if (!status)
		status = start_runs(&search, words);
	if (!status)
		status = open_ends(&search);
	if (!status)
		status = compare_ends(&search);
	if (!status)
		status = run_steps(&search);
	if (!status)
		cli_bisect_tell(&search);
	cli_bisect_free(&search);
	perun_interleave_result_free(&search.ends);
	perun_interleave_free(search.interleave);
	perun_build_close(search.good);
	perun_build_close(search.bad);
	perun_builds_free(search.builds);
	perun_free(words);
	return status;
}
