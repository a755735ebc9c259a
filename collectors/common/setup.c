/* SPDX-License-Identifier: BSD-3-Clause */
/* What collectors of one run of a program have in common. */
#include <config.h>

#include <poll.h>
#include <signal.h>

#include <perun/lib/advice.h>

#include "collectors/common/clock.h"
#include "collectors/common/setup.h"

const char **collectors_values_of(const struct perun_options *options, const char *name)
{
	size_t count = perun_option_count(options, name);
	const char **values = perun_alloc_zero(count + 1, sizeof *values);

	for (size_t i = 0; i < count; i++)
		values[i] = perun_option_string_at(options, name, i);
	return values;
}

struct collectors_limits collectors_limits(const struct perun_options *options)
{
	return (struct collectors_limits){.timeout = perun_option_number(options, "timeout"),
					  .ignore_status =
						  perun_option_flag(options, "ignore-status")};
}

int collectors_check_time(struct perun_ctx *ctx, const struct collectors_limits *limits,
			  uint64_t start)
{
	if (perun_cancelled(ctx))
		return PERUN_CANCELLED;
	if (limits->timeout > 0 && (double)(collectors_clock(0) - start) > limits->timeout * 1e9)
		return perun_fail(ctx, PERUN_INPUT, "timed out after %g s", limits->timeout);
	return PERUN_OK;
}

int collectors_judge_run(struct perun_ctx *ctx, const struct collectors_limits *limits,
			 const struct collectors_start *start, int wait_status)
{
	return limits->ignore_status ? PERUN_OK
				     : collectors_judge(ctx, start, wait_status,
							perun_advice(PERUN_ADVICE_ACCEPT_FAILURE));
}

int collectors_wait(struct perun_ctx *ctx, const struct collectors_limits *limits,
		    const struct collectors_child *child)
{
	struct pollfd wanted = {.fd = child->watched, .events = POLLIN};
	uint64_t start = collectors_clock(0);
	int status = PERUN_OK;

	while (!status && poll(&wanted, 1, 50) <= 0)
		status = collectors_check_time(ctx, limits, start);
	if (status)
		collectors_kill(child->pid);
	return status;
}

struct perun_json *collectors_add_header(struct perun_builder *builder,
					 const struct perun_collect_job *job, const char *type,
					 const char *unit_of, const char *unit)
{
	struct perun_json *header = perun_json_object(), *units = perun_json_object();

	perun_json_set(header, "type", perun_json_text(type));
	perun_json_set(header, "cmd", perun_json_text(job->command));
	perun_json_set(header, "workload", perun_json_text(job->workload));
	if (unit)
		perun_json_set(units, unit_of, perun_json_text(unit));
	perun_json_set(header, "units", units);
	perun_json_set(perun_builder_document(builder), "header", header);
	return header;
}

void collectors_add_metric(struct perun_builder *builder, const char *name, const char *unit,
			   const char *description)
{
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *metric = perun_json_object();

	if (!perun_json_get(document, "metrics"))
		perun_json_set(document, "metrics", perun_json_object());
	perun_json_set(metric, "unit", perun_json_text(unit));
	perun_json_set(metric, "better", perun_json_text("lower"));
	perun_json_set(metric, "description", perun_json_text(description));
	perun_json_set(perun_json_get(document, "metrics"), name, metric);
}

struct perun_column_builder *collectors_add_column(struct perun_table_builder *table,
						   const char *name, enum perun_type type,
						   enum perun_role role)
{
	const struct perun_column_info info = {.name = name, .type = type, .role = role};

	return perun_table_add_column(table, &info);
}
