/* SPDX-License-Identifier: BSD-3-Clause */
/* perun fsck, gc and recover: the care of a store. */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>

#include <perun/lib/history.h>
#include <perun/lib/program.h>

#include "cli/cli.h"
#include "cli/facts.h"

const struct perun_option cli_fsck_options[] = {
	{.name = "adopt", .help = "accept indexes that another program has changed"},
	{.name = "json", .help = "print JSON"},
	{0}};
const struct perun_option cli_gc_options[] = {
	{.name = "older-than",
	 .metavar = "TIME",
	 .type = PERUN_OPTION_DURATION,
	 .default_value = "14d",
	 .help = "spare what is younger, such as 14d or 12h"},
	{.name = "dry-run", .aliases = "-n", .help = "only say what would be removed"},
	{.name = "json", .help = "print JSON"},
	{0}};

const struct perun_option cli_recover_options[] = {{.name = "json", .help = "print JSON"}, {0}};

/* ---- fsck ------------------------------------------------------------------------------------ */

struct findings {
	json_t *facts; /* NULL = print */
	uint64_t count;
};

static void on_problem(void *data, const char *path, const char *problem)
{
	struct findings *findings = data;

	findings->count++;
	if (findings->facts) {
		json_t *fact = json_object();

		json_object_set_new(fact, "path", cli_fact_text(path));
		json_object_set_new(fact, "problem", cli_fact_text(problem));
		json_array_append_new(findings->facts, fact);
		return;
	}
	cli_print_safe(path);
	fputs(": ", stdout);
	cli_print_safe(problem);
	putchar('\n');
}

int cli_fsck(struct cli *cli, const struct cli_call *call)
{
	bool json = perun_option_flag(call->options, "json");
	struct findings findings = {.facts = json ? json_array() : NULL};
	uint64_t checked = 0;
	int status = cli_open_store(cli);

	if (!status)
		status = perun_store_fsck(cli->ctx, cli->store,
					  perun_option_flag(call->options, "adopt"), on_problem,
					  &findings, &checked);
	if (cli->store && json && (!status || findings.count)) {
		json_t *document = json_object();

		json_object_set_new(document, "checked", json_integer((json_int_t)checked));
		json_object_set(document, "problems", findings.facts);
		cli_print_facts(document);
	} else if (!status) {
		/* What was told and is no failure is harmless, and says so. */
		printf("%" PRIu64 " files checked, 0 problems found", checked);
		if (findings.count)
			printf("; %" PRIu64 " harmless remark%s", findings.count,
			       findings.count == 1 ? "" : "s");
		putchar('\n');
	}
	json_decref(findings.facts);
	if (status && findings.count && !perun_ctx_error(cli->ctx))
		perun_fail(cli->ctx, status, "the store is damaged: %" PRIu64 " problems found",
			   findings.count);
	return status;
}

/* ---- gc -------------------------------------------------------------------------------------- */

struct removals {
	json_t *facts; /* NULL = print */
	bool verbose;
	uint64_t count, bytes;
};

static void on_removal(void *data, const char *path, uint64_t size)
{
	struct removals *removals = data;

	removals->count++;
	removals->bytes += size;
	if (removals->facts) {
		json_t *fact = json_object();

		json_object_set_new(fact, "path", cli_fact_text(path));
		json_object_set_new(fact, "size", json_integer((json_int_t)size));
		json_array_append_new(removals->facts, fact);
	} else if (removals->verbose) {
		cli_print_safe(path);
		putchar('\n');
	}
}

int cli_gc(struct cli *cli, const struct cli_call *call)
{
	struct perun_gc_options how = {
		.older_than = (int64_t)perun_option_number(call->options, "older-than"),
		.dry_run = perun_option_flag(call->options, "dry-run")};
	bool json = perun_option_flag(call->options, "json");
	struct removals removals = {.facts = json ? json_array() : NULL,
				    .verbose = how.dry_run || cli->verbose > 0};
	int status = cli_open_store(cli);

	if (!status)
		status = perun_store_gc(cli->ctx, cli->store, &how, on_removal, &removals);
	if (!status && !how.dry_run) {
		perun_history_forget(cli->store);
		perun_scratch_clear();
	}
	if (!status && json) {
		json_t *document = json_object();

		json_object_set_new(document, "dry_run", json_boolean(how.dry_run));
		json_object_set_new(document, "bytes", json_integer((json_int_t)removals.bytes));
		json_object_set(document, "removed", removals.facts);
		cli_print_facts(document);
	} else if (!status) {
		printf("%s %" PRIu64 " objects, %" PRIu64 " bytes\n",
		       how.dry_run ? "would remove" : "removed", removals.count, removals.bytes);
	}
	json_decref(removals.facts);
	return status;
}

/* ---- recover --------------------------------------------------------------------------------- */

int cli_recover(struct cli *cli, const struct cli_call *call)
{
	struct perun_vcs *vcs;
	char *what = NULL;
	size_t cleared = 0;
	int status = cli_open_store(cli);

	if (!status)
		status = perun_store_vcs(cli->ctx, cli->store, &vcs);
	if (!status)
		status = perun_vcs_recover(cli->ctx, vcs, false, &what);
	if (!status)
		cleared = perun_scratch_clear();
	if (!status && perun_option_flag(call->options, "json")) {
		json_t *document = json_object();

		json_object_set_new(document, "recovered", cli_fact_text(what));
		json_object_set_new(document, "directories", json_integer((json_int_t)cleared));
		cli_print_facts(document);
	} else if (!status) {
		if (what || !cleared) {
			cli_print_safe(what ? what : "nothing was left behind");
			putchar('\n');
		}
		if (cleared)
			printf("removed %zu temporary director%s of killed runs\n", cleared,
			       cleared == 1 ? "y" : "ies");
	}
	perun_free(what);
	return status;
}
