/* SPDX-License-Identifier: BSD-3-Clause */
/* perun log: the history with its profiles and changes. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/lib/lookup.h>

#include "cli/commands/commands.h"
#include "cli/base/cli.h"
#include "cli/print/json.h"
#include "cli/print/commits.h"
#include "cli/print/listing.h"
#include "cli/print/log-short.h"
#include "cli/print/findings.h"
#include "commands/common/explanations.h"
#include "commands/common/profiles.h"

const struct perun_option cli_log_options[] = {
	{.name = "revision",
	 .metavar = "REV..REV",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "the version to begin with, the head by default; or a range, without its first "
		 "version"},
	{.name = "short", .aliases = "-s", .help = "print a line for each version"},
	{.name = "number",
	 .aliases = "-n --max-count",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e15,
	 .help = "print at most this many versions"},
	{.name = "explain", .help = "print how each finding came about"},
	{.name = "json", .help = "print JSON"},
	{0}};

struct walk;
typedef void print_one(struct walk *walk, const struct perun_minor_version *version,
		       const struct perun_entries *entries,
		       const struct perun_stored_findings *stored);

struct walk {
	struct cli *cli;
	print_one *print;
	int64_t left; /* versions still to be printed, -1 = all */
	bool any;
	size_t damaged;         /* versions whose profiles cannot be read */
	char *problem;          /* why those of the present one cannot; NULL = they can */
	struct cli_short *rows; /* --short */
	struct perun_roots roots;
	struct perun_stored_reader reader;
	struct commands_explanations *explanations; /* NULL = none are asked for */
};

/* What the store knows of a version: nothing is read for those without an index. */
static int read_version(struct walk *walk, const char *checksum, struct perun_entries *entries,
			struct perun_stored_findings *stored)
{
	struct cli *cli = walk->cli;
	int status = PERUN_OK;

	*entries = (struct perun_entries){0};
	*stored = (struct perun_stored_findings){0};
	if (!perun_store_has_index(cli->ctx, cli->store, checksum))
		return PERUN_OK;
	status = perun_store_entries(cli->ctx, cli->store, checksum, entries);
	if (!status)
		perun_lookup_labels(cli->ctx, cli->store, entries);
	if (!status)
		status = perun_stored_findings_load(&walk->reader, checksum, stored);
	return status;
}

/* What was found at a version, and which commits may be a change when several may. */
static void print_changes(struct walk *walk, const struct perun_minor_version *version,
			  const struct perun_stored_findings *stored)
{
	const struct perun_stored_changes *changes = &stored->changes;
	const struct cli_change_list list = {.items = changes->items,
					     .count = changes->count,
					     .known = stored->known,
					     .known_count = changes->count,
					     .version = version->checksum,
					     .explain = walk->explanations,
					     .stored = true};
	struct perun_buffer text = {0};

	if (walk->explanations)
		commands_explain(walk->cli->ctx, walk->cli->store, walk->explanations,
				 version->checksum, changes->items, changes->count);
	cli_add_changes(walk->cli, &list, &text);
	for (size_t i = changes->count; i-- > 0;) {
		if (!perun_result_is_change(perun_stored_changes_at(changes, i)->change->result) ||
		    !perun_between_is(walk->reader.between,
				      perun_stored_changes_at(changes, i)->minor,
				      version->checksum))
			continue;
		commands_add_between(walk->cli->ctx, walk->cli->store, walk->reader.between, &text);
		break;
	}
	if (text.length)
		printf("%s\n", text.data);
	perun_buffer_free(&text);
}

static void print_long(struct walk *walk, const struct perun_minor_version *version,
		       const struct perun_entries *entries,
		       const struct perun_stored_findings *stored)
{
	struct cli *cli = walk->cli;
	struct perun_buffer labels = {0};

	printf("%scommit %s%s\n", cli_color(cli, CLI_YELLOW), version->checksum,
	       cli_color_end(cli));
	if (walk->problem)
		fputs("(its profiles cannot be read)", stdout);
	else
		cli_print_counts(cli, entries, "tracked");
	putchar('\n');
	commands_list_labels(entries, &labels);
	if (labels.length) {
		fputs("Labels: ", stdout);
		cli_print_safe(labels.data);
		putchar('\n');
	}
	perun_buffer_free(&labels);
	cli_print_version_head(version);
	putchar('\n');
	cli_print_message(version->description, strlen(version->description), "    ");
	print_changes(walk, version, stored);
}

