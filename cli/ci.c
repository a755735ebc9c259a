/* SPDX-License-Identifier: BSD-3-Clause */
/* perun ci: is a version slower than another, told so that a build can act on it. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/format.h>

#include "cli/baselines.h"
#include "cli/ci.h"
#include "cli/facts.h"
#include "cli/hooks.h"
#include "cli/history.h"

const struct perun_option cli_ci_options[] = {CLI_VERSIONS_OPTIONS(0, ", the head by default"),
					      CLI_CHECKER_OPTIONS,
					      {.name = "format",
					       .aliases = "-f",
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
					      CLI_MACHINES_OPTION,
					      {.name = "unchanged", .flags = PERUN_OPTION_HIDDEN},
					      {.name = "json", .help = "print JSON"},
					      {0}};

/* ---- comparing ------------------------------------------------------------------------------- */

/* Arguments decide only where both are known. */
static bool is_pair(const struct perun_entry *base, const struct perun_entry *head)
{
	return strcmp(base->type, head->type) == 0 && strcmp(base->cmd, head->cmd) == 0 &&
	       strcmp(base->workload, head->workload) == 0 &&
	       strcmp(base->collector, head->collector) == 0 &&
	       (!base->args || !head->args || strcmp(base->args, head->args) == 0) &&
	       cli_compatible(base, head);
}

/* Each command once, whatever number of sessions it has. */
static void note_unpaired(struct cli_ci *ci, const struct perun_entry *entry,
			  enum perun_result result)
{
	const char *args = entry->args ? entry->args : "";
	char *what = perun_format("%s%s%s%s%s (%s, by %s)", entry->cmd, *args ? " " : "", args,
				  *entry->workload ? " " : "", entry->workload, entry->type,
				  entry->collector);

	for (size_t i = 0; i < ci->unpaired_count; i++) {
		if (ci->unpaired[i].result == result && strcmp(ci->unpaired[i].what, what) == 0) {
			perun_free(what);
			return;
		}
	}
	PERUN_GROW(ci->unpaired, ci->unpaired_count, ci->unpaired_capacity);
	ci->unpaired[ci->unpaired_count++] = (struct cli_ci_alone){result, what};
}

static void note_gone(struct cli_ci *ci, const struct perun_entries *bases,
		      const struct perun_entries *heads)
{
	for (size_t i = 0; i < bases->count; i++) {
		bool met = false;

		for (size_t j = 0; !met && j < heads->count; j++)
			met = is_pair(&bases->items[i], &heads->items[j]);
		if (!met)
			note_unpaired(ci, &bases->items[i], PERUN_RESULT_NOT_IN_TARGET);
	}
}

static int compare_entry(struct cli_checker *checker, const struct perun_entries *bases,
			 const struct cli_baselines *search, const struct perun_entry *head,
			 struct cli_ci *ci, struct cli_findings *findings)
{
	const struct perun_entry *only = cli_baseline_by_kind(checker->cli, bases, search->targets,
							      search->target_count, head);
	struct perun_profile *before = NULL, *after = NULL;
	size_t refused = checker->machines.refused;
	int status = cli_checker_load(checker, head->checksum, &after);

	/* The last one of the same class of machine. */
	for (size_t i = bases->count; !status && !before && i-- > 0;) {
		if (!is_pair(&bases->items[i], head) && &bases->items[i] != only)
			continue;
		if (&bases->items[i] == only)
			bases->items[i].workload = head->workload;
		status = cli_checker_load(checker, bases->items[i].checksum, &before);
		if (!status && !cli_machines_take(&checker->machines, before, after)) {
			perun_profile_unref(before);
			before = NULL;
		}
	}
	if (!status && !before && checker->machines.refused > refused)
		ci->elsewhere++;
	else if (!status && !before)
		note_unpaired(ci, head, PERUN_RESULT_NOT_IN_BASELINE);
	ci->paired += before != NULL;
	if (!status && before)
		status = cli_compare(checker, before, ci->base, after, ci->head, findings);
	perun_profile_unref(before);
	perun_profile_unref(after);
	return status;
}

static int compare_all(struct cli_checker *checker, struct cli_ci *ci,
		       struct cli_findings *findings)
{
	struct cli *cli = checker->cli;
	struct perun_entries bases = {0}, heads = {0};
	struct cli_baselines search = {0};
	int status = perun_store_entries(cli->ctx, cli->store, ci->base, &bases);

