/* SPDX-License-Identifier: BSD-3-Clause */
/* perun collect: measure a program. */
#include <config.h>

#include <string.h>

#include "cli/commands/commands.h"
#include "cli/print/measure.h"
#include "cli/base/module.h"

const struct perun_option cli_collect_options[] = {
	{.name = "cmd",
	 .aliases = "-c",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "the program that is measured"},
	CLI_PROGRAM_OPTIONS,
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

static void add_texts(const struct perun_options *options, const char *name,
		      struct perun_plan *plan, enum perun_plan_part part)
{
	for (size_t i = 0; i < perun_option_count(options, name); i++)
		perun_plan_add(plan, part, perun_option_string_at(options, name, i));
}

/* What is not given comes from the configuration. Not every collector needs a command. */
static int add_configured(struct cli *cli, struct perun_plan *plan, enum perun_plan_part part)
{
	return perun_plan_count(plan, part)
		       ? PERUN_OK
		       : perun_plan_configured(cli->ctx, cli->store, plan, part);
}

/* The template of a name given with -pn: it gets its ".perf" anyway. */
static char *name_template(const char *name)
{
	size_t length = strlen(name);

	if (length > 5 && strcmp(name + length - 5, ".perf") == 0)
		length -= 5;
	return perun_strndup(name, length);
}

static int add_collector(struct cli *cli, const struct cli_call *call, struct perun_plan *plan)
{
	const struct perun_options *options = call->options;
	struct cli_module module;
	int status = cli_module_parse(cli, PERUN_KIND_COLLECT, call->rest, &module);

	status = status ? status : cli_module_options(cli, &module, NULL);
	if (!status) {
		perun_plan_add(plan, PERUN_PLAN_COLLECTORS, module.plugin->name);
		for (size_t i = 0; !status && i < perun_option_count(options, "params"); i++)
			status = perun_plan_options(cli->ctx, plan, PERUN_PLAN_COLLECTORS,
						    module.plugin->name,
						    perun_option_string_at(options, "params", i));
		/* What is on the command line comes last and wins. */
		for (size_t i = 0; i < module.argument_count; i++)
			perun_plan_word(plan, PERUN_PLAN_COLLECTORS, module.arguments[i]);
	}
	cli_module_free(&module);
	return status;
}

int cli_collect(struct cli *cli, const struct cli_call *call)
{
	const struct perun_options *options = call->options;
	struct perun_plan *plan = perun_plan_new();
	struct perun_run_options how = cli_run_options_of(call, plan);
	char *name = NULL;
	/* What is wrong with its options is reported also where there is no store. */
	int status = call->rest[0] ? add_collector(cli, call, plan)
				   : cli_module_missing(cli, PERUN_KIND_COLLECT, "collect",
							"a collector after its options");

	status = status ? status : cli_open_store(cli);
	if (!status) {
		add_texts(options, "cmd", plan, PERUN_PLAN_COMMANDS);
		add_texts(options, "args", plan, PERUN_PLAN_ARGUMENTS);
		status = cli_add_workloads(cli, options, plan);
	}
	if (!status)
		status = add_configured(cli, plan, PERUN_PLAN_COMMANDS);
	if (!status)
		status = add_configured(cli, plan, PERUN_PLAN_WORKLOADS);
	if (perun_option_given(options, "profile-name"))
		how.name_template = name =
			name_template(perun_option_string(options, "profile-name"));
	if (!status)
		status = cli_measure(cli, call, plan, &how);
	perun_plan_free(plan);
	perun_free(name);
	return status;
}
