/* SPDX-License-Identifier: BSD-3-Clause */
/* perun showdiff: what changed between two versions, or two profiles, in a view. */
#include <config.h>

#include <string.h>

#include <perun/format.h>
#include <perun/machine.h>

#include "cli/commands/commands.h"
#include "cli/print/findings.h"
#include "cli/print/draw.h"
#include "cli/base/lookup.h"
#include "commands/common/entry.h"
#include "commands/common/merged.h"
#include "commands/common/place-kinds.h"
#include "commands/common/symbolize.h"

static const char default_view[] = "report";

const struct perun_option cli_showdiff_options[] = {
	{.name = "base",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_PATH,
	 .help = "what was before: a version such as HEAD~1, a tag such as HEAD~1^0@i, or a file"},
	{.name = "new",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_PATH,
	 .help = "what is now, in the same words"},
	{.name = "merge",
	 .help = "compare the sums of all profiles of each side: '0@p-4@p', 'old-*.pb.gz'"},
	CLI_MINOR_OPTION("the version to look for tags in, the head by default"),
	COMMANDS_READ_OPTIONS,
	CLI_DRAWING_OPTIONS("-o"),
	{0}};

/* One of both: a version with its profiles, or one profile. */
struct side {
	const char *word;
	bool version;
	struct perun_lookup *lookup;
	const struct perun_place **places; /* that count: the newest of each kind */
	uint64_t *keys; /* of what they measured: only places with the same key may be alike */
	size_t count;
	struct commands_places all; /* of a version: the older ones as well */
	bool *paired;
	struct perun_entry kind; /* of a profile without an entry, whose texts it has */
	struct perun_profile *profile;
};

struct pair {
	const struct perun_place *places[2];
	const struct perun_entry *kind; /* NULL when it needs no words */
};

struct showing {
	struct cli *cli;
	struct side sides[2];
	struct pair *pairs;
	size_t count, capacity;
	bool merge; /* all profiles of a side, or all of a kind, become one */
	struct cli_drawing drawing;
};

/* ---- the two sides --------------------------------------------------------------------------- */

static void take_places(struct side *side)
{
	side->count = perun_lookup_count(side->lookup);
	side->places = perun_alloc_zero(side->count + 1, sizeof *side->places);
	side->keys = perun_alloc_zero(side->count + 1, sizeof *side->keys);
	for (size_t i = 0; i < side->count; i++) {
		side->places[i] = perun_lookup_at(side->lookup, i);
		if (side->places[i]->entry)
			side->keys[i] = perun_entry_key(side->places[i]->entry);
	}
}

