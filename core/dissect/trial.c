/* SPDX-License-Identifier: BSD-3-Clause */
/* One trial: the parent with some of the changes, built and run between parent and commit. */
#include <config.h>

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/context/clock.h"
#include "core/dissect/dissect.h"

#define MAX_BUILDS 100
/* Seconds that the runs of a trial take at most, unless there is a budget. */
#define LONGEST 15.0
/*
 * What is that many slowdowns away from both ends, for sure, is another program: one that fails, and ends early or tries
 * again, where the changes that it lacks would let it pass. Changes that undo each other are less far.
 */
#define BROKEN_SHARE 10.0
/* What `git bisect run` takes for "this one cannot be tested". */
enum { UNTESTABLE = 125 };

/* ---- what is known --------------------------------------------------------------------------- */

static bool is_same_set(const struct perun_dissect *search, const bool *one, const bool *other)
{
	return memcmp(one, other, search->changes.count * sizeof *one) == 0;
}

/* Whether a trial answers the question: its share is on one side for sure and as precise as asked, or it is not resolved. */
static bool answers(const struct perun_dissect *search, const struct kept_trial *kept, bool precise)
{
	const struct perun_dissect_trial *trial = &kept->trial;

	return trial->answer == PERUN_DISSECT_UNRESOLVED ||
	       ((fabs(trial->share - search->wanted) >= trial->uncertain ||
		 trial->uncertain <= MEASURE_EQUAL) &&
		(!precise || kept->precise || trial->uncertain <= MEASURE_PRECISE));
}

struct kept_trial *trial_find(struct perun_dissect *search, const bool *set)
{
	for (size_t i = 0; i < search->trial_count; i++) {
		if (is_same_set(search, search->trials[i].set, set))
			return &search->trials[i];
	}
	return NULL;
}

/* One that was built to the same program. */
static const struct kept_trial *find_code(const struct perun_dissect *search,
					  const struct kept_trial *kept, bool precise)
{
	for (size_t i = 0; kept->coded && i < search->trial_count; i++) {
		const struct kept_trial *other = &search->trials[i];

		if (other != kept && other->coded && answers(search, other, precise) &&
		    other->trial.answer != PERUN_DISSECT_UNRESOLVED &&
		    memcmp(other->code, kept->code, CODE_BYTES) == 0)
			return other;
	}
	return NULL;
}

struct kept_trial *trial_add(struct perun_dissect *search, const bool *set)
{
	struct kept_trial *kept;

	PERUN_GROW(search->trials, search->trial_count, search->trial_capacity);
	kept = &search->trials[search->trial_count++];
	*kept = (struct kept_trial){.set = perun_memdup(set, search->changes.count + 1),
				    .trial = {.struct_size = sizeof kept->trial, .share = NAN}};
	for (size_t i = 0; i < search->changes.count; i++)
		kept->trial.changes += set[i];
	return kept;
}

/* ---- building -------------------------------------------------------------------------------- */

static void unresolved(struct kept_trial *kept, const char *reason)
{
	kept->trial.answer = PERUN_DISSECT_UNRESOLVED;
	perun_free((char *)kept->trial.reason);
	kept->trial.reason = perun_strdup(reason);
}

/* What a failed build says, in changes that go together. */
static void learn(struct perun_dissect *search, const bool *set, const char *log)
{
	struct perun_buffer text = {0};

	if (perun_path_read(log, &text) == 0)
		needs_learn(&search->changes, set, text.data, &search->needs);
	perun_buffer_free(&text);
}

