/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a check: its findings. */
#include <config.h>

#include <string.h>

#include <perun/check.h>

#include "core/check/report.h"
#include "core/context/structs.h"

struct perun_report {
	struct perun_change **changes; /* each stays where it is */
	size_t count, capacity;
	const char *method; /* of the check that is running */
};

struct perun_report *perun_report_new(void)
{
	return perun_alloc_zero(1, sizeof(struct perun_report));
}

static void free_change(struct perun_change *change)
{
	perun_free((char *)change->location);
	perun_free((char *)change->type);
	perun_free((char *)change->from_baseline);
	perun_free((char *)change->to_target);
	perun_free((char *)change->confidence_type);
	perun_free((char *)change->method);
	perun_free((char *)change->metric);
	perun_free((char *)change->explanation);
	perun_free((char *)change->baseline);
	perun_free((struct perun_interval_change *)change->intervals);
	perun_free(change);
}

void perun_report_free(struct perun_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->count; i++)
		free_change(report->changes[i]);
	perun_free(report->changes);
	perun_free(report);
}

void perun_report_set_method(struct perun_report *report, const char *method)
{
	report->method = method;
}

static char *text(const char *given, const char *otherwise)
{
	return perun_strdup(given ? given : otherwise);
}

/* Intervals of its own, in the layout of this library. */
static void take_intervals(struct perun_change *change)
{
	struct perun_interval_change *own =
		perun_alloc_zero(change->interval_count + 1, sizeof *own);

	for (size_t i = 0; i < change->interval_count; i++)
		memcpy(&own[i], perun_change_interval(change, i),
		       change->interval_size < sizeof *own ? change->interval_size : sizeof *own);
	change->intervals = own;
	change->interval_size = sizeof *own;
}

void perun_report_add(struct perun_report *report, const struct perun_change *given)
{
	struct perun_change *change = perun_alloc_zero(1, sizeof *change);

	PERUN_STRUCT_TAKE(change, given);
	change->location = text(change->location, "");
	change->type = text(change->type, "");
	change->from_baseline = text(change->from_baseline, "");
	change->to_target = text(change->to_target, "");
	change->confidence_type = text(change->confidence_type, "no");
	change->method = text(report->method ? report->method : change->method, "");
	change->metric = text(change->metric, "");
	change->explanation = text(change->explanation, "");
	change->baseline = change->baseline ? perun_strdup(change->baseline) : NULL;
	take_intervals(change);
	PERUN_GROW(report->changes, report->count, report->capacity);
	report->changes[report->count++] = change;
}

size_t perun_report_count(const struct perun_report *report)
{
	return report->count;
}

const struct perun_change *perun_report_at(const struct perun_report *report, size_t i)
{
	return i < report->count ? report->changes[i] : NULL;
}

void perun_report_revise(struct perun_report *report, size_t i, enum perun_result result,
			 const char *explanation)
{
	if (i >= report->count)
		return;
	report->changes[i]->result = result;
	if (explanation) {
		perun_free((char *)report->changes[i]->explanation);
		report->changes[i]->explanation = perun_strdup(explanation);
	}
}
