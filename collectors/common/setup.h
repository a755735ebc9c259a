/* SPDX-License-Identifier: BSD-3-Clause */
/* What collectors of one run of a program have in common: options, the wait, the head of the profile. */
#ifndef PERUN_COLLECTORS_SETUP_H
#define PERUN_COLLECTORS_SETUP_H

#include <perun/json.h>
#include <perun/profile.h>

#include "collectors/common/program.h"

/* The options of collectors_limits(). */
#define COLLECTORS_RUN_OPTIONS                                                               \
	{.name = "timeout",                                                                  \
	 .metavar = "DURATION",                                                              \
	 .help = "kill a program that takes longer and fail",                                \
	 .type = PERUN_OPTION_DURATION,                                                      \
	 .ranged = true,                                                                     \
	 .minimum = 0,                                                                       \
	 .maximum = 1e9},                                                                    \
	{                                                                                    \
		.name = "ignore-status", .help = "accept a program that ends with a failure" \
	}
/* How many resources there are before they are added up. */
#define COLLECTORS_LIMIT_OPTION(HELP)                                                      \
	{                                                                                  \
		.name = "limit", .metavar = "N", .help = HELP, .default_value = "100000",  \
		.type = PERUN_OPTION_INTEGER, .ranged = true, .minimum = 0, .maximum = 1e8 \
	}

/* The values of an option, NULL-terminated; an array to free, its texts are borrowed. */
const char **collectors_values_of(const struct perun_options *options, const char *name);

/* When a run is over. */
struct collectors_limits {
	double timeout; /* seconds, 0 = none */
	bool ignore_status;
};

struct collectors_limits collectors_limits(const struct perun_options *options);
/*
 * Whether a run that began at collectors_clock(0) `start` may go on: PERUN_CANCELLED when the user
 * interrupts, PERUN_INPUT with the reason when it takes too long. The caller kills it then.
 */
int collectors_check_time(struct perun_ctx *ctx, const struct collectors_limits *limits,
			  uint64_t start);
/* Fail if a run ended badly, unless the user accepts that. */
int collectors_judge_run(struct perun_ctx *ctx, const struct collectors_limits *limits,
			 const struct collectors_start *start, int wait_status);
/* Wait until a program ends; it is killed when it may not go on. */
int collectors_wait(struct perun_ctx *ctx, const struct collectors_limits *limits,
		    const struct collectors_child *child);

/*
 * The header of the profile, in its document: `units` is {type: unit} unless `unit` is NULL. Borrowed
 * from the builder.
 */
struct perun_json *collectors_add_header(struct perun_builder *builder,
					 const struct perun_collect_job *job, const char *type,
					 const char *unit_of, const char *unit);
/* Note in the profile what a metric is; less of it is better. */
void collectors_add_metric(struct perun_builder *builder, const char *name, const char *unit,
			   const char *description);
struct perun_column_builder *collectors_add_column(struct perun_table_builder *table,
						   const char *name, enum perun_type type,
						   enum perun_role role);

#endif
