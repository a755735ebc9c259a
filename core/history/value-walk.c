/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a profile, one after the other, from the bytes that are kept of it. */
#include <string.h>

#include "core/context/structs.h"
#include "core/history/values.h"

enum { MAX_KNOWN = 1024 };

void perun_value_walk_init(struct perun_value_walk *walk,
			   const struct perun_reader_options *options)
{
	*walk = (struct perun_value_walk){0};
	PERUN_STRUCT_TAKE(&walk->options, options);
	walk->options.metric = perun_strdup(walk->options.metric);
	walk->options.location = perun_strdup(walk->options.location);
}

void perun_value_walk_free(struct perun_value_walk *walk)
{
	perun_free((char *)walk->options.metric);
	perun_free((char *)walk->options.location);
	perun_free(walk->plain_workload);
	perun_buffer_free(&walk->command);
	perun_buffer_free(&walk->workload);
	perun_buffer_free(&walk->location);
	perun_free(walk->repeats);
	for (size_t i = 0; i < walk->known_count; i++) {
		perun_free(walk->known[i].name);
		perun_free(walk->known[i].unit);
	}
	perun_free(walk->known);
}

/* Totals of functions come under the name of their metric once more. */
static bool is_wanted(const struct perun_value_walk *walk)
{
	if (walk->options.first_metric)
		return strcmp(walk->metric.name, walk->first) == 0;
	return !walk->options.metric || strcmp(walk->metric.name, walk->options.metric) == 0;
}

/* What is better by its name, which is searched for words once where profiles have the same metrics. */
static enum perun_direction likely_of(struct perun_value_walk *walk)
{
	const struct perun_metric_head *metric = &walk->metric;
	size_t place = walk->place++;
	struct perun_known_metric *known;

	if (place >= MAX_KNOWN)
		return perun_metric_head_likely(metric, walk->head.stacks);
	if (place == walk->known_count) {
		PERUN_GROW(walk->known, walk->known_count, walk->known_capacity);
		walk->known[walk->known_count++] = (struct perun_known_metric){0};
	}
	known = &walk->known[place];
	if (!known->name || known->stacks != walk->head.stacks ||
	    strcmp(known->name, metric->name) != 0 || strcmp(known->unit, metric->unit) != 0) {
		perun_free(known->name);
		perun_free(known->unit);
		*known = (struct perun_known_metric){
			.name = perun_strdup(metric->name),
			.unit = perun_strdup(metric->unit),
			.stacks = walk->head.stacks,
			.likely = perun_metric_head_likely(metric, walk->head.stacks)};
	}
	return known->likely;
}

/* Go to the next metric that is wanted. */
static bool next_metric(struct perun_value_walk *walk)
{
	while (walk->metrics > 0 && !walk->bytes.bad) {
		walk->metrics--;
		perun_metric_head_read(&walk->bytes, &walk->metric);
		walk->first = walk->first ? walk->first : walk->metric.name;
		if (is_wanted(walk)) {
			walk->groups = walk->metric.groups;
			walk->likely = likely_of(walk);
			return !walk->bytes.bad;
		}
		perun_bytes_take(&walk->bytes, walk->metric.bytes);
	}
	return false;
}

bool perun_value_walk_start(struct perun_value_walk *walk, const struct perun_buffer *body,
			    const char *command)
{
	walk->bytes = perun_bytes_of(body);
	perun_profile_head_read(&walk->bytes, &walk->head);
	walk->metrics = walk->head.metrics;
	walk->place = 0;
	walk->groups = 0;
	walk->first = NULL;
	perun_buffer_clear(&walk->command);
	perun_buffer_printf(&walk->command, "%s%s%s", command, *walk->head.arguments ? " " : "",
			    walk->head.arguments);
	return next_metric(walk);
}

void perun_value_walk_workload(struct perun_value_walk *walk, const char *workload)
{
	perun_free(walk->plain_workload);
	walk->plain_workload = perun_strdup(workload);
}

void perun_value_walk_stop(struct perun_value_walk *walk)
{
	walk->metrics = walk->groups = 0;
}

static void set_value(struct perun_value_walk *walk, const struct perun_value_group *group)
{
	const bool plain = !*group->text;

	perun_buffer_clear(&walk->workload);
	if (!plain)
		perun_buffer_printf(&walk->workload, "%s%s(%s)", walk->plain_workload,
				    *walk->plain_workload ? " " : "", group->text);
	perun_buffer_clear(&walk->location);
	if (group->flags & PERUN_GROUP_INCLUSIVE)
		perun_buffer_printf(&walk->location, "%s" PERUN_AND_CALLEES, group->location);
	if (walk->capacity < group->count) {
		walk->capacity = 2 * (size_t)group->count;
		walk->repeats =
			perun_realloc_array(walk->repeats, walk->capacity, sizeof *walk->repeats);
	}
	if (group->count)
		memcpy(walk->repeats, group->repeats, group->count * sizeof *walk->repeats);
	walk->value = (struct perun_value){
		.struct_size = sizeof walk->value,
		.kind = walk->metric.kind,
		.command = walk->command.data ? walk->command.data : "",
		.workload = plain ? walk->plain_workload : walk->workload.data,
		.metric = walk->metric.name,
		.unit = walk->metric.unit,
		.location = group->flags & PERUN_GROUP_INCLUSIVE ? walk->location.data
								 : group->location,
		.whole = group->flags & PERUN_GROUP_WHOLE,
		.total = group->flags & PERUN_GROUP_TOTAL,
		.better = walk->metric.better,
		.noise = walk->metric.noise,
		.sample = walk->metric.sample,
		.likely = walk->likely,
		.stacks = walk->head.stacks,
		.inclusive = group->flags & PERUN_GROUP_INCLUSIVE,
		.recorded = walk->head.recorded,
		.deviation = group->deviation,
		.median = group->median,
		.repeats = walk->repeats,
		.count = group->count};
}

static bool is_left_out(const struct perun_value_walk *walk, const struct perun_value_group *group)
{
	return (group->flags & PERUN_GROUP_TOTAL && !walk->options.totals) ||
	       (group->flags & PERUN_GROUP_INCLUSIVE && !walk->options.inclusive) ||
	       group->flags & PERUN_GROUP_AGAIN ||
	       (walk->options.location && strcmp(group->location, walk->options.location) != 0);
}

const struct perun_value *perun_value_walk_next(struct perun_value_walk *walk)
{
	struct perun_value_group group;

	while (walk->groups > 0 || next_metric(walk)) {
		if (walk->groups == 0)
			continue;
		walk->groups--;
		perun_value_group_read(&walk->bytes, &group);
		if (walk->bytes.bad)
			break;
		if (is_left_out(walk, &group))
			continue;
		set_value(walk, &group);
		return &walk->value;
	}
	perun_value_walk_stop(walk);
	return NULL;
}
