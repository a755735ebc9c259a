/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile measured, in a few numbers. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "measured.h"

#define FAR         3.5    /* deviations */
#define FAR_SHARE   0.02   /* of the median */
#define FINEST      0.001  /* of the median: no clock is finer */
#define CONSISTENCY 1.4826 /* of the median absolute deviation with normal noise */

static void measure(struct measured *item)
{
	double *sorted = perun_memdup(item->values, item->count * sizeof *sorted);
	double deviation;

	perun_sort_doubles(sorted, item->count);
	item->least = sorted[0];
	item->greatest = sorted[item->count - 1];
	item->median = perun_median(sorted, item->count);
	item->deviation = CONSISTENCY * perun_mad(sorted, item->count, item->median);
	deviation = fmax(item->deviation, FINEST * fabs(item->median));
	/* Where most values are 0 (system times), others are ticks of a coarse clock. */
	for (size_t i = 0; i < item->count && item->count > 2 && item->median != 0; i++) {
		double away = fabs(item->values[i] - item->median);

		item->outliers += away > FAR * deviation && away > FAR_SHARE * fabs(item->median);
	}
	perun_free(sorted);
}

/* Where it was measured, if the command does not say that, and what. */
static char *name_of(const struct perun_value *value, const char *workload)
{
	const char *place =
		value->whole || strcmp(value->location, value->command) == 0 ? "" : value->location;
	size_t length = strlen(workload);
	const char *part = value->workload;

	/* The case of a sweep is after the workload: "input (n=100)". */
	if (strncmp(part, workload, length) == 0)
		part += length + (part[length] == ' ');
	return perun_format("%s%s%s%s%s", place, *place ? " " : "", part, *part ? " " : "",
			    value->metric);
}

int measured_of(struct perun_ctx *ctx, struct perun_profile *profile, const char *metric,
		struct measured **items, size_t *count)
{
	const struct perun_reader_options options = {.struct_size = sizeof options,
						     .metric = metric};
	const char *workload = perun_profile_text(profile, "/header/workload");
	struct perun_profile_values *values;
	const struct perun_value *value;
	size_t capacity = 0;
	int status = perun_profile_values_new(ctx, profile, &options, &values);

	*items = NULL;
	*count = 0;
	while (!status && (value = perun_profile_value(values))) {
		if (value->count == 0 || value->kind == PERUN_VALUE_SAMPLED)
			continue;
		PERUN_GROW(*items, *count, capacity);
		(*items)[*count] = (struct measured){
			.name = name_of(value, workload),
			.unit = perun_strdup(value->unit),
			.values =
				perun_memdup(value->repeats, value->count * sizeof *value->repeats),
			.count = value->count};
		measure(&(*items)[(*count)++]);
	}
	perun_profile_values_free(values);
	return status;
}

void measured_free(struct measured *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		perun_free(items[i].name);
		perun_free(items[i].unit);
		perun_free(items[i].values);
	}
	perun_free(items);
}

void measured_bins(const struct measured *item, size_t *counts, size_t bins)
{
	double width = (item->greatest - item->least) / (double)bins;

	memset(counts, 0, bins * sizeof *counts);
	for (size_t i = 0; i < item->count; i++) {
		double place = width > 0 ? (item->values[i] - item->least) / width : 0;

		counts[place < (double)bins ? (size_t)place : bins - 1]++;
	}
}
