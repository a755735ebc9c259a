/* SPDX-License-Identifier: BSD-3-Clause */
/* Series of measurements: where they come from, and what is said of their changes. */
#ifndef PERUN_CLI_SERIES_H
#define PERUN_CLI_SERIES_H

#include <jansson.h>

#include <perun/lib/changepoint.h>
#include <perun/check.h>
#include <perun/lib/history.h>

#include "cli/cli.h"

/* ---- options of commands that look for changes ----------------------------------------------- */

#define CLI_RANGE_OPTIONS                                                                 \
	{.name = "metric",                                                                \
	 .metavar = "METRIC",                                                             \
	 .type = PERUN_OPTION_STRING,                                                     \
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,                        \
	 .help = "what is looked at, such as time(real)"},                                \
	{                                                                                 \
		.name = "range", .metavar = "REV..REV", .type = PERUN_OPTION_STRING,      \
		.flags = PERUN_OPTION_POSITIONAL,                                         \
		.help = "the versions, both ends included; all up to the head by default" \
	}
#define CLI_BETTER_OPTION                                                                       \
	{                                                                                       \
		.name = "better", .type = PERUN_OPTION_CHOICE, .choices = "lower higher",       \
		.default_value = "lower",                                                       \
		.help = "which values are better, where a profile does not say; kept for next " \
			"time"                                                                  \
	}
#define CLI_METHOD_OPTION                                                                  \
	{                                                                                  \
		.name = "method", .metavar = "METHOD", .type = PERUN_OPTION_CHOICE,        \
		.choices = "segments e-divisive step t-test", .default_value = "segments", \
		.help = "how changes are found, see perun-check(1)"                        \
	}
#define CLI_THRESHOLD_OPTION                                                                    \
	{                                                                                       \
		.name = "threshold", .metavar = "PERCENT", .type = PERUN_OPTION_NUMBER,         \
		.ranged = true, .maximum = 1e6,                                                 \
		.help = "the smallest change that is reported, in percent of the level before " \
			"it; by default 1, of whole numbers 0.5; 0 for all that noise allows"   \
	}
/* The option of the commands that look at a history. */
#define CLI_MACHINE_OPTION                                                                    \
	{                                                                                     \
		.name = "machine", .metavar = "CLASS", .type = PERUN_OPTION_STRING,           \
		.help = "take the newest class of machine with this in its name; the newest " \
			"class by default"                                                    \
	}
/* What --better says; PERUN_BETTER_UNKNOWN when it is not given. */
enum perun_direction cli_told_direction(const struct cli_call *call);

/* So many values may show a change. */
enum { CLI_SERIES_LEAST = 4 };

/* ---- series ---------------------------------------------------------------------------------- */

/* Values of a file, one for each version. What is public of them points into the rest. */
struct cli_series {
	struct perun_strand strand;
	double *values, *repeats;
	size_t *starts;
	char **labels; /* NULL when the values have no names */
	size_t count, capacity, repeat_count, repeat_capacity;
};
void cli_series_free(struct cli_series *series);
/* Read JSON (a number, an array of repeats or null for each value) or CSV. */
int cli_series_read(struct cli *cli, const char *path, const char *column,
		    struct cli_series *series);

#define cli_strand_interval perun_strand_interval
#define cli_strand_measured perun_strand_measured
#define cli_relative_change perun_relative_change
/* Fail: no such method for a series. */
int cli_fail_no_method(struct cli *cli, const char *name);
/* What is given with --params of check, NULL-terminated; free the array. */
const char **cli_series_params(const struct cli_call *call);
/* What the options --method, --threshold and, of check, --params say. */
int cli_change_options(struct cli *cli, const struct cli_call *call,
		       struct perun_change_options *options);
/* Find the changes as these options say. */
int cli_series_changes(struct cli *cli, const struct cli_call *call,
		       const struct perun_strand *series, struct perun_segmentation *changes);
/* {"index", "result", "before", "after", ...}. */
json_t *cli_fact_change_point(const struct perun_strand *series,
			      const struct perun_change_point *point, bool higher_is_better);
/* {"change_points", "trend", "count", "noise", "correlation", "better"}. */
json_t *cli_fact_series(const struct perun_strand *series, const struct perun_segmentation *changes,
			bool higher);
/* One line. */
void cli_print_point(struct cli *cli, const struct perun_strand *series,
		     const struct perun_change_point *point, bool higher);
void cli_print_trend(const struct perun_strand *series, const struct perun_trend *trend);
/* perun check series --from: the changes of a stored history. `*worse`: one is bad news. */
int cli_check_history(struct cli *cli, const struct cli_call *call, bool *worse);
/* {"slope", "interval", "since", "version", "until"}, or null. */
json_t *cli_fact_trend(const struct perun_strand *series, const struct perun_trend *trend);

#endif
