/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check --method PLUGIN series: a check plugin that looks at whole histories. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/check.h>
#include <perun/json.h>
#include <perun/lib/module.h>

#include "cli/print/listing.h"
#include "cli/print/json.h"
#include "cli/commands/check-series.h"

const char *cli_series_plugin(const struct cli_call *call)
{
	const char *name = cli_string(call, "method");

	if (!name || strcmp(name, "changepoint") == 0 ||
	    perun_change_method_from_name(name) != PERUN_CHANGE_METHODS)
		return NULL;
	return name;
}

static void print_finding(struct cli *cli, const struct perun_change *change, const char *command)
{
	const struct commands_change_line line = {.change = change, .command = command};
	const struct commands_screen screen = cli_screen(cli);
	struct perun_buffer text = {0};

	commands_add_change_line(&screen, &line, &text);
	commands_add_explanation(&screen, change, &text);
	fputs(text.data, stdout);
	perun_buffer_free(&text);
}

static size_t print_findings(struct cli *cli, const struct perun_report *report,
			     const char *command, struct perun_json *facts, bool *worse)
{
	size_t printed = 0;

	for (size_t i = 0; i < perun_report_count(report); i++) {
		const struct perun_change *change = perun_report_at(report, i);

		if (change->result == PERUN_RESULT_NO_CHANGE)
			continue;
		printed++;
		*worse |= perun_result_fails(change->result);
		if (facts)
			perun_json_append(facts, cli_json_change(change, "", command));
		else
			print_finding(cli, change, command);
	}
	return printed;
}

static bool is_first(const struct perun_strand *const *strands, size_t s)
{
	for (size_t i = 0; i < s; i++) {
		if (strcmp(strands[i]->command, strands[s]->command) == 0)
			return false;
	}
	return true;
}

int cli_series_by_plugin(struct cli *cli, const struct cli_call *call,
			 const struct perun_strand *const *strands, size_t count, bool *worse)
{
	struct perun_json *facts = cli_flag(call, "json") ? perun_json_array() : NULL;
	const char *method = perun_check_method(cli->ctx, cli_series_plugin(call));
	const char **params = cli_series_params(call);
	struct perun_modules units = {0};
	struct perun_module *unit = perun_modules_add(&units, method ? method : "");
	size_t printed = 0;
	int status = method ? PERUN_OK : commands_fail_no_method(cli->ctx, cli_series_plugin(call));

	for (size_t i = 0; !status && params[i]; i++)
		status = perun_module_yaml(cli->ctx, unit, params[i]);

	for (size_t s = 0; !status && s < count; s++) {
		struct perun_report *report;
		struct perun_profile *history = NULL;

		if (!is_first(strands, s))
			continue;
		report = perun_report_new();
		status = perun_strands_profile(cli->ctx, strands + s, count - s, &history);
		if (!status)
			status = perun_check_series(cli->ctx, method,
						    (const char *const *)unit->arguments, history,
						    report);
		if (!status)
			printed += print_findings(cli, report, strands[s]->command, facts, worse);
		perun_profile_unref(history);
		perun_report_free(report);
	}
	if (!status && facts) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "changes", facts);
		cli_print_facts(document);
		facts = NULL;
	} else if (!status && printed == 0) {
		puts("no changes found");
	}
	perun_json_free(facts);
	perun_modules_free(&units);
	perun_free((void *)params);
	return status;
}
