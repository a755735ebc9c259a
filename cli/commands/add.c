/* SPDX-License-Identifier: BSD-3-Clause */
/* perun add: register profiles with a version. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"
#include "cli/base/lookup.h"

const struct perun_option cli_add_options[] = {
	{.name = "profile",
	 .metavar = "PROFILE",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED | PERUN_OPTION_REPEATABLE,
	 .help = "a file of any readable format, the name of a pending profile, or a tag such as "
		 "0@p or 0@p-3@p"},
	CLI_MINOR_OPTION("the version they belong to; by default the one each was measured at, "
			 "else the head"),
	{.name = "force",
	 .aliases = "-f",
	 .help = "register also profiles that were measured at another version"},
	{.name = "keep-profile", .help = "leave pending profiles in .perun/jobs"},
	{.name = "move", .help = "remove the files that were registered, wherever they are"},
	{.name = "expand",
	 .help = "store other formats as full Perun resources and not as they are"},
	{.name = "json", .help = "print JSON"},
	{0}};

static int find_paths(struct cli *cli, struct perun_lookup *lookup,
		      const struct perun_options *options, const char ***paths)
{
	size_t count = perun_option_count(options, "profile");
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++)
		status =
			cli_lookup_add(cli, lookup, perun_option_string_at(options, "profile", i),
				       PERUN_PLACE_PENDING | PERUN_PLACE_FILE | PERUN_PLACE_FOLDER);
	perun_lookup_unique(lookup);
	*paths = perun_alloc_zero(perun_lookup_count(lookup) + 1, sizeof **paths);
	for (size_t i = 0; !status && i < perun_lookup_count(lookup); i++)
		(*paths)[i] = perun_lookup_at(lookup, i)->path;
	return status;
}

static void print_json(const char *minor, const struct perun_additions *added, size_t count)
{
	struct perun_json *document = perun_json_object(), *facts = perun_json_array();

	for (size_t i = 0; i < count; i++) {
		const struct perun_added *one = perun_additions_at(added, i);
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "path", cli_json_text(one->path));
		perun_json_set(fact, "checksum", cli_json_text(one->status ? NULL : one->checksum));
		perun_json_set(fact, "minor_version",
			       cli_json_text(one->status ? NULL : one->minor));
		perun_json_set(fact, "already", perun_json_bool(one->already));
		perun_json_set(fact, "error", cli_json_text(one->error));
		perun_json_append(facts, fact);
	}
	perun_json_set(document, "minor_version", cli_json_text(minor));
	perun_json_set(document, "profiles", facts);
	cli_print_facts(document);
}

static size_t print_text(struct cli *cli, const struct perun_additions *added, size_t count)
{
	size_t good = 0;

	for (size_t i = 0; i < count; i++) {
		const struct perun_added *one = perun_additions_at(added, i);

		fputs(cli_color(cli, one->status ? CLI_RED : CLI_GREEN), stdout);
		if (one->status)
			fputs("failed", stdout);
		else
			printf("%sregistered with %.8s", one->already ? "already " : "",
			       one->minor);
		printf("%s  ", cli_color_end(cli));
		cli_print_safe(one->path);
		putchar('\n');
		good += !one->status;
	}
	if (good > 1)
		printf("%zu profiles registered\n", good);
	return good;
}

/* After one failure the reason is the message; after more there is a line for each. */
static int report_failures(struct cli *cli, const struct perun_additions *added, size_t count,
			   int status)
{
	size_t failed = 0, last = 0;

	for (size_t i = 0; i < count; i++) {
		if (perun_additions_at(added, i)->status) {
			failed++;
			last = i;
		}
	}
	if (failed == 0)
		return status;
	perun_ctx_clear(cli->ctx);
	if (failed == 1)
		return perun_fail(cli->ctx, status, "%s",
				  perun_additions_at(added, last)->error
					  ? perun_additions_at(added, last)->error
					  : "registration failed");
	for (size_t i = 0; i < count; i++) {
		if (perun_additions_at(added, i)->status)
			perun_warn(cli->ctx, "%s",
				   perun_additions_at(added, i)->error
					   ? perun_additions_at(added, i)->error
					   : perun_additions_at(added, i)->path);
	}
	return perun_fail(cli->ctx, status, "registration failed for %zu of %zu profiles", failed,
			  count);
}

int cli_add(struct cli *cli, const struct cli_call *call)
{
	struct perun_add_options how = {.struct_size = sizeof how,
					.force = perun_option_flag(call->options, "force"),
					.keep = perun_option_flag(call->options, "keep-profile"),
					.move = perun_option_flag(call->options, "move"),
					.expand = perun_option_flag(call->options, "expand")};
	const char **paths = NULL, *given = perun_option_string(call->options, "minor");
	struct perun_additions *added = NULL;
	struct perun_lookup *lookup;
	char *minor = NULL;
	int status = cli_open_store(cli);

	lookup = cli_lookup_new(cli, NULL, false);
	if (!status && how.keep && how.move)
		status = perun_fail(cli->ctx, PERUN_USAGE,
				    "--keep-profile and --move exclude each other");
	if (!status)
		status = cli_minor(cli, given, &minor);
	if (!status)
		status = find_paths(cli, lookup, call->options, &paths);
	if (!status && how.force && cli_interactive() &&
	    !cli_confirm(cli, "Register the profiles whatever version they were measured at?"))
		status = perun_fail(cli->ctx, PERUN_USAGE, "nothing was registered");
	if (!status) {
		status = perun_store_add(cli->ctx, cli->store, given || how.force ? minor : NULL,
					 paths, perun_lookup_count(lookup), &how, &added);
		if (added && perun_option_flag(call->options, "json"))
			print_json(minor, added, perun_lookup_count(lookup));
		else if (added)
			print_text(cli, added, perun_lookup_count(lookup));
		if (added && status)
			status = report_failures(cli, added, perun_lookup_count(lookup), status);
		perun_additions_free(added);
	}
	perun_free((void *)paths);
	perun_free(minor);
	perun_lookup_free(lookup);
	return status;
}
