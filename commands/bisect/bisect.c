/* SPDX-License-Identifier: BSD-3-Clause */
/* perun bisect: which commit made a program slower. */
#include <config.h>

#include <perun/command.h>
#include <perun/lib/bisect.h>
#include <perun/lib/lookup.h>

#include "commands/bisect/bisect.h"
#include "commands/common/builds.h"
#include "commands/common/interleave-options.h"
#include "commands/common/interleave-print.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "views/common/bars.h"

static const struct perun_option options[] = {
	{.name = "good",
	 .metavar = "GOOD",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "a version that is fast"},
	{.name = "bad",
	 .metavar = "BAD",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "a version that is slower, and has the other among its ancestors"},
	{.name = "command",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the program and its arguments, after --"},
	{.name = "lines",
	 .help = "search the changes of one commit, GOOD (or of a range A..B), for those that made "
		 "it "
		 "slower"},
	{.name = "work-tree", .help = "with --lines: the changes of your work tree against HEAD"},
	{.name = "better", .help = "with --lines: what made it faster"},
	{.name = "test",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_STRING,
	 .help = "with --lines: leave out sets of changes where this command of the shell fails; "
		 "125 "
		 "says that one cannot be tested"},
	{.name = "patch",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "with --lines: write the reverse of the guilty changes as a patch"},
	{.name = "page",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "with --lines: write a page with the diff, the guilty lines marked"},
	{.name = "finest", .help = "with --lines: take guilty changes apart into single lines"},
	{.name = "resume", .help = "with --lines: go on with an interrupted search of the same"},
	{.name = "jobs",
	 .aliases = "-j",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "1",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 64,
	 .help = "with --lines: make N builds at a time, those to come while the program runs"},
	COMMANDS_BUILD_OPTIONS,
	COMMANDS_INTERLEAVE_OPTIONS,
	{.name = "json", .help = "print JSON"},
	{0}};

/* A search, and what it is made of. */
struct session {
	const struct perun_command_call *call;
	const char *versions[2]; /* checksums: good, bad */
	struct perun_interleave *interleave;
	struct perun_bisect *bisect;
	const struct perun_interleave_result *ends;
};

/* ---- as text --------------------------------------------------------------------------------- */

static void print_commit(const struct perun_command_call *call,
			 const struct perun_bisect_commit *commit)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas, .color = call->color};
	struct perun_buffer text = {0};

	views_add_color(&text, &canvas, VIEWS_YELLOW);
	perun_buffer_printf(&text, "%.8s", commit->checksum);
	views_add_color(&text, &canvas, VIEWS_PLAIN);
	perun_output_printf(call->output, "%s ", text.data);
	commands_print_safe(call, commit->subject);
	perun_buffer_free(&text);
}

static const char *word_of(const struct session *session, enum perun_bisect_answer answer)
{
	if (answer == PERUN_BISECT_OPEN)
		return "undecided";
	if (answer == PERUN_BISECT_SLOW)
		return commands_interleave_word(session->interleave, false);
	return commands_interleave_is_timed(session->interleave) ? "as fast as the good version"
								 : "as the good version";
}

static void print_step(const struct session *session, const struct perun_bisect_step *step)
{
	const struct perun_command_call *call = session->call;

	print_commit(call, step->commit);
	if (step->answer == PERUN_BISECT_UNBUILT) {
		perun_output_text(call->output, ": does not build or run\n");
	} else {
		perun_output_printf(call->output, ": %s, %+.3g %%", word_of(session, step->answer),
				    100 * (step->rate - 1));
		if (step->rate >= 2)
			perun_output_printf(call->output, ", %.2gx", step->rate);
		perun_output_printf(call->output, " in %zu pair%s of runs\n", step->pairs,
				    step->pairs == 1 ? "" : "s");
	}
	perun_output_flush(call->output);
}