static int find_side(struct cli *cli, const struct perun_options *options, const char *word,
		     bool merge, struct side *side)
{
	int status = PERUN_OK;

	side->word = word;
	side->lookup = cli_lookup_new(cli, options, true);
	if (merge)
		commands_lookup_add_pattern(side->lookup, word);
	side->version = perun_lookup_is_version(cli->ctx, side->lookup, word);
	if (!side->version) {
		if (perun_lookup_count(side->lookup) == 0)
			status = cli_lookup_add(cli, side->lookup, word, PERUN_PLACE_ANY);
		if (!status && !merge && perun_lookup_count(side->lookup) != 1)
			status = perun_fail(cli->ctx, PERUN_USAGE,
					    "%s names several profiles; --merge compares their sum",
					    word);
		take_places(side);
		side->count = side->count > 0; /* the first one is there for all */
		return status;
	}
	status = perun_lookup_add_version(cli->ctx, side->lookup, word);
	if (!status && perun_lookup_count(side->lookup) == 0)
		status = perun_fail(cli->ctx, PERUN_INPUT,
				    "version %s has no profiles: measure it with perun run -m %s, "
				    "or name a profile",
				    word, word);
	if (!status)
		take_places(side);
	return status;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* How a profile without an entry, which is the only one of its side, came about. */
static int find_kind(struct cli *cli, struct side *side)
{
	int status;

	if (side->count != 1 || side->places[0]->entry)
		return PERUN_OK;
	status = perun_lookup_load(cli->ctx, side->lookup, side->places[0], &side->profile);
	if (status)
		return status;
	side->kind = (struct perun_entry){
		.struct_size = sizeof(struct perun_entry),
		.type = perun_profile_text(side->profile, "/header/type"),
		.cmd = perun_profile_text(side->profile, "/header/cmd"),
		.args = perun_profile_text(side->profile, "/header/args"),
		.workload = perun_profile_text(side->profile, "/header/workload"),
		.collector = perun_profile_text(side->profile, "/collector_info/name"),
		.postprocessors = perun_profile_postprocessors(side->profile)};
	side->keys[0] = perun_entry_key(&side->kind);
	return PERUN_OK;
}

static const struct perun_entry *kind_of(const struct side *side, size_t i)
{
	return side->places[i]->entry ? side->places[i]->entry : &side->kind;
}

static void add_pair(struct showing *showing, size_t base, size_t new)
{
	struct side *sides = showing->sides;
	struct pair *pair;

	PERUN_GROW(showing->pairs, showing->count, showing->capacity);
	pair = &showing->pairs[showing->count++];
	pair->places[0] = sides[0].places[base];
	pair->places[1] = sides[1].places[new];
	pair->kind = pair->places[1]->entry ? pair->places[1]->entry : pair->places[0]->entry;
	sides[0].paired[base] = sides[1].paired[new] = true;
}

static void add_kinds(struct perun_buffer *out, const struct side *side, bool all)
{
	size_t written = 0;

	for (size_t i = 0; i < side->count; i++) {
		const struct perun_entry *entry = side->places[i]->entry;

		if (side->paired[i] && !all)
			continue;
		if (written++)
			perun_buffer_add_text(out, ", ");
		if (entry)
			commands_add_entry(out, entry);
		else
			perun_buffer_add_text(out, side->word);
	}
}

static int nothing_alike(struct showing *showing)
{
	struct perun_buffer has[2] = {{0}, {0}};
	struct side *sides = showing->sides;
	int status;

	for (size_t i = 0; i < 2; i++)
		add_kinds(&has[i], &sides[i], true);
	status = perun_fail(showing->cli->ctx, PERUN_INPUT,
			    "%s and %s have no profiles of the same kind: %s measured %s, %s "
			    "measured %s; two profiles, such as %s^0@i, are compared whatever they "
			    "measured",
			    sides[0].word, sides[1].word, sides[0].word, has[0].data, sides[1].word,
			    has[1].data, sides[sides[0].version ? 0 : 1].word);
	perun_buffer_free(&has[0]);
	perun_buffer_free(&has[1]);
	return status;
}

static void tell_unpaired(struct showing *showing)
{
	for (size_t i = 0; i < 2; i++) {
		struct side *side = &showing->sides[i];
		struct perun_buffer text = {0};

		add_kinds(&text, side, false);
		if (text.length && side->version && showing->sides[!i].version)
			perun_note(showing->cli->ctx, "only %s has: %s", side->word, text.data);
		perun_buffer_free(&text);
	}
}

/* The only file of a side without a pair that differs from an entry in nothing but its name; SIZE_MAX = none, or several. */
static size_t only_of_kind(const struct side *side, const struct perun_entry *entry, uint64_t key)
{
	struct perun_entry alike = *entry;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < side->count; i++) {
		const struct perun_entry *other = kind_of(side, i);

		alike.workload = other->workload;
		if (side->paired[i] || side->keys[i] != key ||
		    !perun_entries_compatible(&alike, other))
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
	}
	return found;
}

/* What files without a pair lead with becomes their key; 0 = the workload is not the name of the file that was imported. */
static int find_files(struct cli *cli, struct side *side)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < side->count; i++) {
		struct perun_profile *profile;

		if (side->paired[i])
			continue;
		status = perun_lookup_load(cli->ctx, side->lookup, side->places[i], &profile);
		if (status)
			continue;
		side->keys[i] = strcmp(perun_profile_text(profile, "/header/file"),
				       kind_of(side, i)->workload) == 0
					? commands_leading_metric_key(profile)
					: 0;
		perun_profile_unref(profile);
	}
	return status;
}