	if (!status)
		status = perun_store_entries(cli->ctx, cli->store, ci->head, &heads);
	if (!status && (bases.count == 0 || heads.count == 0))
		ci->nothing =
			perun_format("version %.8s has no profiles: measure it with perun collect "
				     "and keep the profile with perun add",
				     heads.count ? ci->base : ci->head);
	/* Of several profiles of one kind the last counts, as for check. */
	if (!status)
		status = cli_baselines_start(&search, cli, cli_checker_alike, checker, &heads, NULL,
					     0);
	cli_machines_forget(&checker->machines);
	for (size_t i = 0; !status && i < search.target_count; i++)
		status = compare_entry(checker, &bases, &search, search.targets[i], ci, findings);
	cli_baselines_free(&search);
	if (!status)
		note_gone(ci, &bases, &heads);
	if (!status && ci->elsewhere)
		ci->machines = perun_strdup(checker->machines.difference);
	perun_entries_free(&bases);
	perun_entries_free(&heads);
	return status;
}

/* ---- what is known --------------------------------------------------------------------------- */

static void count_item(struct cli_ci *ci, const struct cli_ci_item *item)
{
	size_t *counts[] = {&ci->worse, &ci->better, &ci->open, &ci->same, &ci->other};

	if (item->known)
		ci->known++;
	else
		++*counts[cli_ci_kind(&item->stored->change)];
}

static int take_items(struct cli *cli, struct perun_vcs *vcs, struct cli_ci *ci,
		      const struct cli_findings *findings)
{
	struct perun_acknowledgements *known = NULL;
	struct perun_between *between = NULL;
	int status = perun_acknowledgements_load(cli->ctx, cli->store, &known);

	if (!status)
		status = perun_between_load(cli->ctx, vcs, ci->base, ci->head, &between);
	ci->items = perun_alloc_zero(findings->count + 1, sizeof *ci->items);
	for (size_t i = 0; !status && i < findings->count; i++) {
		struct cli_ci_item *item = &ci->items[ci->count++];

		item->stored = &findings->items[i];
		if (cli_ci_kind(&item->stored->change) <= CLI_CI_BETTER)
			item->known =
				perun_acknowledged_between(known, between, &item->stored->change);
		count_item(ci, item);
	}
	perun_between_free(between);
	perun_acknowledgements_free(known);
	return status;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void print_json(const struct cli_ci *ci)
{
	json_t *document = json_object(), *changes = json_array(), *unpaired = json_array();
	struct perun_buffer headline = {0};

	cli_ci_headline(ci, &headline);
	for (size_t i = 0; i < ci->count; i++) {
		const struct cli_ci_item *item = &ci->items[i];
		json_t *fact = cli_fact_change(&item->stored->change, item->stored->minor,
					       item->stored->command);

		json_object_set_new(fact, "known", cli_fact_text(item->known));
		json_array_append_new(changes, fact);
	}
	json_object_set_new(document, "base", cli_fact_text(ci->base));
	json_object_set_new(document, "head", cli_fact_text(ci->head));
	for (size_t i = 0; i < ci->unpaired_count; i++) {
		json_t *fact = json_object();

		json_object_set_new(fact, "result",
				    json_string(perun_result_name(ci->unpaired[i].result)));
		json_object_set_new(fact, "command", cli_fact_text(ci->unpaired[i].what));
		json_array_append_new(unpaired, fact);
	}
	json_object_set_new(document, "verdict",
			    json_string(ci->worse             ? "degradation"
					: cli_ci_compared(ci) ? "passed"
							      : "none"));
	json_object_set_new(document, "summary", cli_fact_text(headline.data));
	json_object_set_new(document, "changes", changes);
	json_object_set_new(document, "unpaired", unpaired);
	json_object_set_new(document, "not_compared",
			    json_integer((json_int_t)(ci->elsewhere + ci->unpaired_count)));
	cli_print_facts(document);
	perun_buffer_free(&headline);
}

static void print_item(struct cli *cli, const struct cli_ci_item *item)
{
	const struct perun_change *change = &item->stored->change;
	enum cli_ci_kind kind = cli_ci_kind(change);

	printf("%s%s%s: ",
	       cli_color(cli, kind == CLI_CI_WORSE    ? CLI_RED
			      : kind == CLI_CI_BETTER ? CLI_GREEN
						      : CLI_BLUE),
	       perun_result_words(change->result), cli_color_end(cli));
	cli_print_safe(change->location);
	putchar(' ');
	cli_print_safe(change->metric && *change->metric ? change->metric : change->type);
	fputs(", ", stdout);
	cli_print_safe(change->from_baseline);
	fputs(" -> ", stdout);
	cli_print_safe(change->to_target);
	if (kind != CLI_CI_OTHER)
		printf(" (%.3gx)", change->rate);
	if (item->known) {
		fputs(" [known: ", stdout);
		cli_print_safe(item->known);
		putchar(']');
	}
	if (change->explanation && *change->explanation) {
		fputs("\n  ", stdout);
		cli_print_safe(change->explanation);
	}
	putchar('\n');
}

static void print_text(struct cli *cli, const struct cli_ci *ci)
{
	static const enum cli_ci_kind kinds[] = {CLI_CI_WORSE, CLI_CI_BETTER, CLI_CI_OPEN,
						 CLI_CI_OTHER};
	struct perun_buffer headline = {0};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		for (size_t i = 0; i < ci->count; i++) {
			if (cli_ci_kind(&ci->items[i].stored->change) == kinds[k])
				print_item(cli, &ci->items[i]);
		}
	}
	for (size_t i = 0; i < ci->unpaired_count; i++) {
		printf("%s%s%s: the profile of ", cli_color(cli, CLI_BLUE),
		       perun_result_words(ci->unpaired[i].result), cli_color_end(cli));
		cli_print_safe(ci->unpaired[i].what);
		putchar('\n');
	}
	cli_ci_headline(ci, &headline);
	printf("%.8s compared with %.8s: %s\n", ci->head, ci->base, headline.data);
	perun_buffer_free(&headline);
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

static int tell(struct cli *cli, const struct cli_call *call, const struct cli_ci *ci)
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
		print_text(cli, ci);
	return PERUN_OK;
}

