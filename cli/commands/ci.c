/* SPDX-License-Identifier: BSD-3-Clause */
/* perun ci: is a version slower than another, reported so that a build can act on it. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/format.h>
#include <perun/lib/history.h>

#include "cli/commands/commands.h"
#include "cli/print/ci.h"
#include "cli/print/commits.h"
#include "cli/print/json.h"
#include "cli/commands/hooks.h"
#include "commands/common/lookup.h"

const struct perun_option cli_ci_options[] = {
	COMMANDS_VERSIONS_OPTIONS(0, ", the head by default"),
	CLI_CHECKER_OPTIONS,
	{.name = "format",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "text markdown junit json",
	 .default_value = "text",
	 .help = "what is printed"},
	{.name = "markdown",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "write a comment in Markdown as well"},
	{.name = "junit",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "write JUnit XML as well"},
	{.name = "site-url",
	 .metavar = "URL",
	 .type = PERUN_OPTION_STRING,
	 .help = "where perun site is published: the Markdown links to the pages of both versions"},
	CLI_MACHINES_OPTION,
	{.name = "unchanged", .flags = PERUN_OPTION_HIDDEN},
	{.name = "explain", .help = "print how each finding came about"},
	{.name = "json", .help = "print JSON"},
	{0}};

/* ---- what is known --------------------------------------------------------------------------- */

static void count_item(struct cli_ci *ci, const struct cli_ci_item *item)
{
	size_t *counts[] = {&ci->worse, &ci->better, &ci->failed, &ci->changed,
			    &ci->open,  &ci->same,   &ci->other};

	if (item->known)
		ci->known++;
	else
		++*counts[cli_ci_kind(item->stored->change)];
	ci->untimed |= !item->known && perun_result_is_change(item->stored->change->result) &&
		       !perun_change_is_timed(item->stored->change);
}

static void take_items(struct cli_ci *ci)
{
	const struct perun_findings *findings = ci->found;
	size_t *order = perun_alloc_zero(findings->count + 1, sizeof *order);

	ci->items = perun_alloc_zero(findings->count + 1, sizeof *ci->items);
	ci->count = commands_order_changes(findings->items, findings->count, order);
	for (size_t i = 0; i < ci->count; i++) {
		ci->items[i] =
			(struct cli_ci_item){&findings->items[order[i]], findings->known[order[i]]};
		count_item(ci, &ci->items[i]);
	}
	/* Parts of what did not change are not listed. */
	ci->same = findings->unchanged;
	perun_free(order);
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void print_json(const struct cli_ci *ci)
{
	struct perun_json *document = perun_json_object(), *changes = perun_json_array(),
			  *unpaired = perun_json_array();
	struct perun_buffer headline = {0};

	cli_ci_headline(ci, &headline);
	for (size_t i = 0; i < ci->found->count; i++) {
		const struct perun_stored_change *item = &ci->found->items[i];
		struct perun_json *fact = cli_json_change(item->change, item->minor, item->command);

		perun_json_set(fact, "known", cli_json_text(ci->found->known[i]));
		if (perun_result_is_change(item->change->result))
			perun_json_set(fact, "commits", cli_json_between(ci->between));
		perun_json_append(changes, fact);
	}
	perun_json_set(document, "base", cli_json_text(ci->base));
	perun_json_set(document, "head", cli_json_text(ci->head));
	for (size_t i = 0; i < ci->found->unpaired_count; i++) {
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "result",
			       perun_json_text(perun_result_name(ci->found->unpaired[i].result)));
		perun_json_set(fact, "command", cli_json_text(ci->found->unpaired[i].what));
		perun_json_append(unpaired, fact);
	}
	perun_json_set(document, "verdict",
		       perun_json_text(perun_findings_fail(ci->found) ? "degradation"
				       : cli_ci_compared(ci)          ? "passed"
								      : "none"));
	perun_json_set(document, "summary", cli_json_text(headline.data));
	perun_json_set(document, "changes", changes);
	perun_json_set(document, "unpaired", unpaired);
	perun_json_set(
		document, "not_compared",
		perun_json_int64((int64_t)(ci->found->elsewhere + ci->found->unpaired_count)));
	cli_print_facts(document);
	perun_buffer_free(&headline);
}

