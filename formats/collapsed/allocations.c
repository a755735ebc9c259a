/* SPDX-License-Identifier: BSD-3-Clause */
/* What all functions that allocate gave, which a profile of memory has as a metric for each. */
#include <string.h>

#include "collapsed.h"

static const char freed[] = "memory(free)";

bool collapsed_find_allocations(const struct perun_profile *profile,
				struct collapsed_allocations *found)
{
	const char *named = perun_profile_text(profile, "/header/default_metric");
	size_t count, parts = 0;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	*found = (struct collapsed_allocations){0};
	/* A default that is one of the parts says only which is the largest. */
	if (strcmp(perun_profile_text(profile, "/header/type"), "memory") != 0 ||
	    (*named && strncmp(named, "memory(", 7) != 0))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct perun_metric *metric = metrics[i];

		if (strcmp(perun_column_info(metric->values)->name, "amount") != 0)
			continue;
		if (strcmp(metric->name, freed) == 0) {
			found->without = metric;
			continue;
		}
		if (strncmp(metric->name, "memory(", 7) != 0 || metric->inclusive ||
		    (parts && strcmp(found->metric.unit, metric->unit) != 0))
			return false;
		if (!parts++)
			found->metric = *metric;
	}
	found->metric.name = "memory";
	found->metric.selector[0] = found->metric.selector[1] = NULL;
	return parts > 1 || (parts && found->without);
}

bool collapsed_has_row(const struct collapsed_allocations *found, const struct perun_metric *metric,
		       size_t row)
{
	if (metric != &found->metric)
		return perun_metric_has_row(metric, row);
	return !found->without || !perun_metric_has_row(found->without, row);
}
