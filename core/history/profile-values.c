/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of one profile, one after the other. */
#include <string.h>

#include "core/history/values.h"

struct perun_profile_values {
	struct perun_reader_options options; /* its texts are copies */
	struct perun_buffer body, command, workload;
	char *plain_workload;
	struct perun_bytes bytes;
	struct perun_profile_head head;
	struct perun_metric_head metric;
	uint32_t metrics, groups; /* what is left of the profile and of the metric */
	double *repeats;          /* those in `body` are not aligned */
	size_t capacity;
	struct perun_value value;
};

int perun_profile_values_new(struct perun_ctx *ctx, struct perun_profile *profile,
			     const struct perun_reader_options *options,
			     struct perun_profile_values **values)
{
	struct perun_profile_values *made = perun_alloc_zero(1, sizeof *made);
	bool functions = options && options->functions;
	int status;

	if (options)
		made->options = *options;
	made->options.metric = options && options->metric ? perun_strdup(options->metric) : NULL;
	made->options.location =
		options && options->location ? perun_strdup(options->location) : NULL;
	made->plain_workload = perun_strdup(perun_profile_text(profile, "header.workload"));
	status = perun_values_of_profile(ctx, profile, functions ? PERUN_VALUES_FUNCTIONS : 0,
					 &made->body);
	if (status) {
		perun_profile_values_free(made);
		made = NULL;
	} else {
		made->bytes = (struct perun_bytes){.at = made->body.data,
						   .end = made->body.data + made->body.length};
		perun_profile_head_read(&made->bytes, &made->head);
		made->metrics = made->head.metrics;
		perun_buffer_printf(&made->command, "%s%s%s",
				    perun_profile_text(profile, "header.cmd"),
				    *made->head.arguments ? " " : "", made->head.arguments);
	}
	*values = made;
	return status;
}

void perun_profile_values_free(struct perun_profile_values *values)
{
	if (!values)
		return;
	perun_free((char *)values->options.metric);
	perun_free((char *)values->options.location);
	perun_free(values->plain_workload);
	perun_buffer_free(&values->body);
	perun_buffer_free(&values->command);
	perun_buffer_free(&values->workload);
	perun_free(values->repeats);
	perun_free(values);
}

static bool next_metric(struct perun_profile_values *values)
{
	while (values->metrics > 0 && !values->bytes.bad) {
		bool first = values->metrics-- == values->head.metrics;

		perun_metric_head_read(&values->bytes, &values->metric);
		if ((first || !values->options.first_metric) &&
		    (!values->options.metric ||
		     strcmp(values->options.metric, values->metric.name) == 0)) {
			values->groups = values->metric.groups;
			return !values->bytes.bad;
		}
		perun_bytes_take(&values->bytes, values->metric.bytes);
	}
	return false;
}

static const struct perun_value *set_value(struct perun_profile_values *values,
					   const struct perun_value_group *group)
{
	perun_buffer_clear(&values->workload);
	perun_buffer_add_text(&values->workload, values->plain_workload);
	if (*group->text)
		perun_buffer_printf(&values->workload, "%s(%s)", *values->plain_workload ? " " : "",
				    group->text);
	if (values->capacity < group->count) {
		values->capacity = 2 * (size_t)group->count;
		values->repeats = perun_realloc_array(values->repeats, values->capacity,
						      sizeof *values->repeats);
	}
	if (group->count)
		memcpy(values->repeats, group->repeats, group->count * sizeof *values->repeats);
	values->value = (struct perun_value){
		.struct_size = sizeof values->value,
		.kind = values->metric.kind,
		.command = values->command.data,
		.workload = values->workload.data,
		.metric = values->metric.name,
		.unit = values->metric.unit,
		.location = group->location,
		.whole = group->flags & PERUN_GROUP_WHOLE,
		.total = group->flags & PERUN_GROUP_TOTAL,
		.better = values->metric.better,
		.noise = values->metric.noise,
		.sample = values->metric.sample,
		.likely = perun_metric_head_likely(&values->metric, values->head.stacks),
		.stacks = values->head.stacks,
		.deviation = group->deviation,
		.repeats = values->repeats,
		.count = group->count};
	return &values->value;
}

const struct perun_value *perun_profile_value(struct perun_profile_values *values)
{
	struct perun_value_group group;

	while (values->groups > 0 || next_metric(values)) {
		if (values->groups == 0)
			continue;
		values->groups--;
		perun_value_group_read(&values->bytes, &group);
		if (values->bytes.bad)
			break;
		if ((group.flags & PERUN_GROUP_TOTAL && !values->options.totals) ||
		    (values->options.location &&
		     strcmp(group.location, values->options.location) != 0))
			continue;
		return set_value(values, &group);
	}
	values->groups = values->metrics = 0;
	return NULL;
}
