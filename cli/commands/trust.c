/* SPDX-License-Identifier: BSD-3-Clause */
/* perun trust: allow a store's configuration to run its commands. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/lib/trust.h>

#include "cli/base/trust.h"
#include "cli/commands/commands.h"
#include "cli/print/json.h"

const struct perun_option cli_trust_options[] = {
	{.name = "show", .help = "only print what can run, and whether it is trusted"},
	{.name = "revoke", .help = "trust it no longer"},
	{.name = "yes", .aliases = "-y", .help = "do not ask, for scripts"},
	{.name = "json", .help = "print JSON"},
	{0}};

static void print_lines(const struct perun_json *settings)
{
	struct perun_words lines = {0};

	cli_trust_lines(&lines, settings);
	for (size_t i = 0; i < lines.count; i++) {
		fputs("  ", stdout);
		cli_print_safe(lines.items[i]);
		putchar('\n');
	}
	perun_words_free(&lines);
}

static void print_json(const struct cli *cli, enum perun_trust state,
		       const struct perun_json *settings)
{
	static const char *const names[] = {[PERUN_TRUST_NOTHING] = "nothing",
					    [PERUN_TRUST_GIVEN] = "trusted",
					    [PERUN_TRUST_VARIABLE] = "variable",
					    [PERUN_TRUST_MISSING] = "untrusted"};
	struct perun_json *facts = perun_json_object();

	perun_json_set(facts, "store", cli_json_text(perun_store_path(cli->store)));
	perun_json_set(facts, "state", perun_json_text(names[state]));
	perun_json_set(facts, "settings", perun_json_clone(settings));
	cli_print_facts(facts);
}

static void print_state(const struct cli *cli, enum perun_trust state,
			const struct perun_json *settings)
{
	static const char *const words[] = {
		[PERUN_TRUST_NOTHING] = "sets nothing that runs a command",
		[PERUN_TRUST_GIVEN] = "is trusted to run:",
		[PERUN_TRUST_VARIABLE] = "is trusted while PERUN_TRUST is set; it would run:",
		[PERUN_TRUST_MISSING] = "is not trusted; it would run:"};

	printf("%s/local.yml %s\n", perun_store_path(cli->store), words[state]);
	print_lines(settings);
}

static int revoke(struct cli *cli, bool json)
{
	enum perun_trust state;
	struct perun_json *settings = NULL;
	bool was;
	int status = perun_trust_revoke(cli->ctx, cli->store, &was);

	if (!status && json)
		status = perun_trust_state(cli->ctx, cli->store, &state, &settings);
	if (!status && json)
		print_json(cli, state, settings);
	else if (!status)
		printf("%s/local.yml %s\n", perun_store_path(cli->store),
		       was ? "is no longer trusted" : "was not trusted");
	perun_json_free(settings);
	return status;
}

/* What is shown is what is recorded, even if the file changes in the meantime. */
static int ask(struct cli *cli, const struct perun_json *settings, bool json)
{
	int status;

	fflush(stdout);
	if (!cli_confirm(cli, "Trust this configuration to run these commands?"))
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "%s/local.yml stays untrusted; perun trust --yes does not ask",
				  perun_store_path(cli->store));
	status = perun_trust_record(cli->ctx, cli->store, settings);
	if (!status && json)
		print_json(cli, PERUN_TRUST_GIVEN, settings);
	else if (!status)
		puts("Trusted, until one of these settings changes.");
	return status;
}

int cli_trust(struct cli *cli, const struct cli_call *call)
{
	const bool show = perun_option_flag(call->options, "show");
	const bool json = perun_option_flag(call->options, "json");
	struct perun_json *settings = NULL;
	enum perun_trust state;
	bool asks;
	int status;

	if (show && perun_option_flag(call->options, "revoke"))
		return perun_fail(cli->ctx, PERUN_USAGE, "--show and --revoke exclude each other");
	cli->yes |= perun_option_flag(call->options, "yes");
	status = cli_open_store(cli);
	if (!status && perun_option_flag(call->options, "revoke"))
		return revoke(cli, json);
	if (!status)
		status = perun_trust_state(cli->ctx, cli->store, &state, &settings);
	asks = !status && !show && state != PERUN_TRUST_NOTHING && state != PERUN_TRUST_GIVEN;
	if (!status && json && !asks)
		print_json(cli, state, settings);
	else if (!status && !json)
		print_state(cli, asks ? PERUN_TRUST_MISSING : state, settings);
	if (asks)
		status = ask(cli, settings, json);
	perun_json_free(settings);
	return status;
}