static int build(struct perun_ctx *ctx, struct perun_dissect *search, struct kept_trial *kept,
		 bool *failed)
{
	struct made made;
	int status;

	kept->trial.number = ++search->tried;
	if (!ahead_take(ctx, search, kept->set, &status, &made))
		status = tree_make(ctx, search, search->builds, search->tree, kept->set, &made);
	search->facts.builds += !made.kept;
	kept->trial.kept = made.kept;
	*failed = made.failed;
	if (status == PERUN_INPUT && made.failed) {
		learn(search, kept->set, made.log);
		unresolved(kept, "it does not build");
		perun_ctx_clear(ctx);
		status = PERUN_OK;
	}
	perun_free(made.log);
	return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static int test(struct perun_ctx *ctx, struct perun_dissect *search, struct kept_trial *kept)
{
	struct perun_shell shell = {.command = search->options.test,
				    .directory = perun_build_directory(search->tree->build),
				    .log = -1};
	int code = 0, status;

	if (!search->options.test)
		return PERUN_OK;
	status = perun_shell_run(ctx, &shell, &code);
	if (!status && code)
		unresolved(kept, code == UNTESTABLE ? "the test skips it" : "the test fails");
	return status;
}

static int run(struct perun_ctx *ctx, struct perun_dissect *search, struct kept_trial *kept,
	       bool precise)
{
	const char *const directories[3] = {perun_build_directory(search->base),
					    perun_build_directory(search->head),
					    perun_build_directory(search->tree->build)};
	struct position position = {0};
	int status;

	ahead_start(search, kept->set);
	perun_interleave_limit_runs(search->interleave, BROKEN_SHARE);
	status = measure_position(ctx, search->interleave, directories, &search->scale,
				  search->wanted, precise,
				  fmin(clock_now() + LONGEST, search->deadline), &position);

	if (status == PERUN_INPUT && !perun_cancelled(ctx)) {
		unresolved(kept, "it does not run");
		perun_ctx_clear(ctx);
		return PERUN_OK;
	}
	kept->trial.identical = false;
	kept->trial.rounds = position.rounds;
	kept->trial.share = position.share;
	kept->trial.uncertain = position.uncertain;
	search->facts.runs += position.runs;
	if (!status && fabs(position.share) - position.uncertain > BROKEN_SHARE)
		unresolved(kept, position.share > 0 ? "it is far slower than the commit"
						    : "it is far faster than the parent");
	return status;
}

static int make(struct perun_ctx *ctx, struct perun_dissect *search, struct kept_trial *kept,
		bool precise)
{
	const struct kept_trial *same;
	bool failed;
	int status = build(ctx, search, kept, &failed);

	if (!status && !failed)
		status = test(ctx, search, kept);
	if (status || kept->trial.reason)
		return status;
	kept->coded = code_read(search, search->tree->root, kept->code);
	same = find_code(search, kept, precise);
	kept->precise = precise;
	if (!same)
		return run(ctx, search, kept, precise);
	kept->trial.identical = true;
	kept->trial.share = same->trial.share;
	kept->trial.uncertain = same->trial.uncertain;
	return PERUN_OK;
}

/* Whether there may be another build. */
static int check_limits(struct perun_ctx *ctx, const struct perun_dissect *search)
{
	size_t most = search->options.max_builds ? search->options.max_builds : MAX_BUILDS;

	if (perun_cancelled(ctx))
		return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	if (clock_now() >= search->deadline)
		return perun_fail(ctx, PERUN_NOT_COMPARED, "the budget of %g s is used up",
				  search->options.budget);
	if (search->tried >= most)
		return perun_fail(ctx, PERUN_NOT_COMPARED, "%zu builds were not enough", most);
	return PERUN_OK;
}

/* What is asked for a set that was not tried: that there is one, unless it is the one that is supposed. */
static int ask(struct perun_ctx *ctx, struct perun_dissect *search, const bool *set,
	       const struct perun_dissect_trial **trial)
{
	struct oracle *oracle = (struct oracle *)search->asked;
	struct kept_trial *kept;

	if (!is_same_set(search, oracle->set, set)) {
		memcpy(oracle->next, set, search->changes.count * sizeof *set);
		oracle->found = true;
		return perun_fail(ctx, PERUN_NOT_COMPARED, "not known");
	}
	kept = trial_add(search, set);
	kept->trial.share = oracle->answer == PERUN_DISSECT_SLOW;
	kept->trial.answer = oracle->answer;
	*trial = &kept->trial;
	return PERUN_OK;
}

static int try_anew(struct perun_ctx *ctx, struct perun_dissect *search, struct kept_trial *kept,
		    bool precise)
{
	int status = make(ctx, search, kept, precise);

	if (status)
		return status;
	search->left -= search->left > 0;
	kept->trial.left = search->left;
	if (kept->trial.answer != PERUN_DISSECT_UNRESOLVED)
		kept->trial.answer = kept->trial.share > search->wanted ? PERUN_DISSECT_SLOW
									: PERUN_DISSECT_FAST;
	kept_save(search);
	if (search->options.tried)
		search->options.tried(search->options.data, &kept->trial);
	return PERUN_OK;
}

int trial_make(struct perun_ctx *ctx, struct perun_dissect *search, const bool *set, bool precise,
	       const struct perun_dissect_trial **trial)
{
	struct kept_trial *kept = trial_find(search, set);
	int status = PERUN_OK;

	*trial = NULL;
	if (search->asked && (!kept || !answers(search, kept, precise)))
		return ask(ctx, search, set, trial);
	if (!kept || !answers(search, kept, precise)) {
		status = check_limits(ctx, search);
		if (status == PERUN_NOT_COMPARED && kept && answers(search, kept, false)) {
			perun_ctx_clear(ctx);
			*trial = &kept->trial;
			return PERUN_OK;
		}
		if (status)
			return status;
		if (!kept)
			kept = trial_add(search, set);
		status = try_anew(ctx, search, kept, precise);
	} else if (kept->trial.answer != PERUN_DISSECT_UNRESOLVED) {
		kept->trial.answer = kept->trial.share > search->wanted ? PERUN_DISSECT_SLOW
									: PERUN_DISSECT_FAST;
	}
	*trial = &kept->trial;
	return status;
}