static void print_fact(struct walk *walk, const struct perun_minor_version *version,
		       const struct perun_entries *entries,
		       const struct perun_stored_findings *stored)
{
	struct perun_json *fact = cli_json_version(version), *profiles = perun_json_array(),
			  *list = perun_json_array();

	for (size_t i = 0; i < entries->count; i++)
		perun_json_append(profiles, cli_json_entry(perun_entries_at(entries, i), NULL));
	for (size_t i = 0; i < stored->changes.count; i++) {
		const struct perun_stored_change *item =
			perun_stored_changes_at(&stored->changes, i);
		struct perun_json *change =
			cli_json_change(item->change, item->minor, item->command);

		perun_json_set(change, "known", cli_json_text(stored->known[i]));
		perun_json_append(list, change);
	}
	perun_json_set(fact, "profiles", profiles);
	perun_json_set(fact, "changes", list);
	if (walk->problem)
		perun_json_set(fact, "problem", cli_json_text(walk->problem));
	fputs(walk->any ? "," : "{\n  \"minor_versions\": [", stdout);
	cli_print_fact(fact, 2);
}

/* ---- walking --------------------------------------------------------------------------------- */

static void show_short(struct walk *walk, const struct perun_minor_version *version,
		       const struct perun_entries *entries,
		       const struct perun_stored_findings *stored)
{
	cli_short_add(walk->rows, version, entries, stored);
}

/* A damaged index hides the profiles of its version, but not the other versions. */
static int note_damage(struct walk *walk, int status)
{
	if (status != PERUN_INPUT)
		return status;
	walk->damaged++;
	walk->problem = perun_strdup(perun_ctx_error(walk->cli->ctx));
	perun_warn(walk->cli->ctx, "%s", walk->problem);
	perun_ctx_clear(walk->cli->ctx);
	return PERUN_OK;
}

static int visit(void *data, const struct perun_minor_version *version)
{
	struct walk *walk = data;
	struct perun_entries entries;
	struct perun_stored_findings stored;
	int status;

	if (walk->left == 0)
		return PERUN_STOP;
	status = note_damage(walk, read_version(walk, version->checksum, &entries, &stored));
	if (!status)
		walk->print(walk, version, &entries, &stored);
	perun_entries_free(&entries);
	perun_stored_findings_free(&stored);
	perun_free(walk->problem);
	walk->problem = NULL;
	if (status)
		return status;
	walk->any = true;
	perun_roots_note(&walk->roots, version);
	if (walk->left > 0 && --walk->left == 0)
		return PERUN_STOP;
	if (ferror(stdout))
		return PERUN_STOP; /* reported at the end */
	return perun_cancelled(walk->cli->ctx) ? PERUN_CANCELLED : PERUN_OK;
}

/* Whether there is no version yet. */
static int find_empty(struct cli *cli, struct perun_vcs *vcs, bool *empty)
{
	char *head;
	int status = perun_vcs_find_minor_head(cli->ctx, vcs, &head);

	*empty = !status && !head;
	perun_free(head);
	return status;
}

int cli_log(struct cli *cli, const struct cli_call *call)
{
	bool json = perun_option_flag(call->options, "json");
	bool brief = perun_option_flag(call->options, "short") && !json;
	struct walk walk = {.cli = cli, .left = -1, .reader = {.ctx = cli->ctx}};
	struct commands_explanations explanations = {0};
	struct perun_vcs *vcs;
	struct perun_range range = {0};
	bool empty = false;
	int status = cli_open_vcs(cli, &vcs);

	walk.reader.store = cli->store;
	if (!status && !perun_option_given(call->options, "revision"))
		status = find_empty(cli, vcs, &empty);
	if (empty) {
		puts(json ? "{\n  \"minor_versions\": []\n}"
			  : "no commit yet: commit something, then measure it");
		return status;
	}
	if (!status)
		status = perun_lookup_range(cli->ctx, cli->store,
					    perun_option_string(call->options, "revision"), &range);
	if (!status && brief)
		status = cli_short_new(cli, &walk.rows);
	if (status) {
		perun_range_free(&range);
		return status;
	}
	walk.explanations = perun_option_flag(call->options, "explain") ? &explanations : NULL;
	walk.print = json ? print_fact : brief ? show_short : print_long;
	if (perun_option_given(call->options, "number"))
		walk.left = perun_option_integer(call->options, "number");
	cli_page(cli, "log");
	status = range.exclude
			 ? perun_vcs_walk_range(cli->ctx, vcs, range.exclude, range.head, visit,
						&walk)
			 : perun_vcs_walk_minor_versions(cli->ctx, vcs, range.head, visit, &walk);
	if (json && (walk.any || !status))
		puts(walk.any ? "\n  ]\n}" : "{\n  \"minor_versions\": []\n}");
	if (brief) {
		if (!status || status == PERUN_CANCELLED)
			cli_short_print(cli, walk.rows);
		cli_short_free(walk.rows);
	}
	cli_flush(cli);
	perun_stored_reader_end(&walk.reader);
	commands_explanations_free(&explanations);
	perun_roots_report(cli->ctx, vcs, &walk.roots);
	if (!status && walk.damaged)
		status = perun_fail(cli->ctx, PERUN_INPUT,
				    "the profiles of %zu version%s could not be read", walk.damaged,
				    walk.damaged == 1 ? "" : "s");
	perun_range_free(&range);
	return status;
}
