/* SPDX-License-Identifier: BSD-3-Clause */
/* perun collect: measure a program. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "cli/measure.h"
#include "cli/module.h"

const struct perun_option cli_collect_options[] = {
	{.name = "cmd",
	 .aliases = "-c",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "the program that is measured"},
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
	{.name = "params",
	 .aliases = "-p",
	 .metavar = "YAML",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "options of the collector, as a file or as text such as 'repeat: 5'"},
	{.name = "profile-name",
	 .aliases = "-pn",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the name of the new pending profile"},
	CLI_MEASURE_OPTIONS("-cp"),
	{0}};

/* A setting that is a list of texts, NULL-terminated; texts are owned by `*document`. */
static const char **setting_texts(struct cli *cli, const char *key, struct perun_json **document)
{
	const char **texts;
	size_t count = 0;

	if (perun_config_document(cli->ctx, cli->store, PERUN_CONFIG_NEAREST, key, document)) {
		perun_ctx_clear(cli->ctx);
		*document = NULL;
	}
	texts = perun_alloc_zero(perun_json_count(*document) + 1, sizeof *texts);
	for (size_t i = 0; i < perun_json_count(*document); i++) {
		const char *text = perun_json_as_string(perun_json_at(*document, i), NULL);

		if (text)
			texts[count++] = text;
	}
	return texts;
}

/* The template of a name given with -pn: it gets its ".perf" anyway. */
static char *name_template(const char *name)
{
	size_t length = strlen(name);

	if (length > 5 && strcmp(name + length - 5, ".perf") == 0)
		length -= 5;
	return perun_strndup(name, length);
}

static int add_collector(struct cli *cli, const struct cli_call *call, struct cli_units *units)
{
	struct cli_module module;
	struct cli_unit *unit;
	int status = cli_module_parse(cli, PERUN_KIND_COLLECT, call->rest, &module);

	if (!status) {
		unit = cli_units_add(units, module.plugin->name);
		for (size_t i = 0; !status && i < perun_option_count(call->options, "params"); i++)
			status = cli_unit_yaml(cli, unit,
					       perun_option_string_at(call->options, "params", i));
		/* What stands on the command line comes last and wins. */
		for (size_t i = 0; i < module.argument_count; i++)
			cli_unit_word(unit, module.arguments[i]);
	}
	cli_module_free(&module);
	return status;
}

/* -c and the like are options of collect and stand before the collector. */
static void hint_at_order(struct cli *cli, const struct cli_call *call)
{
	const char *error = perun_ctx_error(cli->ctx);
	const struct perun_option_table table = {cli_collect_options, 0};

	if (!error || !strstr(error, "unknown option") || !call->rest[0])
		return;
	for (const char *const *word = call->rest + 1; *word; word++) {
		struct perun_ctx *quiet = perun_ctx_new(NULL);
		struct perun_options *options = NULL;
		const char *words[] = {*word, "x", NULL};
		bool ours =
			**word == '-' && strstr(error, *word) &&
			perun_options_parse(quiet, &table, 1, words, PERUN_PARSE_STOP_AT_POSITIONAL,
					    &options, NULL) == PERUN_OK;

		perun_options_free(options);
		perun_ctx_free(quiet);
		if (ours) {
			perun_fail(cli->ctx, PERUN_OK,
				   "%s is an option of perun collect and stands before the "
				   "collector's name",
				   *word);
			return;
		}
	}
}

int cli_collect(struct cli *cli, const struct cli_call *call)
{
	const struct perun_options *options = call->options;
	struct cli_measure measure = {.parents = perun_option_flag(options, "crawl-parents"),
				      .in_place = perun_option_flag(options, "in-place"),
				      .force_dirty = perun_option_flag(options, "force-dirty"),
				      .json = perun_option_flag(options, "json"),
				      .resume = perun_option_flag(options, "resume"),
				      .no_progress = perun_option_flag(options, "no-progress")};
	const char **cmds = cli_strings(options, "cmd"), **args = cli_strings(options, "args");
	const char **workloads = cli_strings(options, "workload");
	const char **revisions = cli_strings(options, "minor-version");
	struct perun_json *documents[2] = {NULL, NULL};
	char *name = NULL;
	int status = call->rest[0] ? PERUN_OK
				   : cli_module_missing(cli, PERUN_KIND_COLLECT, "collect",
							"a collector behind its options");

	if (!status)
		status = cli_open_store(cli);
	if (!status && !cmds[0]) {
		perun_free((void *)cmds);
		cmds = setting_texts(cli, "cmds", &documents[0]);
	}
	if (!status && !workloads[0]) {
		perun_free((void *)workloads);
		workloads = setting_texts(cli, "workloads", &documents[1]);
	}
	if (perun_option_given(options, "profile-name"))
		name = name_template(perun_option_string(options, "profile-name"));
	measure.name_template =
		name ? name : perun_option_string(options, "output-filename-template");
	measure.cmds = cmds;
	measure.args = args;
	measure.workloads = workloads;
	measure.revisions = revisions;
	if (!status)
		status = add_collector(cli, call, &measure.collectors);
	if (!status)
		status = cli_measure(cli, &measure);
	if (status == PERUN_USAGE)
		hint_at_order(cli, call);
	cli_units_free(&measure.collectors);
	perun_json_free(documents[0]);
	perun_json_free(documents[1]);
	perun_free((void *)cmds);
	perun_free((void *)args);
	perun_free((void *)workloads);
	perun_free((void *)revisions);
	perun_free(name);
	return status;
}
