/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of all allocations of a profile of memory, whichever function made them. */
#include <config.h>

#include <string.h>

#include "views/common/data.h"
#include "views/common/facts.h"

bool views_combined_metric(const struct perun_profile *profile, struct views_combined *combined)
{
	const char *type = perun_profile_text(profile, "/header/type");
	const char *named = perun_profile_text(profile, "/header/default_metric");
	const struct perun_metric *wanted = *named ? perun_metric(profile, named) : NULL;
	const size_t length = strlen(type);
	const struct perun_metric *first = NULL;
	size_t count, parts = 0;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	/* A default that is one of the parts says only which is the largest. */
	combined->without = NULL;
	if (strcmp(type, "memory") != 0 ||
	    (wanted && strcmp(perun_column_info(wanted->values)->name, "amount") != 0))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct perun_metric *metric = metrics[i];

		if (strcmp(perun_column_info(metric->values)->name, "amount") != 0)
			continue;
		if (strcmp(metric->name, "memory(free)") == 0) {
			combined->without = metric;
			continue;
		}
		if (strncmp(metric->name, type, length) != 0 || metric->name[length] != '(' ||
		    perun_unit_of(metric->unit).kind != PERUN_UNIT_BYTES || metric->inclusive ||
		    (first && strcmp(first->unit, metric->unit) != 0))
			return false;
		first = first ? first : metric;
		parts++;
	}
	if (parts < 2)
		return false;
	combined->metric = *first;
	combined->metric.name = type;
	combined->metric.selector[0] = combined->metric.selector[1] = NULL;
	combined->metric.rows = perun_table_rows(perun_resources(profile));
	if (combined->without)
		combined->metric.rows -= combined->without->rows;
	return true;
}

const struct perun_metric *views_metric(const struct perun_profile *profile, const char *name,
					struct views_combined *combined)
{
	if (views_combined_metric(profile, combined) &&
	    (!name || strcmp(name, combined->metric.name) == 0))
		return &combined->metric;
	return name ? perun_metric(profile, name) : NULL;
}

bool views_metric_has_row(const struct perun_metric *metric, const struct views_combined *combined,
			  size_t row)
{
	if (metric != &combined->metric)
		return perun_metric_has_row(metric, row);
	return !combined->without || !perun_metric_has_row(combined->without, row);
}

long double views_combined_sum(const struct views_combined *combined)
{
	long double sum = views_metric_sum(&combined->metric);

	return combined->without ? sum - views_metric_sum(combined->without) : sum;
}
