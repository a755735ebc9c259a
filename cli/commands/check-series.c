/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check series: the changes of a series of measurements. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/compare.h>
#include <perun/lib/module.h>
#include <perun/lib/units.h>

#include "cli/commands/commands.h"
#include "cli/base/host.h"
#include "cli/commands/check-series.h"
#include "commands/common/output.h"

const struct perun_option cli_check_series_options[] = {
	{.name = "file",
	 .metavar = "FILE",
	 .flags = PERUN_OPTION_POSITIONAL,
	 .type = PERUN_OPTION_PATH,
	 .help = "JSON or CSV with a value for each version, the oldest first; - for standard "
		 "input"},
	{.name = "from",
	 .metavar = "REV..REV",
	 .type = PERUN_OPTION_STRING,
	 .help = "instead of a file, the profiles of the versions after the first up to the "
		 "second"},
	{.name = "metric",
	 .metavar = "METRIC",
	 .type = PERUN_OPTION_STRING,
	 .help = "with --from: the metric, by default the first of the profiles"},
	{.name = "location",
	 .metavar = "UID",
	 .type = PERUN_OPTION_STRING,
	 .help = "with --from: only this function"},
	COMMANDS_MACHINE_OPTION,
	COMMANDS_BETTER_OPTION,
	COMMANDS_THRESHOLD_OPTION,
	{.name = "column",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the column of a CSV file, by name or number from 1; the last by default"},
	{0}};

const char **cli_series_params(const struct cli_call *call)
{
	const struct perun_options *options = call->options;

	if (call->before && !perun_option_given(options, "params"))
		options = call->before;
	return cli_strings(options, "params");
}

/* Options of the check changepoint given with --params. */
static int take_param(struct cli *cli, const char *name, const struct perun_json *value,
		      struct perun_change_options *options)
{
	const char *text = perun_json_as_string(value, NULL);
	double number;

	if (cli_same_name(name, "algorithm") && text) {
		options->method = perun_change_method_from_name(text);
		return options->method == PERUN_CHANGE_METHODS
			       ? commands_fail_no_method(cli->ctx, text)
			       : PERUN_OK;
	}
	if (cli_same_name(name, "threshold")) {
		if (!perun_json_as_double(value, &number) || !(number >= 0))
			return perun_fail(cli->ctx, PERUN_USAGE,
					  "--params: threshold is a percentage");
		options->threshold = commands_threshold(number);
		return PERUN_OK;
	}
	return perun_fail(cli->ctx, PERUN_USAGE,
			  "--params: a series has no option '%s'; it has algorithm and threshold",
			  name);
}

static int take_params(struct cli *cli, const struct cli_call *call,
		       struct perun_change_options *options)
{
	const char **params = cli_series_params(call);
	int status = PERUN_OK;

	for (size_t i = 0; !status && params[i]; i++) {
		struct perun_json *document = NULL;

		status = perun_params_yaml(cli->ctx, "changepoint", params[i], &document);
		for (size_t j = 0; !status && j < perun_json_count(document); j++)
			status = take_param(cli, perun_json_key_at(document, j, NULL),
					    perun_json_at(document, j), options);
		perun_json_free(document);
	}
	perun_free((void *)params);
	return status;
}

int cli_change_options(struct cli *cli, const struct cli_call *call,
		       struct perun_change_options *options)
{
	int status = commands_change_options(cli->ctx, cli_string(call, "method"), call->options,
					     options);

	if (!status)
		status = take_params(cli, call, options);
	/* --threshold of the sub-command comes before --params. */
	if (perun_option_given(call->options, "threshold"))
		options->threshold =
			commands_threshold(perun_option_number(call->options, "threshold"));
	return status;
}

/* Find the changes as these options say. */
static int cli_series_changes(struct cli *cli, const struct cli_call *call,
			      const struct perun_strand *series, struct perun_segmentation *changes)
{
	struct perun_value_series given = perun_strand_series(series);
	struct perun_change_options options;
	int status = cli_change_options(cli, call, &options);

	/* What numbers of a file are nobody knows: neighbours alone do not show how they vary. */
	if (given.starts && given.starts[given.count] == perun_strand_measured(series))
		given.starts = NULL;
	return status ? status : perun_find_changes(cli->ctx, &given, &options, changes);
}

static void print_text(const struct perun_command_call *call, const struct perun_strand *series,
		       const struct perun_segmentation *changes, bool explain)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_change_point *point = &changes->points[i];

		commands_print_point(call, series, point, &(struct commands_change_line){0});
		if (explain)
			commands_print_basis(call, point);
	}
	if (changes->trend.found)
		commands_print_trend(call, series, &changes->trend);
	if (changes->count == 0)
		perun_output_text(call->output, "no changes found\n");
	if (explain)
		perun_output_printf(call->output,
				    "%zu values; noise %.4g (standard deviation of one value), "
				    "autocorrelation %.2f\n",
				    series->count, changes->noise, changes->correlation);
}

static int check_file(struct cli *cli, const struct cli_call *call,
		      const struct perun_command_call *output, bool *worse)
{
	struct perun_value_file *file = NULL;
	struct perun_strand strand = {0};
	const struct perun_strand *strands[] = {&strand};
	struct perun_segmentation changes = {0};
	bool higher = commands_direction(call->options) == PERUN_BETTER_HIGHER;
	int status = perun_value_file_read(cli->ctx, perun_option_string(call->options, "file"),
					   perun_option_string(call->options, "column"), &file);

	strand = *perun_value_file_strand(file);
	strand.higher = higher;
	if (!status && cli_series_plugin(call)) {
		status = cli_series_by_plugin(cli, call, strands, 1, worse);
		perun_value_file_free(file);
		return status;
	}
	if (!status && perun_strand_measured(&strand) < CLI_SERIES_MIN)
		perun_note(cli->ctx, "%zu values: a change shows from %d on",
			   perun_strand_measured(&strand), CLI_SERIES_MIN);
	if (!status)
		status = cli_series_changes(cli, call, &strand, &changes);
	for (size_t i = 0; !status && i < changes.count; i++)
		*worse |= perun_change_point_result(&changes.points[i], higher) ==
			  PERUN_RESULT_DEGRADATION;
	if (!status && cli_flag(call, "json"))
		commands_print_json(output, commands_json_strand(&strand, &changes, higher));
	else if (!status)
		print_text(output, &strand, &changes, cli_flag(call, "explain"));
	perun_segmentation_free(&changes);
	perun_value_file_free(file);
	return status;
}

int cli_check_series(struct cli *cli, const struct cli_call *call)
{
	bool file = perun_option_given(call->options, "file"), worse = false;
	struct cli_host host;
	int status;

	if (file == perun_option_given(call->options, "from"))
		return perun_fail(
			cli->ctx, PERUN_USAGE,
			file ? "either a file or --from"
			     : "expected a file, or --from REV..REV for a stored history");
	cli_host_begin(cli, "check", call->options, NULL, &host);
	status = file ? check_file(cli, call, &host.call, &worse)
		      : cli_check_history(cli, call, &host.call, &worse);
	return cli_host_end(&host, status ? status : worse ? PERUN_DEGRADED : PERUN_OK);
}
