/* SPDX-License-Identifier: BSD-3-Clause */
/* perun status: the profiles of the current version, and those pending. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"
#include "cli/print/listing.h"
#include "cli/print/findings.h"
#include "commands/common/explanations.h"

const struct perun_option cli_status_options[] = {
	{.name = "short", .aliases = "-s", .help = "print only counts"},
	{.name = "sort-by",
	 .aliases = "-sb",
	 .metavar = "KEY",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "realpath type time cmd workload collector checksum source",
	 .help = "order of the profiles for this time; format.sort_profiles_by sets it for good"},
	{.name = "explain", .help = "print how each finding came about"},
	{.name = "json", .help = "print JSON"},
	{0}};

struct state {
	char *head, *major;
	struct perun_minor_version *version;
	struct perun_entries tracked, untracked;
	struct perun_stored_findings stored;
};

static void free_state(struct state *state)
{
	perun_free(state->head);
	perun_free(state->major);
	perun_minor_version_free(state->version);
	perun_entries_free(&state->tracked);
	perun_entries_free(&state->untracked);
	perun_stored_findings_free(&state->stored);
}

static int gather_version(struct cli *cli, struct perun_vcs *vcs,
			  struct perun_stored_reader *reader, struct state *state)
{
	int status = perun_lookup_version_info(cli->ctx, vcs, state->head, &state->version);

	if (!status)
		status = perun_store_entries(cli->ctx, cli->store, state->head, &state->tracked);
	return status ? status : perun_stored_findings_load(reader, state->head, &state->stored);
}

static int gather(struct cli *cli, const char *sort_by, struct state *state)
{
	struct perun_stored_reader reader = {.ctx = cli->ctx};
	struct perun_vcs *vcs;
	int status = cli_open_vcs(cli, &vcs);

	reader.store = cli->store;
	if (!status)
		status = perun_vcs_find_minor_head(cli->ctx, vcs, &state->head);
	if (!status)
		status = perun_vcs_get_head_major_version(cli->ctx, vcs, &state->major);
	if (!status && state->head)
		status = gather_version(cli, vcs, &reader, state);
	if (!status)
		status = perun_store_pending(cli->ctx, cli->store, &state->untracked);
	if (!status)
		status = perun_store_sort(cli->ctx, cli->store, &state->tracked, sort_by);
	if (!status)
		status = perun_store_sort(cli->ctx, cli->store, &state->untracked, sort_by);
	if (!status) {
		perun_lookup_labels(cli->ctx, cli->store, &state->tracked);
		perun_lookup_labels(cli->ctx, cli->store, &state->untracked);
	}
	perun_stored_reader_end(&reader);
	return status;
}

static struct perun_json *entries_fact(const struct perun_entries *entries, char kind)
{
	struct perun_json *facts = perun_json_array();
	char id[32];

	for (size_t i = 0; i < entries->count; i++) {
		snprintf(id, sizeof id, "%zu@%c", i, kind);
		perun_json_append(facts, cli_json_entry(perun_entries_at(entries, i), id));
	}
	return facts;
}

static void print_json(const struct state *state)
{
	struct perun_json *document = perun_json_object(), *changes = perun_json_array();

	for (size_t i = 0; i < state->stored.changes.count; i++) {
		const struct perun_stored_change *change =
			perun_stored_changes_at(&state->stored.changes, i);
		struct perun_json *fact =
			cli_json_change(change->change, change->minor, change->command);

		perun_json_set(fact, "known", cli_json_text(state->stored.known[i]));
		perun_json_append(changes, fact);
	}
	perun_json_set(document, "major_version", cli_json_text(state->major));
	perun_json_set(document, "minor_version",
		       state->version ? cli_json_version(state->version) : perun_json_null());
	perun_json_set(document, "tracked", entries_fact(&state->tracked, 'i'));
	perun_json_set(document, "untracked", entries_fact(&state->untracked, 'p'));
	perun_json_set(document, "changes", changes);
	cli_print_facts(document);
}

static void print_list(struct cli *cli, struct cli_table *table,
		       const struct perun_entries *entries, const char *what, char kind)
{
	cli_print_counts(cli, entries, what);
	if (table && entries->count) {
		fputs(":\n\n", stdout);
		cli_table_print(cli, table, entries, kind);
	} else {
		putchar('\n');
	}
}

/* The message without the empty lines at its end, and one. */
static void print_description(const char *description)
{
	size_t end = strlen(description);

	while (end > 0 && description[end - 1] == '\n')
		end--;
	if (end)
		cli_print_message(description, end, "");
	putchar('\n');
}

static void print_place(struct cli *cli, const struct state *state)
{
	if (state->head && strcmp(state->major, state->head) == 0) {
		fputs("At commit ", stdout);
	} else {
		printf("On branch %s", cli_color(cli, CLI_BOLD));
		cli_print_safe(state->major);
		printf("%s, %s", cli_color_end(cli), state->head ? "commit " : "no commit yet\n");
	}
	if (state->head)
		printf("%s%.8s%s\n", cli_color(cli, CLI_YELLOW), state->head, cli_color_end(cli));
}

static void print_text(struct cli *cli, const struct state *state, struct cli_table *table,
		       bool explain)
{
	const struct cli_change_list list = {.items = state->stored.changes.items,
					     .count = state->stored.changes.count,
					     .known = state->stored.known,
					     .known_count = state->stored.changes.count,
					     .version = state->head,
					     .explain = explain,
					     .stored = true};
	struct commands_explanations explanations = {0};
	struct perun_buffer text = {0};
	struct cli_change_counts counts = {0};

	print_place(cli, state);
	if (table && state->version) {
		putchar('\n');
		cli_print_version_head(state->version);
		putchar('\n');
		print_description(state->version->description);
	}
	if (state->version) {
		print_list(cli, table, &state->tracked, "tracked", 'i');
		if (table)
			putchar('\n');
	}
	print_list(cli, table, &state->untracked, "pending", 'p');
	if (table)
		putchar('\n');
	cli_count_changes(list.items, list.count, list.known, list.known_count, &counts);
	cli_print_change_summary(cli, &counts);
	if (!table)
		return;
	if (explain)
		commands_explain(cli->ctx, cli->store, &explanations, state->head,
				 state->stored.changes.items, list.count);
	cli_add_changes(cli, &list, &text);
	commands_explanations_free(&explanations);
	fputs(text.data ? text.data : "", stdout);
	perun_buffer_free(&text);
}

int cli_status(struct cli *cli, const struct cli_call *call)
{
	struct state state = {0};
	struct cli_table *table = NULL;
	char *format = NULL;
	int status = gather(cli, perun_option_string(call->options, "sort-by"), &state);

	if (!status && perun_option_flag(call->options, "json")) {
		print_json(&state);
	} else if (!status) {
		if (!perun_option_flag(call->options, "short")) {
			format = cli_layout(cli, "format.status");
			status = cli_table_new(cli, format, &table);
		}
		if (table) {
			cli_table_measure(table, &state.tracked);
			cli_table_measure(table, &state.untracked);
		}
		if (!status) {
			cli_page(cli, "status");
			print_text(cli, &state, table, perun_option_flag(call->options, "explain"));
		}
	}
	perun_free(format);
	cli_table_free(table);
	free_state(&state);
	return status;
}
