/* SPDX-License-Identifier: BSD-3-Clause */
/* Histories and their changes, by the options of a command, as text and as JSON. */
#ifndef PERUN_COMMANDS_COMMON_HISTORY_H
#define PERUN_COMMANDS_COMMON_HISTORY_H

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/history.h>

#include "change-line.h"

/* ---- options of commands that look for changes ----------------------------------------------- */

#define COMMANDS_RANGE_OPTIONS                                                                  \
	{.name = "metric",                                                                      \
	 .metavar = "METRIC",                                                                   \
	 .type = PERUN_OPTION_STRING,                                                           \
	 .flags = PERUN_OPTION_POSITIONAL,                                                      \
	 .help = "the metric, such as time(real); the leading one by default"},                 \
	{                                                                                       \
		.name = "range", .metavar = "REV..REV", .type = PERUN_OPTION_STRING,            \
		.flags = PERUN_OPTION_POSITIONAL,                                               \
		.help = "the versions after the first up to the second; all up to the head by " \
			"default"                                                               \
	}
#define COMMANDS_BETTER_OPTION                                                                  \
	{                                                                                       \
		.name = "better", .type = PERUN_OPTION_CHOICE, .choices = "lower higher",       \
		.default_value = "lower",                                                       \
		.help = "which values are better, where a profile does not say; kept for next " \
			"time"                                                                  \
	}
#define COMMANDS_METHOD_OPTION                                                             \
	{                                                                                  \
		.name = "method", .metavar = "METHOD", .type = PERUN_OPTION_CHOICE,        \
		.choices = "segments e-divisive step t-test", .default_value = "segments", \
		.help = "how changes are found, see perun-check(1)"                        \
	}
#define COMMANDS_THRESHOLD_OPTION                                                               \
	{                                                                                       \
		.name = "threshold", .metavar = "PERCENT", .type = PERUN_OPTION_NUMBER,         \
		.ranged = true, .maximum = 1e6,                                                 \
		.help = "the smallest change that is reported, in percent of the level before " \
			"it; by default 1, of whole numbers 0.5; 0 for all that noise allows"   \
	}
/* The option of the commands that look at a history. */
#define COMMANDS_MACHINE_OPTION                                                               \
	{                                                                                     \
		.name = "machine", .metavar = "CLASS", .type = PERUN_OPTION_STRING,           \
		.help = "take the newest class of machine with this in its name; the newest " \
			"class by default"                                                    \
	}
/* To be beside the option before: the values of all classes. */
#define COMMANDS_ACROSS_MACHINES_OPTION                                                   \
	{                                                                                 \
		.name = "across-machines",                                                \
		.help = "compare also what was measured on different classes of machines" \
	}
/* What --better says; PERUN_BETTER_UNKNOWN when it is not given. */
enum perun_direction commands_direction(const struct perun_options *options);
/* What --metric, --machine and --better say, and the range. */
struct perun_history_options commands_history_query(const struct perun_options *options,
						    const char *range, bool across_machines);
/*
 * What a method and --threshold say; the check "changepoint", or NULL, is its default algorithm. PERUN_USAGE when
 * the method finds no changes of a series.
 */
int commands_change_options(struct perun_ctx *ctx, const char *method,
			    const struct perun_options *options,
			    struct perun_change_options *change_options);
/* A threshold of 0 percent leaves everything that noise allows. */
double commands_threshold(double percent);
/* Fail: no such method for a series. */
int commands_fail_no_method(struct perun_ctx *ctx, const char *name);

/* ---- histories ------------------------------------------------------------------------------- */

/* "time" means "time(real)", and any name the only metric that begins so. NULL = none, or several. */
const char *commands_find_metric(char *const *names, size_t count, const char *wanted);
/*
 * Load a history, of the metric that is meant where only a part of its name is given; a note says what was measured on other
 * machines, and a direction that was given is kept.
 * Free it with perun_history_free() also after a failure.
 */
int commands_history_load(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_history_options *query,
			  struct perun_history **history);
/* Version i of a history, and its subject, which is the caller's. */
const struct perun_minor_version *commands_history_version(const struct perun_history *history,
							   size_t i);
char *commands_history_subject(const struct perun_history *history, size_t i);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Seconds since the epoch as "2024-03-08T10:00:00+01:00". */
struct perun_json *commands_json_time(int64_t seconds);
/* {"index", "result", "before", "after", ...}. */
struct perun_json *commands_json_change_point(const struct perun_strand *strand,
					      const struct perun_change_point *point, bool higher);
/* {"change_points", "trend", "count", "noise", "correlation", "better"}. */
struct perun_json *commands_json_strand(const struct perun_strand *strand,
					const struct perun_segmentation *changes, bool higher);
/* Change point i of such a document. */
struct perun_json *commands_json_point_at(struct perun_json *document, size_t i);
/* The commits that may be a change: those after the last measured version, with versions and subjects. */
struct perun_json *commands_json_commits(struct perun_ctx *ctx, struct perun_store *store,
					 const struct perun_history *history,
					 const struct perun_strand *strand, size_t index);

/* ---- text ------------------------------------------------------------------------------------ */

/* A line for a change; `more` has what else it says: location and type of its change, command, subject. */
void commands_print_point(const struct perun_command_call *call, const struct perun_strand *strand,
			  const struct perun_change_point *point,
			  const struct commands_change_line *more);
/* The values that a change was found from, below its line. */
void commands_print_basis(const struct perun_command_call *call,
			  const struct perun_change_point *point);
/* The commits that may be a change, if there are several. */
void commands_print_commits(struct perun_ctx *ctx, struct perun_store *store,
			    const struct perun_command_call *call,
			    const struct perun_history *history, const struct perun_strand *strand,
			    size_t index);
void commands_print_trend(const struct perun_command_call *call, const struct perun_strand *strand,
			  const struct perun_trend *trend);

#endif