static void print_text(struct cli *cli, const struct cli_call *call, const struct cli_ci *ci)
{
	struct perun_buffer text = {0}, headline = {0};

	cli_add_findings(cli, call, ci->head, NULL, ci->found, &text);
	if (ci->worse || ci->better)
		commands_add_compared(cli->ctx, cli->store, ci->between, &ci->notes, &text);
	fputs(text.data ? text.data : "", stdout);
	cli_print_unpaired(ci->found, ci->base, ci->head);
	cli_print_unchanged(ci->same, ci->found->excluded);
	cli_ci_headline(ci, &headline);
	printf("%.8s compared with %.8s: %s\n", ci->head, ci->base, headline.data);
	cli_print_runs(ci->found->runs, ci->found->runs_by, ci->found->busy);
	if (cli_ci_compared(ci))
		cli_print_methods(ci->checker, ci->found->pairs == 1 ? ci->found->judged[0] : NULL);
	perun_buffer_clear(&text);
	if (cli_ci_offer(ci, &text)) {
		cli_print_safe(text.data);
		puts("");
	}
	perun_buffer_free(&headline);
	perun_buffer_free(&text);
}

static int write_file(struct cli *cli, const char *path, const struct cli_ci *ci,
		      void (*write)(const struct cli_ci *ci, struct perun_buffer *out))
{
	struct perun_buffer text = {0};
	struct perun_output *output;
	int status;

	if (!path)
		return PERUN_OK;
	write(ci, &text);
	status = perun_output_open(cli->ctx, path, &output);
	if (!status) {
		perun_output_write(output, text.data, text.length);
		status = perun_output_commit(cli->ctx, output);
		perun_output_close(output);
	}
	perun_buffer_free(&text);
	return status;
}

static int print_verdict(struct cli *cli, const struct cli_call *call, const struct cli_ci *ci)
{
	const char *format = perun_option_flag(call->options, "json")
				     ? "json"
				     : perun_option_string(call->options, "format");
	int status = write_file(cli, perun_option_string(call->options, "markdown"), ci,
				cli_ci_markdown);

	if (!status)
		status = write_file(cli, perun_option_string(call->options, "junit"), ci,
				    cli_ci_junit);
	if (status)
		return status;
	if (strcmp(format, "markdown") == 0)
		return write_file(cli, "-", ci, cli_ci_markdown);
	if (strcmp(format, "junit") == 0)
		return write_file(cli, "-", ci, cli_ci_junit);
	if (strcmp(format, "json") == 0)
		print_json(ci);
	else
		print_text(cli, call, ci);
	return PERUN_OK;
}

static int compare(struct cli *cli, const struct cli_call *call, struct cli_ci *ci)
{
	struct perun_json *degradations = NULL;
	int status;

	take_items(ci);
	status = print_verdict(cli, call, ci);
	for (size_t i = 0; !status && i < ci->found->count; i++) {
		if (!ci->found->known[i])
			cli_degradations_note(&degradations, &ci->found->items[i], ci->head);
	}
	cli_degradations_report(cli, degradations);
	if (!status && ci->found->elsewhere && cli_ci_compared(ci))
		cli_note_elsewhere(cli, ci->found->elsewhere, ci->found->difference);
	/* Silence would pass for a good verdict. */
	if (!status && !cli_ci_compared(ci))
		status = cli_fail_nothing(cli, ci->found, ci->base, ci->head);
	perun_free(ci->items);
	return status;
}

int cli_ci(struct cli *cli, const struct cli_call *call)
{
	struct perun_findings findings = {0};
	struct perun_checker *checker = NULL;
	struct cli_ci ci = {.found = &findings,
			    .site = perun_option_string(call->options, "site-url")};
	struct perun_vcs *vcs;
	int status = cli_open_vcs(cli, &vcs);

	if (!status)
		status = cli_minor(cli, perun_option_string(call->options, "base"), &ci.base);
	if (!status)
		status = cli_minor(cli, perun_option_string(call->options, "head"), &ci.head);
	if (!status)
		status = cli_checker_new(cli, call, true, &checker);
	if (!status)
		status = perun_check_versions(checker, ci.base, ci.head, &findings);
	if (!status)
		status = perun_between_load(cli->ctx, vcs, ci.base, ci.head, &ci.between);
	if (!status)
		status = commands_note_between(cli->ctx, cli->store, ci.between, &findings,
					       &ci.notes);
	ci.checker = checker;
	if (!status)
		status = compare(cli, call, &ci);
	perun_free(ci.base);
	perun_free(ci.head);
	perun_between_free(ci.between);
	commands_between_notes_free(&ci.notes);
	perun_checker_free(checker);
	if (!status && perun_findings_fail(&findings))
		status = PERUN_DEGRADED;
	perun_findings_free(&findings);
	return status;
}
