/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check profiles: compare two profiles, of the store or plain files. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/lib/path.h>

#include "cli/commands/commands.h"
#include "cli/print/findings.h"
#include "cli/print/json.h"
#include "cli/commands/hooks.h"
#include "cli/print/listing.h"
#include "cli/base/lookup.h"

const struct perun_option cli_check_profiles_options[] = {
	{.name = "baseline",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_PATH,
	 .help = "the baseline: a tag such as HEAD~1^0@i, or a file"},
	{.name = "target",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_PATH,
	 .help = "the profile that is compared with it"},
	CLI_MINOR_OPTION("the version to look in, and that the findings are kept with"),
	COMMANDS_READ_OPTIONS,
	{0}};

struct two {
	struct perun_lookup *lookup;
	struct perun_profile *baseline, *target;
};

static int load_two(struct cli *cli, const struct cli_call *call, struct two *two)
{
	const char *words[] = {perun_option_string(call->options, "baseline"),
			       perun_option_string(call->options, "target")};
	struct perun_profile **profiles[] = {&two->baseline, &two->target};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < 2; i++) {
		status = cli_lookup_add(cli, two->lookup, words[i], PERUN_PLACE_ANY);
		if (!status && perun_lookup_count(two->lookup) != i + 1)
			status =
				perun_fail(cli->ctx, PERUN_USAGE,
					   "%s names several profiles; two are compared", words[i]);
		if (!status)
			status = perun_lookup_load(cli->ctx, two->lookup,
						   perun_lookup_at(two->lookup, i), profiles[i]);
	}
	return status;
}

/* How a profile came about, as an index entry has it. Texts belong to the profile. The name of a file is no workload. */
static struct perun_entry entry_of(const struct perun_profile *profile, const char *path)
{
	const char *workload = perun_profile_text(profile, "/header/workload");
	bool is_file = path && strcmp(workload, perun_path_base_name(path)) == 0;

	return (struct perun_entry){
		.struct_size = sizeof(struct perun_entry),
		.type = perun_profile_text(profile, "/header/type"),
		.cmd = perun_profile_text(profile, "/header/cmd"),
		.args = perun_profile_text(profile, "/header/args"),
		.workload = is_file ? "" : workload,
		.collector = perun_profile_text(profile, "/collector_info/name"),
		.postprocessors = perun_profile_postprocessors(profile),
	};
}

static int check_kind(struct cli *cli, const struct two *two)
{
	struct perun_entry baseline =
				   entry_of(two->baseline, perun_lookup_at(two->lookup, 0)->path),
			   target = entry_of(two->target, perun_lookup_at(two->lookup, 1)->path);
	const struct {
		const char *what, *one, *other;
	} facts[] = {{"type", baseline.type, target.type},
		     {"command", baseline.cmd, target.cmd},
		     {"arguments", baseline.args, target.args},
		     {"workload", baseline.workload, target.workload},
		     {"collector", baseline.collector, target.collector}};

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (strcmp(facts[i].one, facts[i].other) != 0)
			return perun_fail(
				cli->ctx, PERUN_USAGE,
				"the profiles differ in their %s ('%s' and '%s'); --force "
				"compares them all the same",
				facts[i].what, facts[i].one, facts[i].other);
	}
	if (!perun_entries_compatible(&baseline, &target))
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "the baseline is postprocessed by '%s', the target by '%s'; "
				  "--force compares them all the same",
				  baseline.postprocessors, target.postprocessors);
	return PERUN_OK;
}

static int check_machines(struct cli *cli, const struct perun_checker *checker,
			  const struct two *two)
{
	char *difference = perun_checker_difference(checker, two->baseline, two->target);
	int status = PERUN_OK;

	if (difference)
		status = perun_fail(cli->ctx, PERUN_NOT_COMPARED,
				    "nothing was compared: the profiles were measured on different "
				    "classes of machines (%s); --across-machines compares them all "
				    "the same",
				    difference);
	perun_free(difference);
	return status;
}

/* The version that a profile belongs to, "" when it does not say. */
static const char *version_of(const struct perun_place *place, const struct perun_profile *profile)
{
	if (place->kind == PERUN_PLACE_REGISTERED && *place->version)
		return place->version;
	return perun_profile_text(profile, "/origin");
}

/* Findings are kept with the version of the target, when there is a store and the version is known. */
static int save(struct cli *cli, const struct cli_call *call, struct perun_checker *checker,
		const char *target, const struct perun_findings *findings)
{
	const char *revision = perun_option_string(call->options, "minor");
	char *minor = NULL;
	int status = PERUN_OK;

	if (!cli->store || (!revision && !*target) || findings->count == 0)
		return PERUN_OK;
	if (revision)
		status = cli_minor(cli, revision, &minor);
	if (!status)
		status = perun_findings_save(checker, minor ? minor : target, findings);
	perun_free(minor);
	return status;
}

static void print_findings(struct cli *cli, const struct cli_call *call,
			   const struct perun_checker *checker,
			   const struct perun_findings *findings)
{
	struct perun_buffer text = {0};
	struct perun_json *facts = perun_json_array(), *document = perun_json_object();

	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];

		perun_json_append(facts, cli_json_change(item->change, item->minor, item->command));
	}
	perun_json_set(document, "changes", facts);
	perun_json_set(document, "compared", perun_json_int64((int64_t)findings->compared));
	if (cli_flag(call, "json")) {
		cli_print_facts(document);
		return;
	}
	perun_json_free(document);
	cli_add_findings(cli, call, NULL, NULL, findings, &text);
	fputs(text.data ? text.data : "", stdout);
	cli_print_compared(cli, checker, findings);
	perun_buffer_free(&text);
}

int cli_check_profiles(struct cli *cli, const struct cli_call *call)
{
	struct perun_findings findings = {0};
	struct perun_checker *checker = NULL;
	struct two two = {0};
	struct perun_json *degradations = NULL;
	int status;

	status = cli_find_store(cli);
	two.lookup = cli_lookup_new(cli, call->options, true);
	if (!status)
		status = cli_checker_new(cli, call, cli_flag(call, "unchanged"), &checker);
	if (!status)
		status = load_two(cli, call, &two);
	if (!status && !cli_flag(call, "force"))
		status = check_kind(cli, &two);
	if (!status && !cli_flag(call, "force"))
		status = check_machines(cli, checker, &two);
	if (!status)
		status = perun_check_profiles(
			checker, two.baseline,
			version_of(perun_lookup_at(two.lookup, 0), two.baseline), two.target,
			version_of(perun_lookup_at(two.lookup, 1), two.target), &findings);
	if (!status)
		status = save(cli, call, checker,
			      version_of(perun_lookup_at(two.lookup, 1), two.target), &findings);
	if (!status)
		print_findings(cli, call, checker, &findings);
	for (size_t i = 0; !status && i < findings.count; i++)
		cli_degradations_note(&degradations, &findings.items[i],
				      version_of(perun_lookup_at(two.lookup, 1), two.target));
	cli_degradations_report(cli, degradations);
	if (!status && !findings.compared)
		status = cli_fail_nothing(cli, &findings, NULL, NULL);
	if (!status && perun_findings_fail(&findings))
		status = PERUN_DEGRADED;
	perun_findings_free(&findings);
	perun_checker_free(checker);
	perun_profile_unref(two.baseline);
	perun_profile_unref(two.target);
	perun_lookup_free(two.lookup);
	return status;
}
