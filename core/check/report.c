/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a check: its findings. */
#include <config.h>

#include <string.h>

#include <perun/check.h>

#include "core/check/report.h"
#include "core/context/structs.h"

/* A change with all that it points to, in one piece of memory: of some checks there are hundreds of thousands. */
struct kept_change {
	struct perun_change change;
	char *revised; /* an explanation that was given later; NULL = none */
	struct perun_interval_change intervals[]; /* which the texts follow */
};

struct perun_report {
	struct kept_change **changes; /* each stays where it is */
	size_t count, capacity;
	const char *method; /* of the check that is running */
};

struct perun_report *perun_report_new(void)
{
	return perun_alloc_zero(1, sizeof(struct perun_report));
}

static void free_change(struct kept_change *kept)
{
	perun_free(kept->revised);
	perun_free(kept);
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

enum { TEXTS = 8 };

/* The texts of a change that are never NULL, and what they are where they are not given. */
static void list_texts(struct perun_change *change, const char **texts[TEXTS],
		       const char *otherwise[TEXTS])
{
	const char **all[TEXTS] = {&change->location,        &change->type,
				   &change->from_baseline,   &change->to_target,
				   &change->confidence_type, &change->method,
				   &change->metric,          &change->explanation};

	for (size_t i = 0; i < TEXTS; i++) {
		texts[i] = all[i];
		otherwise[i] = all[i] == &change->confidence_type ? "no" : "";
	}
}

static const char *put_text(char **to, const char *text)
{
	size_t size = strlen(text) + 1;
	char *at = memcpy(*to, text, size);

	*to += size;
	return at;
}

/* Intervals of its own, in the layout of this library. */
static void take_intervals(struct kept_change *kept, const struct perun_change *given)
{
	size_t size = given->interval_size < sizeof *kept->intervals ? given->interval_size
								     : sizeof *kept->intervals;

	for (size_t i = 0; i < given->interval_count; i++) {
		kept->intervals[i] = (struct perun_interval_change){0};
		memcpy(&kept->intervals[i], perun_change_interval(given, i), size);
	}
	kept->change.intervals = kept->intervals;
	kept->change.interval_size = sizeof *kept->intervals;
}

void perun_report_add(struct perun_report *report, const struct perun_change *change)
{
	struct perun_change given = {0};
	const char **texts[TEXTS], *otherwise[TEXTS];
	struct kept_change *kept;
	size_t size, intervals;
	char *to;

	PERUN_STRUCT_TAKE(&given, change);
	given.method = report->method ? report->method : given.method;
	list_texts(&given, texts, otherwise);
	size = given.baseline ? strlen(given.baseline) + 1 : 0;
	for (size_t i = 0; i < TEXTS; i++) {
		*texts[i] = *texts[i] ? *texts[i] : otherwise[i];
		size += strlen(*texts[i]) + 1;
	}
	intervals = given.interval_count * sizeof *kept->intervals;
	kept = perun_alloc(sizeof *kept + intervals + size);
	kept->change = given;
	kept->revised = NULL;
	take_intervals(kept, &given);
	to = (char *)(kept->intervals + given.interval_count);
	list_texts(&kept->change, texts, otherwise);
	for (size_t i = 0; i < TEXTS; i++)
		*texts[i] = put_text(&to, *texts[i]);
	if (given.baseline)
		kept->change.baseline = put_text(&to, given.baseline);
	PERUN_GROW(report->changes, report->count, report->capacity);
	report->changes[report->count++] = kept;
}

size_t perun_report_count(const struct perun_report *report)
{
	return report->count;
}

const struct perun_change *perun_report_at(const struct perun_report *report, size_t i)
{
	return i < report->count ? &report->changes[i]->change : NULL;
}

void perun_report_revise(struct perun_report *report, size_t i, enum perun_result result,
			 const char *explanation)
{
	if (i >= report->count)
		return;
	report->changes[i]->change.result = result;
	if (explanation) {
		char *revised = perun_strdup(explanation);

		perun_free(report->changes[i]->revised);
		report->changes[i]->revised = revised;
		report->changes[i]->change.explanation = revised;
	}
}