static void print_suspects(const struct session *session)
{
	const struct perun_command_call *call = session->call;
	size_t all = perun_bisect_commits(session->bisect), suspects = 0;
	const char *change =
		commands_interleave_is_timed(session->interleave) ? "slowdown" : "increase";

	for (size_t i = 0; i < all; i++)
		suspects += perun_bisect_commit(session->bisect, i)->suspect;
	if (suspects == 1)
		perun_output_printf(call->output, "The %s came with ", change);
	else
		perun_output_printf(call->output,
				    "The %s came with one of these %zu commits, which cannot "
				    "be distinguished:\n",
				    change, suspects);
	for (size_t i = 0; i < all; i++) {
		const struct perun_bisect_commit *commit = perun_bisect_commit(session->bisect, i);

		if (!commit->suspect)
			continue;
		print_commit(call, commit);
		perun_output_text(call->output, "\n");
	}
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static struct perun_json *describe_commit(const struct perun_bisect_commit *commit)
{
	struct perun_json *object = perun_json_object();

	perun_json_set(object, "version", perun_json_text(commit->checksum));
	perun_json_set(object, "subject", perun_json_text(commit->subject));
	return object;
}

static struct perun_json *describe_step(const struct perun_bisect_step *step)
{
	static const char *const words[] = {[PERUN_BISECT_FAST] = "fast",
					    [PERUN_BISECT_SLOW] = "slow",
					    [PERUN_BISECT_OPEN] = "open",
					    [PERUN_BISECT_UNBUILT] = "skipped"};
	struct perun_json *object = describe_commit(step->commit);

	perun_json_set(object, "result", perun_json_text(words[step->answer]));
	perun_json_set(object, "rate", commands_number(step->rate));
	perun_json_set(object, "pairs", perun_json_int64((int64_t)step->pairs));
	return object;
}

static void print_json(const struct session *session)
{
	struct perun_json *document = perun_json_object();
	struct perun_json *suspects = perun_json_array(), *steps = perun_json_array();

	for (size_t i = 0; i < perun_bisect_commits(session->bisect); i++) {
		const struct perun_bisect_commit *commit = perun_bisect_commit(session->bisect, i);

		if (commit->suspect)
			perun_json_append(suspects, describe_commit(commit));
	}
	for (size_t i = 0; i < perun_bisect_steps(session->bisect); i++)
		perun_json_append(steps, describe_step(perun_bisect_step(session->bisect, i)));
	perun_json_set(document, "good", perun_json_text(session->versions[0]));
	perun_json_set(document, "bad", perun_json_text(session->versions[1]));
	perun_json_set(document, "suspects", suspects);
	perun_json_set(document, "steps", steps);
	perun_json_set(document, "comparison",
		       commands_interleave_json(session->interleave, session->ends));
	commands_print_json(session->call, document);
}

/* ---- the search ------------------------------------------------------------------------------ */

static int search(struct perun_ctx *ctx, struct session *session, bool json)
{
	const struct perun_bisect_step *step = NULL;
	int status = perun_bisect_compare(ctx, session->bisect, &session->ends);

	if (!status && !json)
		commands_interleave_print(ctx, session->call, session->interleave, session->ends);
	if (!status && session->ends->answer != PERUN_VERDICT_INCREASE)
		status = perun_fail(ctx, PERUN_INPUT,
				    "%.8s is not %s than %.8s, as far as is known: there is "
				    "nothing to search for",
				    session->versions[1],
				    commands_interleave_word(session->interleave, false),
				    session->versions[0]);
	while (!status && !(status = perun_bisect_next(ctx, session->bisect, &step)) && step) {
		if (!json)
			print_step(session, step);
	}
	if (!status && json)
		print_json(session);
	else if (!status)
		print_suspects(session);
	return status;
}

static int search_commits(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	static const char *const names[] = {"good", "bad"};
	const char **words = commands_words(call->options, "command");
	struct session session = {.call = call};
	struct perun_builds *builds = NULL;
	struct commands_reporter reporter;
	struct perun_store *store;
	char *minors[2] = {NULL, NULL};
	int status = commands_builds_new(ctx, call, &reporter, &store, &builds);

	if (!status)
		status = commands_interleave_program(
			ctx, store, call->options,
			&(struct commands_program){.argv = (char *const *)words},
			&session.interleave);
	for (int i = 0; !status && i < 2; i++) {
		status = perun_lookup_version(
			ctx, store, perun_option_string(call->options, names[i]), &minors[i]);
		session.versions[i] = minors[i];
	}
	if (!status)
		status = perun_bisect_new(ctx, store, builds, session.interleave, minors[0],
					  minors[1], &session.bisect);
	if (!status)
		status = search(ctx, &session, perun_option_flag(call->options, "json"));
	perun_bisect_free(session.bisect);
	perun_interleave_free(session.interleave);
	perun_builds_free(builds);
	perun_free(minors[0]);
	perun_free(minors[1]);
	perun_free(words);
	return status;
}

static int run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	static const char *const only[] = {"work-tree", "better", "test",   "patch",
					   "page",      "finest", "resume", "jobs"};

	if (perun_option_flag(call->options, "lines"))
		return bisect_lines(ctx, call);
	for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
		if (perun_option_given(call->options, only[i]))
			return perun_fail(ctx, PERUN_USAGE, "--%s is for --lines", only[i]);
	}
	if (!perun_option_count(call->options, "command"))
		return perun_fail(ctx, PERUN_USAGE,
				  "give two versions and the program, which is put after --");
	return search_commits(ctx, call);
}

COMMAND_PLUGIN(bisect, "bisect", "search for the commit that made it slower",
	       "find the commit that made a program slower, by running it", options, run_command);
