/* SPDX-License-Identifier: BSD-3-Clause */
/* perun bisect --lines: which changes of a commit made a program slower. */
#include <config.h>

#include <string.h>

#include <perun/lib/lookup.h>
#include <perun/lib/path.h>

#include "commands/bisect/bisect.h"
#include "commands/common/builds.h"
#include "commands/common/interleave-options.h"
#include "commands/common/interleave-print.h"
#include "commands/common/output.h"

/* Whoever is informed of trials. */
struct reporter {
	const struct perun_command_call *call;
	struct perun_dissect *search;
};

static void on_trial(void *data, const struct perun_dissect_trial *trial)
{
	const struct reporter *reporter = data;

	lines_print_trial(reporter->call, trial, perun_dissect_changes(reporter->search));
}

/* ---- what is taken apart --------------------------------------------------------------------- */

struct versions {
	char *base, *head; /* head NULL = the work tree */
};

static int keep_parent(void *data, const struct perun_minor_version *version)
{
	char **parent = data;

	if (version->parent_count)
		*parent = perun_strdup(version->parents[0]);
	return PERUN_OK;
}

/* A..B, or a version and its first parent. */
static int find_versions(struct perun_ctx *ctx, struct perun_store *store, const char *word,
			 struct versions *versions)
{
	const char *dots = strstr(word, "..");
	struct perun_vcs *vcs;
	char *base;
	int status = perun_store_vcs(ctx, store, &vcs);

	if (!status)
		status = perun_lookup_version(ctx, store, dots ? dots + 2 : word, &versions->head);
	if (status)
		return status;
	if (dots) {
		base = perun_strndup(word, (size_t)(dots - word));
		status = perun_lookup_version(ctx, store, base, &versions->base);
		perun_free(base);
		return status;
	}
	status = perun_vcs_get_minor_version_info(ctx, vcs, versions->head, keep_parent,
						  &versions->base);
	if (!status && !versions->base)
		status = perun_fail(ctx, PERUN_USAGE, "%.8s has no parent to compare it with",
				    versions->head);
	return status;
}

/*
 * The words of the command line: with --work-tree all of them are the command, else the first one is the commit. They
 * were read as GOOD BAD COMMAND.
 */
static const char **command_words(const struct perun_command_call *call, const char **commit)
{
	static const char *const names[] = {"good", "bad"};
	size_t count = perun_option_count(call->options, "command"), next = 0;
	const char **words = perun_alloc_zero(count + 3, sizeof *words);

	*commit = NULL;
	for (size_t i = 0; i < 2; i++) {
		const char *word = perun_option_given(call->options, names[i])
					   ? perun_option_string(call->options, names[i])
					   : NULL;

		if (word && i == 0 && !perun_option_flag(call->options, "work-tree"))
			*commit = word;
		else if (word)
			words[next++] = word;
	}
	for (size_t i = 0; i < count; i++)
		words[next++] = perun_option_string_at(call->options, "command", i);
	return words;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Print and write what is known, all of it or what there was until the search ended. */
static int finish(struct perun_ctx *ctx, const struct found_lines *found, int status, bool json)
{
	const struct perun_options *options = found->call->options;
	int written = PERUN_OK;

	if (!perun_dissect_facts(found->search)->ended && status)
		return status;
	if (status == PERUN_NOT_COMPARED) {
		perun_warn(ctx, "%s: what is left is not decided", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		status = PERUN_OK;
	}
	if (json)
		lines_print_json(found);
	else
		lines_print(found);
	perun_output_flush(found->call->output);
	if (perun_option_given(options, "patch"))
		written = lines_write_patch(ctx, found, perun_option_string(options, "patch"));
	if (!written && perun_option_given(options, "page"))
		written = lines_write_page(ctx, found, perun_option_string(options, "page"));
	if (!written && !status)
		lines_keep(found);
	return status ? status : written ? written : PERUN_DEGRADED;
}

static int search(struct perun_ctx *ctx, struct found_lines *found, bool json)
{
	enum perun_answer wanted = found->better ? PERUN_VERDICT_DECREASE : PERUN_VERDICT_INCREASE;
	int status = perun_dissect_compare(ctx, found->search, &found->ends, &found->identical);

	if (status)
		return status;
	if (found->identical) {
		if (json)
			lines_print_json(found);
		else
			perun_output_text(found->call->output,
					  "Both are built to the same program.\n");
		return PERUN_OK;
	}
	if (!json)
		commands_interleave_print(ctx, found->call, found->interleave, found->ends);
	if (found->ends->answer != wanted)
		return perun_fail(
			ctx, PERUN_INPUT,
			"%.8s is not %s than %.8s, as far as is known: there is nothing to "
			"search for",
			found->head ? found->head : "the work tree",
			commands_interleave_word(found->interleave, found->better), found->base);
	return finish(ctx, found, perun_dissect_search(ctx, found->search), json);
}

/* Files that are written at the end can be written. */
static int check_outputs(struct perun_ctx *ctx, const struct perun_options *options)
{
	static const char *const names[] = {"patch", "page"};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < 2; i++) {
		if (perun_option_given(options, names[i]))
			status = perun_path_check_output(ctx,
							 perun_option_string(options, names[i]));
	}
	return status;
}

static int open_search(struct perun_ctx *ctx, struct perun_store *store,
		       struct perun_builds *builds, struct reporter *reporter,
		       struct found_lines *found)
{
	const struct perun_options *options = found->call->options;
	struct perun_dissect_options how = {
		.struct_size = sizeof how,
		.better = found->better,
		.budget = perun_option_given(options, "budget")
				  ? perun_option_number(options, "budget")
				  : 0,
		.jobs = (size_t)perun_option_integer(options, "jobs") - 1,
		.finest = perun_option_flag(options, "finest"),
		.resume = perun_option_flag(options, "resume"),
		.data = reporter};
	int status;

	if (perun_option_given(options, "test"))
		how.test = perun_option_string(options, "test");
	if (!perun_option_flag(options, "json"))
		how.tried = on_trial;
	status = perun_dissect_new(ctx, store, builds, found->interleave, found->base, found->head,
				   &how, &found->search);
	reporter->search = found->search;
	return status;
}

int bisect_lines(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct found_lines found = {.call = call,
				    .better = perun_option_flag(call->options, "better")};
	struct reporter reporter = {.call = call};
	struct versions versions = {0};
	const char *commit, **words = command_words(call, &commit);
	struct commands_reporter builder;
	struct perun_builds *builds = NULL;
	struct perun_store *store = NULL;
	int status =
		words[0] ? PERUN_OK
			 : perun_fail(ctx, PERUN_USAGE, "the program is missing: put it after --");

	if (!status)
		status = check_outputs(ctx, call->options);
	if (!status)
		status = commands_builds_new(ctx, call, &builder, &store, &builds);
	if (!status)
		status = commands_interleave_program(
			ctx, store, call->options,
			&(struct commands_program){.argv = (char *const *)words},
			&found.interleave);
	if (!status && commit)
		status = find_versions(ctx, store, commit, &versions);
	else if (!status)
		status = perun_lookup_version(ctx, store, "HEAD", &versions.base);
	found.store = store;
	found.base = versions.base;
	found.head = versions.head;
	if (!status)
		status = open_search(ctx, store, builds, &reporter, &found);
	if (!status)
		status = search(ctx, &found, perun_option_flag(call->options, "json"));
	perun_dissect_free(found.search);
	perun_interleave_free(found.interleave);
	perun_builds_free(builds);
	perun_free(versions.base);
	perun_free(versions.head);
	perun_free(words);
	return status;
}
