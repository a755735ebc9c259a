/* SPDX-License-Identifier: BSD-3-Clause */
/* perun run: measure several programs, workloads and collectors. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "cli/measure.h"

const struct perun_option cli_run_options[] = {CLI_MEASURE_OPTIONS("-c -cp"), {0}};

const struct perun_option cli_run_job_options[] = {
	{.name = "cmd",
	 .aliases = "-b",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE | PERUN_OPTION_REQUIRED,
	 .help = "a program that is measured"},
	{.name = "args",
	 .aliases = "-a",
	 .metavar = "ARGUMENTS",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "its arguments"},
	{.name = "workload",
	 .aliases = "-w",
	 .metavar = "WORKLOAD",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a further argument that the measurements differ in"},
	{.name = "collector",
	 .aliases = "-c",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE | PERUN_OPTION_REQUIRED,
	 .help = "a collector"},
	{.name = "collector-params",
	 .aliases = "-cp",
	 .metavar = "NAME YAML",
	 .values = 2,
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "options of a collector, as a file or as text such as 'repeat: 5'"},
	{.name = "postprocessor",
	 .aliases = "-p",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a postprocessor that each profile goes through"},
	{.name = "postprocessor-params",
	 .aliases = "-pp",
	 .metavar = "NAME YAML",
	 .values = 2,
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "options of a postprocessor"},
	{0}};

const struct perun_option cli_run_matrix_options[] = {
	{.name = "without-vcs-history", .aliases = "-q", .flags = PERUN_OPTION_HIDDEN}, {0}};

/* Units by name, and their parameters from pairs of values. */
static int add_units(struct cli *cli, const struct perun_options *options, const char *names,
		     const char *params, struct cli_units *units)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < perun_option_count(options, names); i++)
		cli_units_add(units, perun_option_string_at(options, names, i));
	for (size_t i = 0; !status && i + 1 < perun_option_count(options, params); i += 2) {
		const char *name = perun_option_string_at(options, params, i);
		bool found = false;

		for (size_t j = 0; !status && j < units->count; j++) {
			if (!cli_same_name(units->items[j].name, name))
				continue;
			found = true;
			status = cli_unit_yaml(cli, &units->items[j],
					       perun_option_string_at(options, params, i + 1));
		}
		if (!status && !found)
			status = perun_fail(cli->ctx, PERUN_USAGE,
					    "--%s %s: this %s is not in the job", params, name,
					    names);
	}
	return status;
}

static void begin(const struct cli_call *call, struct cli_measure *measure, const char ***revisions)
{
	bool behind = perun_option_given(call->options, "minor-version");

	*revisions = cli_strings(behind ? call->options : call->before, "minor-version");
	measure->revisions = *revisions;
	measure->parents = cli_flag(call, "crawl-parents");
	measure->in_place = cli_flag(call, "in-place");
	measure->force_dirty = cli_flag(call, "force-dirty");
	measure->json = cli_flag(call, "json");
	measure->resume = cli_flag(call, "resume");
	measure->no_progress = cli_flag(call, "no-progress");
	measure->name_template = cli_string(call, "output-filename-template");
}

/* Without a command its workload would be run instead. */
static int check_commands(struct cli *cli, const char *const *cmds)
{
	for (; *cmds; cmds++) {
		if ((*cmds)[strspn(*cmds, " \t\n")] == '\0')
			return perun_fail(cli->ctx, PERUN_USAGE, "a command is empty");
	}
	return PERUN_OK;
}

int cli_run_job(struct cli *cli, const struct cli_call *call)
{
	struct cli_measure measure = {0};
	const char **cmds = cli_strings(call->options, "cmd");
	const char **args = cli_strings(call->options, "args");
	const char **workloads = cli_strings(call->options, "workload");
	const char **revisions;
	int status = cli_open_store(cli);

	begin(call, &measure, &revisions);
	measure.cmds = cmds;
	measure.args = args;
	measure.workloads = workloads;
	if (!status)
		status = check_commands(cli, cmds);
	if (!status)
		status = add_units(cli, call->options, "collector", "collector-params",
				   &measure.collectors);
	if (!status)
		status = add_units(cli, call->options, "postprocessor", "postprocessor-params",
				   &measure.postprocessors);
	if (!status)
		status = cli_measure(cli, &measure);
	cli_units_free(&measure.collectors);
	cli_units_free(&measure.postprocessors);
	perun_free((void *)cmds);
	perun_free((void *)args);
	perun_free((void *)workloads);
	perun_free((void *)revisions);
	return status;
}

/* ---- matrix ---------------------------------------------------------------------------------- */

static int read_texts(struct cli *cli, const char *key, struct perun_json **document,
		      const char ***texts)
{
	size_t count;
	int status =
		perun_config_document(cli->ctx, cli->store, PERUN_CONFIG_NEAREST, key, document);

	count = perun_json_count(*document);
	*texts = perun_alloc_zero(count + 1, sizeof **texts);
	for (size_t i = 0; !status && i < count; i++) {
		(*texts)[i] = perun_json_as_string(perun_json_at(*document, i), NULL);
		if (!(*texts)[i])
			status =
				perun_fail(cli->ctx, PERUN_INPUT,
					   "the setting %s: entry %zu is no text; put it in quotes",
					   key, i + 1);
	}
	return status;
}

static int run_matrix(struct cli *cli, struct cli_measure *measure)
{
	static const char *const keys[] = {"cmds", "args", "workloads"};
	struct perun_json *documents[3] = {NULL, NULL, NULL};
	const char **texts[3] = {NULL, NULL, NULL};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < 3; i++)
		status = read_texts(cli, keys[i], &documents[i], &texts[i]);
	measure->cmds = texts[0];
	measure->args = texts[1];
	measure->workloads = texts[2];
	if (!status && !texts[0][0])
		status = perun_fail(cli->ctx, PERUN_INPUT,
				    "no commands are configured: list them under cmds in "
				    ".perun/local.yml (perun config edit)");
	if (!status)
		status = check_commands(cli, measure->cmds);
	if (!status)
		status = cli_units_from_setting(cli, "collectors", &measure->collectors);
	if (!status)
		status = cli_units_from_setting(cli, "postprocessors", &measure->postprocessors);
	if (!status)
		status = cli_measure(cli, measure);
	for (size_t i = 0; i < 3; i++) {
		perun_json_free(documents[i]);
		perun_free((void *)texts[i]);
	}
	cli_units_free(&measure->collectors);
	cli_units_free(&measure->postprocessors);
	return status;
}

int cli_run_matrix(struct cli *cli, const struct cli_call *call)
{
	struct cli_measure measure = {0};
	const char **revisions;
	int status = cli_open_store(cli);

	begin(call, &measure, &revisions);
	if (!status)
		status = run_matrix(cli, &measure);
	perun_free((void *)revisions);
	return status;
}

int cli_measure_missing(struct cli *cli, const char *minor, cli_has_profile *has_profile,
			void *data)
{
	const char *const revisions[] = {minor, NULL};
	struct cli_measure measure = {.revisions = revisions,
				      .quiet = true,
				      .registers = true,
				      .has_profile = has_profile,
				      .data = data};
	int status = run_matrix(cli, &measure);

	if (status)
		perun_fail(cli->ctx, PERUN_OK, "cannot measure version %.8s", minor);
	return status;
}
