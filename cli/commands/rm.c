/* SPDX-License-Identifier: BSD-3-Clause */
/* perun rm: take profiles out of a version, or delete pending ones. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"
#include "cli/base/lookup.h"

const struct perun_option cli_rm_options[] = {
	{.name = "profile",
	 .metavar = "PROFILE",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED | PERUN_OPTION_REPEATABLE,
	 .help = "a tag such as 0@i, 0@i-3@i or 0@p, the name or checksum of a registered profile, "
		 "or the name of a pending one"},
	CLI_MINOR_OPTION("the version they are registered with, the head by default"),
	{.name = "json", .help = "print JSON"},
	{0}};

/*
 * The entries of one source (and version), so that all of a version go in one step.
 * Marks what was taken.
 */
static const struct perun_entry **take_entries(const struct perun_lookup *lookup, size_t first,
					       bool *taken, size_t *count)
{
	const struct perun_place *place = perun_lookup_at(lookup, first);
	const struct perun_entry **entries =
		perun_alloc_zero(perun_lookup_count(lookup), sizeof *entries);

	*count = 0;
	for (size_t i = first; i < perun_lookup_count(lookup); i++) {
		const struct perun_place *other = perun_lookup_at(lookup, i);

		if (other->kind != place->kind ||
		    (place->version && strcmp(place->version, other->version) != 0))
			continue;
		taken[i] = true;
		entries[(*count)++] = other->entry;
	}
	return entries;
}

static int remove_all(struct cli *cli, const struct perun_lookup *lookup)
{
	bool *taken = perun_alloc_zero(perun_lookup_count(lookup) + 1, sizeof *taken);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < perun_lookup_count(lookup); i++) {
		const struct perun_place *place = perun_lookup_at(lookup, i);
		const struct perun_entry **entries;
		size_t count;

		if (taken[i])
			continue;
		entries = take_entries(lookup, i, taken, &count);
		if (place->kind == PERUN_PLACE_PENDING)
			status = perun_store_remove_pending(cli->ctx, cli->store, entries, count);
		else
			status = perun_store_remove(cli->ctx, cli->store, place->version, entries,
						    count);
		perun_free(entries);
	}
	perun_free(taken);
	return status;
}

static void print_removed(const struct perun_lookup *lookup, bool json)
{
	struct perun_json *document = perun_json_object(), *facts = perun_json_array();

	for (size_t i = 0; i < perun_lookup_count(lookup); i++) {
		const struct perun_place *place = perun_lookup_at(lookup, i);
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "source", cli_json_text(place->name));
		perun_json_set(fact, "checksum",
			       cli_json_text(place->version ? place->entry->checksum : NULL));
		perun_json_set(fact, "minor_version", cli_json_text(place->version));
		perun_json_append(facts, fact);
		if (json)
			continue;
		printf("%s  ", place->kind == PERUN_PLACE_PENDING ? "deleted" : "deregistered");
		cli_print_safe(place->name);
		putchar('\n');
	}
	perun_json_set(document, "profiles", facts);
	if (json) {
		cli_print_facts(document);
		return;
	}
	if (perun_lookup_count(lookup) > 1)
		printf("%zu profiles removed\n", perun_lookup_count(lookup));
	perun_json_free(document);
}

int cli_rm(struct cli *cli, const struct cli_call *call)
{
	struct perun_lookup *lookup;
	size_t count = perun_option_count(call->options, "profile");
	int status = cli_open_store(cli);

	lookup = cli_lookup_new(cli, call->options, false);
	for (size_t i = 0; !status && i < count; i++)
		status = cli_lookup_add(cli, lookup,
					perun_option_string_at(call->options, "profile", i),
					PERUN_PLACE_REGISTERED | PERUN_PLACE_PENDING);
	perun_lookup_unique(lookup);
	for (size_t i = 0; !status && i < perun_lookup_count(lookup); i++) {
		if (perun_lookup_at(lookup, i)->version && !*perun_lookup_at(lookup, i)->version)
			status = perun_fail(cli->ctx, PERUN_INPUT,
					    "the profile %s is not registered with this version",
					    perun_lookup_at(lookup, i)->name);
	}
	if (!status)
		status = remove_all(cli, lookup);
	if (!status)
		print_removed(lookup, perun_option_flag(call->options, "json"));
	perun_lookup_free(lookup);
	return status;
}
