/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes of repeated measurements are within what runs differ by: what checks say of the same two profiles. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/compare.h>

#include "views/report/report.h"

static int by_location(const void *one, const void *other)
{
	const struct perun_compared *const *a = one, *const *b = other;

	return strcmp((*a)->location, (*b)->location);
}

/* Of the cases of a sweep, which are one row, none counts. */
static size_t choose_compared(const struct report *report,
			      const struct perun_comparisons *comparisons,
			      const struct perun_compared **chosen)
{
	size_t count = 0;

	for (size_t i = 0; i < perun_comparisons_count(comparisons); i++) {
		const struct perun_compared *compared = perun_comparisons_at(comparisons, i);

		if (strcmp(compared->metric, report->new->metric->name) == 0 &&
		    !*compared->workload)
			chosen[count++] = compared;
	}
	if (count)
		qsort(chosen, count, sizeof *chosen, by_location);
	return count;
}

static bool is_noise(const struct perun_compared *compared)
{
	return compared->result == PERUN_RESULT_NO_CHANGE ||
	       (isfinite(compared->low) && compared->low <= 0 && compared->high >= 0);
}

int report_judge_runs(struct report *report, struct perun_profile *const *profiles)
{
	const struct perun_verdict_options verdict = {.struct_size = sizeof verdict};
	const struct perun_compare_options options = {.struct_size = sizeof options,
						      .verdict = &verdict};
	const struct perun_comparison comparison = {.struct_size = sizeof comparison,
						    .baselines = &profiles[0],
						    .baseline_count = 1,
						    .targets = &profiles[1],
						    .target_count = 1};
	struct perun_comparisons *comparisons = NULL;
	const struct perun_compared **chosen;
	int status = perun_compare_profiles(report->ctx, &comparison, &options, &comparisons);
	size_t count;

	if (status)
		return status;
	chosen = perun_alloc_zero(perun_comparisons_count(comparisons) + 1, sizeof *chosen);
	count = choose_compared(report, comparisons, chosen);
	for (size_t i = 0; count && i < report->function_count; i++) {
		const struct perun_compared like = {.location = report->functions[i].row->name},
					    *key = &like;
		const struct perun_compared *const *found =
			bsearch(&key, chosen, count, sizeof *chosen, by_location);

		report->functions[i].noise = found && is_noise(*found);
	}
	report->repeated = count > 0;
	perun_free((void *)chosen);
	perun_comparisons_free(comparisons);
	return PERUN_OK;
}