/* Files that were called otherwise, where each version has one that leads with a metric: see core/history/import-names.c. */
static int pair_files(struct showing *showing)
{
	struct side *base = &showing->sides[0], *new = &showing->sides[1];
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < 2; i++)
		status = find_files(showing->cli, &showing->sides[i]);
	for (size_t i = 0; !status && i < base->count; i++) {
		uint64_t key = base->keys[i];
		size_t k = base->paired[i] || !key ? SIZE_MAX
						   : only_of_kind(new, kind_of(base, i), key);

		if (k != SIZE_MAX && only_of_kind(base, kind_of(new, k), key) == i)
			add_pair(showing, i, k);
	}
	return status;
}

/* The kinds of what is compared: entries, or what a profile without one says, and what they lead with. */
static int find_kinds(struct showing *showing)
{
	struct commands_places places[2];
	int status = PERUN_OK;

	for (size_t i = 0; i < 2 && !status; i++) {
		struct side *side = &showing->sides[i];

		status = find_kind(showing->cli, side);
		places[i] = (struct commands_places){side->lookup, side->places, side->keys,
						     side->count};
	}
	if (!status && !showing->merge)
		status = commands_distinguish_places(showing->cli->ctx, &places[0], &places[1]);
	for (size_t i = 0; i < 2 && !status; i++) {
		struct side *side = &showing->sides[i];

		if (!side->version)
			continue;
		side->all = places[i];
		side->all.places = perun_memdup(side->places, side->count * sizeof *side->places);
		side->all.keys = perun_memdup(side->keys, side->count * sizeof *side->keys);
		side->count = commands_keep_newest(&places[i]);
	}
	return status;
}

