/* SPDX-License-Identifier: BSD-3-Clause */
/* perun show: profiles in a view. */
#include <config.h>

#include <string.h>
#include <unistd.h>

#include <perun/json.h>

#include "cli/commands/commands.h"
#include "cli/print/draw.h"
#include "cli/base/lookup.h"
#include "commands/common/merged.h"
#include "commands/common/stored-query.h"
#include "commands/common/symbolize.h"

/* What is shown without a view's name: of profiles with stacks, of repeated measurements, of others. */
static const char stacks_view[] = "top", repeats_view[] = "summary", default_view[] = "tableof";

const struct perun_option cli_show_options[] = {
	{.name = "profile",
	 .flags = PERUN_OPTION_POSITIONAL,
	 .type = PERUN_OPTION_PATH,
	 .help = "a tag such as 0@i or HEAD~1^0@i, a registered or pending profile, or a file"},
	CLI_MINOR_OPTION("the version to look in, the head by default"),
	COMMANDS_READ_OPTIONS,
	COMMANDS_QUERY_OPTIONS("show the sum of all registered profiles with this label"),
	CLI_DRAWING_OPTIONS("-o"),
	{0}};

struct showing {
	struct perun_lookup *lookup;
	struct cli_drawing drawing;
	struct perun_profile **profiles;
	const char **names;
	size_t count;
	const char **words; /* profiles, and from `view` on a view with its options */
	size_t view;
	char *query; /* the name of the sum of profiles that options select */
};

/* ---- what is shown --------------------------------------------------------------------------- */

/* A word that cannot be the name of a view: a tag or a file. */
static bool is_profile_word(const char *word)
{
	return strchr(word, '@') || strchr(word, '/') || access(word, F_OK) == 0;
}

/* All words: the first is that of the option. */
static const char **take_words(const struct cli_call *call)
{
	const char *first = commands_has_query(call->options)
				    ? NULL
				    : perun_option_string(call->options, "profile");
	const char **words;
	size_t count = 0;

	while (call->rest[count])
		count++;
	words = perun_alloc_zero(count + 2, sizeof *words);
	words[0] = first;
	memcpy(words + (first != NULL), call->rest, count * sizeof *words);
	return words;
}

/* Profiles are first, before the name of a view and its options; with a query there are none. */
static int find_profiles(struct cli *cli, const struct cli_call *call, struct showing *showing)
{
	const unsigned kinds = PERUN_PLACE_ANY;
	int status = PERUN_OK;

	if (commands_has_query(call->options))
		return commands_lookup_add_query(cli->ctx, call->options, showing->lookup,
						 &showing->query);
	if (!showing->words[0])
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "argument PROFILE is missing: a tag such as 0@i or 0@p, a "
				  "registered or pending profile, or a file");
	for (size_t *view = &showing->view; !status && showing->words[*view]; (*view)++) {
		const char *word = showing->words[*view], *next = showing->words[*view + 1];

		if (*view && cli_module_exists(cli, PERUN_KIND_VIEW, word))
			break;
		/* A name at the end that is not a file is meant as the view. */
		if (*view && (!next || *next == '-') && !is_profile_word(word))
			break;
		status = cli_lookup_add(cli, showing->lookup, word, kinds);
	}
	return status;
}

static int load_profiles(struct cli *cli, struct showing *showing)
{
	struct perun_lookup *lookup = showing->lookup;
	int status = PERUN_OK;

	showing->profiles =
		perun_alloc_zero(perun_lookup_count(lookup) + 1, sizeof *showing->profiles);
	showing->names = perun_alloc_zero(perun_lookup_count(lookup) + 1, sizeof *showing->names);
	if (showing->query) {
		status = commands_lookup_load_merged(cli->ctx, lookup, showing->profiles);
		showing->names[0] = showing->query;
		showing->count = !status;
		return status;
	}
	for (size_t i = 0; !status && i < perun_lookup_count(lookup); i++) {
		status = perun_lookup_load(cli->ctx, lookup, perun_lookup_at(lookup, i),
					   &showing->profiles[i]);
		if (!status)
			status = commands_symbolize_for_view(cli->ctx, &showing->profiles[i]);
		if (!status) {
			showing->names[i] = perun_lookup_at(lookup, i)->name;
			showing->count++;
		}
	}
	return status;
}

static bool has_stacks(const struct perun_profile *profile)
{
	const struct perun_column *column = perun_table_column(perun_resources(profile), "stack");

	return column && perun_column_info(column)->type == PERUN_TYPE_STACK;
}

/* Runs that are numbered, or the heap of a program: rows that say little one by one. */
static bool has_repeats(const struct perun_profile *profile)
{
	return perun_table_column(perun_resources(profile), "order") ||
	       perun_json_get(perun_profile_document(profile), "memory");
}

static const char *choose_view(struct cli *cli, const struct perun_options *options,
			       const struct showing *showing)
{
	const bool text = !perun_option_given(options, "form") &&
			  !perun_option_flag(options, "json") &&
			  !perun_option_given(options, "output");
	bool stacks = true, repeats = text;

	for (size_t i = 0; i < showing->count; i++) {
		stacks &= has_stacks(showing->profiles[i]);
		repeats &= has_repeats(showing->profiles[i]);
	}
	if (stacks && cli_module_exists(cli, PERUN_KIND_VIEW, stacks_view))
		return stacks_view;
	return repeats && cli_module_exists(cli, PERUN_KIND_VIEW, repeats_view) ? repeats_view
										: default_view;
}

/* With the view's name what is wrong with its options is reported before anything is read. */
static int start(struct cli *cli, const struct cli_call *call, struct showing *showing)
{
	const char *fallback[] = {NULL, NULL}, **view = showing->words + showing->view;
	int status = PERUN_OK;

	if (*view)
		status = cli_drawing_start(cli, view, call->options, &showing->drawing);
	if (!status)
		status = load_profiles(cli, showing);
	if (!status && !*view) {
		fallback[0] = choose_view(cli, call->options, showing);
		status = cli_drawing_start(cli, fallback, call->options, &showing->drawing);
	}
	return status ? status : cli_drawing_takes(&showing->drawing, showing->count);
}

/* "show top 0@i" */
static int hint_at_view(struct cli *cli, const char *word, int status)
{
	if (is_profile_word(word) || !cli_module_exists(cli, PERUN_KIND_VIEW, word))
		return status;
	perun_ctx_clear(cli->ctx);
	return perun_fail(cli->ctx, PERUN_USAGE,
			  "%s is a view; it comes after the profile: perun show PROFILE %s", word,
			  word);
}

int cli_show(struct cli *cli, const struct cli_call *call)
{
	struct showing showing = {.words = take_words(call)};
	int status;

	showing.lookup = cli_lookup_new(cli, call->options, true);
	status = find_profiles(cli, call, &showing);
	if (status && showing.words[0] && !commands_has_query(call->options))
		status = hint_at_view(cli, showing.words[0], status);
	if (!status)
		status = start(cli, call, &showing);
	if (!status)
		status = cli_drawing_open(&showing.drawing, "show");
	if (!status) {
		status = cli_drawing_add(&showing.drawing, showing.profiles, showing.names,
					 showing.count);
		status = cli_drawing_end(&showing.drawing, status);
	}
	for (size_t i = 0; i < showing.count; i++)
		perun_profile_unref(showing.profiles[i]);
	perun_free(showing.profiles);
	perun_free((void *)showing.names);
	perun_free((void *)showing.words);
	perun_free(showing.query);
	cli_drawing_free(&showing.drawing);
	perun_lookup_free(showing.lookup);
	return status;
}