/* Silence would pass for a good verdict. */
static int fail_without_verdict(struct cli *cli, const struct cli_ci *ci)
{
	char *reason = perun_strdup(ci->nothing);
	int status;

	if (!reason && ci->machines)
		reason = perun_format("the versions were measured on different classes of machines "
				      "(%s); --across-machines compares them all the same",
				      ci->machines);
	else if (!reason && !ci->paired)
		reason = perun_format("no profile of %.8s has a counterpart at %.8s (same kind, "
				      "command, workload and collector)",
				      ci->head, ci->base);
	else if (!reason)
		reason = perun_format("the profiles of %.8s and %.8s have no function or model in "
				      "common that the methods look at",
				      ci->base, ci->head);
	status = cli_fail_not_compared(cli, reason);
	perun_free(reason);
	return status;
}

/* Of several classes of machines what is of one is compared: the rest is said in a line. */
static void note_machines(struct cli *cli, const struct cli_ci *ci)
{
	if (ci->machines && cli_ci_compared(ci))
		perun_note(cli->ctx,
			   "%zu %s not compared: the other version was measured on another class "
			   "of machine (%s; --across-machines compares all the same)",
			   ci->elsewhere, ci->elsewhere == 1 ? "profile was" : "profiles were",
			   ci->machines);
}

int cli_ci(struct cli *cli, const struct cli_call *call)
{
	struct cli_findings findings = {0};
	struct cli_checker checker = {0};
	struct cli_ci ci = {0};
	json_t *degradations = NULL;
	struct perun_vcs *vcs;
	int status = cli_open_vcs(cli, &vcs);

	if (!status)
		status = cli_minor(cli, perun_option_string(call->options, "base"), &ci.base);
	if (!status)
		status = cli_minor(cli, perun_option_string(call->options, "head"), &ci.head);
	if (!status)
		status = cli_checker_start(cli, call, &checker);
	checker.unchanged = true;
	if (!status)
		status = compare_all(&checker, &ci, &findings);
	if (!status)
		status = take_items(cli, vcs, &ci, &findings);
	if (!status)
		status = tell(cli, call, &ci);
	for (size_t i = 0; !status && i < ci.count; i++) {
		if (!ci.items[i].known)
			cli_degradations_note(&degradations, ci.items[i].stored, ci.head);
	}
	cli_degradations_tell(cli, degradations);
	if (!status)
		note_machines(cli, &ci);
	if (!status && !cli_ci_compared(&ci))
		status = fail_without_verdict(cli, &ci);
	perun_free(ci.machines);
	perun_free(ci.nothing);
	for (size_t i = 0; i < ci.unpaired_count; i++)
		perun_free(ci.unpaired[i].what);
	perun_free(ci.unpaired);
	for (size_t i = 0; i < ci.count; i++)
		perun_free(ci.items[i].known);
	perun_free(ci.items);
	perun_free(ci.base);
	perun_free(ci.head);
	cli_checker_free(&checker);
	cli_findings_free(&findings);
	return status ? status : ci.worse ? PERUN_DEGRADED : PERUN_OK;
}