static int find_pairs(struct showing *showing)
{
	struct side *base = &showing->sides[0], *new = &showing->sides[1];
	bool versions = base->version || new->version;
	int status = versions ? find_kinds(showing) : PERUN_OK;

	base->paired = perun_alloc_zero(base->count + 1, sizeof *base->paired);
	new->paired = perun_alloc_zero(new->count + 1, sizeof *new->paired);
	if (!versions) {
		add_pair(showing, 0, 0);
		return PERUN_OK;
	}
	for (size_t i = 0; i < base->count && !status; i++) {
		for (size_t k = 0; k < new->count && !base->paired[i]; k++) {
			if (base->keys[i] == new->keys[k] && !new->paired[k] &&
			    perun_entries_compatible(kind_of(base, i), kind_of(new, k)))
				add_pair(showing, i, k);
		}
	}
	if (!status && base->version && new->version)
		status = pair_files(showing);
	if (!status && showing->count == 0)
		status = nothing_alike(showing);
	if (!status)
		tell_unpaired(showing);
	return status;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* What the profiles are called: the version, or the profile as the user knows it. */
static void name_pair(const struct showing *showing, const struct pair *pair, const char *names[2])
{
	for (size_t i = 0; i < 2; i++)
		names[i] = showing->merge || showing->sides[i].version ? showing->sides[i].word
			   : pair->places[i]->kind == PERUN_PLACE_FILE ? pair->places[i]->name
								       : showing->sides[i].word;
	if (strcmp(names[0], names[1]) == 0)
		for (size_t i = 0; i < 2; i++)
			names[i] = showing->sides[i].word;
}

struct loading {
	const struct side *sides;
	const struct pair *pair;
	struct perun_profile **profiles;
};

static int load_file(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct loading *loading = data;

	return perun_lookup_load(ctx, loading->sides[i].lookup, loading->pair->places[i],
				 &loading->profiles[i]);
}

/*
 * Of a version all profiles count, as in checks: those with stacks by their mean, or with --merge by their sum; of repeated
 * measurements all repeats.
 */
static int load_version(struct showing *showing, const struct side *side,
			const struct perun_place *place, struct perun_profile **profile,
			size_t *merged)
{
	struct perun_ctx *ctx = showing->cli->ctx;
	size_t count;
	bool joined = false;
	const struct perun_place **places = commands_places_like(&side->all, place, &count);
	int status = perun_lookup_load(ctx, side->lookup, place, profile);

	if (!status && count > 1 && perun_profile_stacks(*profile)) {
		perun_profile_unref(*profile);
		*profile = NULL;
		status = commands_load_merged(ctx, side->lookup, places, count, !showing->merge,
					      profile);
		*merged = count;
	} else if (!status && count > 1) {
		status = commands_join_repeats(ctx, side->lookup, place, places, count, profile,
					       &joined);
		if (!status && !joined)
			perun_note(ctx, "%s: the newest of %zu profiles", side->word, count);
	}
	perun_free((void *)places);
	return status;
}

static int load_side(struct showing *showing, const struct side *side,
		     const struct perun_place *place, struct perun_profile **profile,
		     size_t *merged)
{
	struct perun_ctx *ctx = showing->cli->ctx;

	if (side->version)
		return load_version(showing, side, place, profile, merged);
	return showing->merge ? commands_lookup_load_merged(ctx, side->lookup, profile)
			      : perun_lookup_load(ctx, side->lookup, place, profile);
}

/* Files at the same time; a store belongs to one thread. `merged`: of how many profiles of a version each is made. */
static int load_pair(struct showing *showing, const struct pair *pair,
		     struct perun_profile *profiles[2], size_t merged[2])
{
	struct loading loading = {showing->sides, pair, profiles};
	int status = PERUN_OK;

	if (!showing->merge && pair->places[0]->kind == PERUN_PLACE_FILE &&
	    pair->places[1]->kind == PERUN_PLACE_FILE && strcmp(pair->places[0]->path, "-") != 0 &&
	    strcmp(pair->places[1]->path, "-") != 0)
		return perun_parallel_for(showing->cli->ctx, 2, load_file, &loading);
	for (size_t i = 0; i < 2 && !status; i++)
		status = load_side(showing, &showing->sides[i], pair->places[i], &profiles[i],
				   &merged[i]);
	return status;
}

/* Two profiles side by side may come from anywhere, but people should know. */
static void warn_of_machines(struct cli *cli, struct perun_profile *const profiles[2])
{
	char *difference = perun_machine_difference(profiles[0], profiles[1]);

	if (difference)
		perun_warn(cli->ctx,
			   "the profiles were measured on different classes of machines (%s): what "
			   "they differ in need not be the program",
			   difference);
	perun_free(difference);
}

/* Whether the words for what a pair measured are those of another one as well. */
static bool is_ambiguous(const struct showing *showing, const struct pair *pair)
{
	size_t same = 0;

	for (size_t i = 0; i < showing->count; i++)
		same += perun_entry_key(showing->pairs[i].kind) == perun_entry_key(pair->kind);
	return same > 1;
}

static int draw_pair(struct showing *showing, const struct pair *pair, bool first)
{
	struct cli_drawing *drawing = &showing->drawing;
	struct perun_profile *profiles[2] = {NULL, NULL};
	struct perun_buffer kind = {0};
	size_t merged[2] = {0};
	const char *names[2];
	char *safe, *labels[2] = {NULL, NULL};
	int status = load_pair(showing, pair, profiles, merged);

	/* Merged ones have their names already. */
	for (size_t i = 0; i < 2 && !status && !showing->merge; i++)
		if (!merged[i])
			status = commands_symbolize_for_view(showing->cli->ctx, &profiles[i]);
	if (!status && showing->count > 1) {
		commands_add_entry(&kind, pair->kind);
		if (is_ambiguous(showing, pair))
			commands_add_leading_metric(&kind, profiles[1]);
		safe = perun_printable(kind.data);
		status = perun_output_printf(
			drawing->canvas.output,
			drawing->canvas.form == PERUN_FORM_MARKDOWN ? "%s# %s\n\n" : "%s[%s]\n\n",
			first ? "" : "\n", safe);
		perun_free(safe);
		perun_buffer_free(&kind);
	}
	if (!status)
		warn_of_machines(showing->cli, profiles);
	name_pair(showing, pair, names);
	for (size_t i = 0; i < 2 && drawing->canvas.form != PERUN_FORM_JSON; i++) {
		if (merged[i])
			names[i] = labels[i] =
				perun_format("%s (%s of %zu)", names[i],
					     showing->merge ? "sum" : "mean", merged[i]);
	}
	if (!status)
		status = cli_drawing_add(drawing, profiles, names, 2);
	for (size_t i = 0; i < 2; i++) {
		perun_free(labels[i]);
		perun_profile_unref(profiles[i]);
	}
	return status;
}

/* Files for programs and pictures hold one comparison: the one that has stacks, if it is one. */
static int choose_pair(struct showing *showing)
{
	enum perun_form form = showing->drawing.canvas.form;
	const char *example = showing->sides[showing->sides[0].version ? 0 : 1].word;
	struct perun_buffer kinds = {0};
	size_t found = 0, count = 0;
	int status = PERUN_OK;

	if (showing->count == 1 || form == PERUN_FORM_TERMINAL || form == PERUN_FORM_MARKDOWN)
		return PERUN_OK;
	for (size_t i = 0; i < showing->count && !status; i++) {
		struct perun_profile *profile = NULL;

		status = perun_lookup_load(showing->cli->ctx, showing->sides[1].lookup,
					   showing->pairs[i].places[1], &profile);
		if (!status && perun_profile_stacks(profile) && !count++)
			found = i;
		perun_profile_unref(profile);
	}
	if (!status && count == 1) {
		commands_add_entry(&kinds, showing->pairs[found].kind);
		perun_note(showing->cli->ctx, "showing %s, which has stacks; %s^0@i names others",
			   kinds.data, example);
		showing->pairs[0] = showing->pairs[found];
		showing->count = 1;
	} else if (!status) {
		add_kinds(&kinds, &showing->sides[1], true);
		status = perun_fail(showing->cli->ctx, PERUN_USAGE,
				    "%zu pairs of profiles are alike (%s); name one, such as "
				    "%s^0@i",
				    showing->count, kinds.data, example);
	}
	perun_buffer_free(&kinds);
	return status;
}

static int draw_pairs(struct showing *showing)
{
	int status = choose_pair(showing);

	if (!status)
		status = cli_drawing_open(&showing->drawing, "showdiff");
	if (status)
		return status;
	for (size_t i = 0; i < showing->count && !status; i++)
		status = draw_pair(showing, &showing->pairs[i], i == 0);
	return cli_drawing_end(&showing->drawing, status);
}

int cli_showdiff(struct cli *cli, const struct cli_call *call)
{
	const char *const fallback[] = {default_view, NULL};
	const char *const words[2] = {perun_option_string(call->options, "base"),
				      perun_option_string(call->options, "new")};
	struct showing showing = {.cli = cli, .merge = perun_option_flag(call->options, "merge")};
	int status = cli_drawing_start(cli, call->rest[0] ? call->rest : fallback, call->options,
				       &showing.drawing);

	if (!status)
		status = cli_drawing_takes(&showing.drawing, 2);
	for (size_t i = 0; i < 2 && !status; i++)
		status = find_side(cli, call->options, words[i], showing.merge, &showing.sides[i]);
	if (!status)
		status = find_pairs(&showing);
	if (!status)
		status = draw_pairs(&showing);
	for (size_t i = 0; i < 2; i++) {
		perun_lookup_free(showing.sides[i].lookup);
		perun_free((void *)showing.sides[i].places);
		perun_free(showing.sides[i].keys);
		perun_free((void *)showing.sides[i].all.places);
		perun_free(showing.sides[i].all.keys);
		perun_free(showing.sides[i].paired);
		perun_profile_unref(showing.sides[i].profile);
	}
	perun_free(showing.pairs);
	cli_drawing_free(&showing.drawing);
	return status;
}
