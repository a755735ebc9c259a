/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that repeat a measurement: what is measured is their median, not their sum. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>
#include <perun/query.h>

#include "views/common/facts.h"
#include "views/common/repeats.h"

/* A uid, and the parameters of a sweep. */
enum { MAX_KEYS = 16 };

bool views_has_repeats(const struct perun_table *resources)
{
	const struct perun_column *order = perun_table_column(resources, "order");
	size_t rows = order ? perun_table_rows(resources) : 0;

	for (size_t row = 0; row < rows; row++) {
		if (!perun_column_absent(order, row))
			return true;
	}
	return false;
}

static size_t find_keys(const struct perun_table *resources, const struct perun_column **keys)
{
	const struct perun_column *workload = perun_table_column(resources, "workload");
	const struct perun_column *uid = perun_table_column(resources, "uid");
	size_t count = 0;

	if (uid)
		keys[count++] = uid;
	if (workload)
		keys[count++] = workload;
	for (size_t i = 0; i < perun_table_columns(resources) && count < MAX_KEYS; i++) {
		const struct perun_column *column = perun_table_column_at(resources, i);

		if (perun_column_info(column)->role == PERUN_ROLE_PARAMETER && column != workload)
			keys[count++] = column;
	}
	return count;
}

/* The rows of a group, from `start` on: each gets its part of their median. Returns by how much one differs from it. */
static double share_out(const uint32_t *rows, size_t count, double *found, double *values)
{
	double median = perun_median(found, count), deviation;

	deviation = PERUN_MAD_TO_SIGMA * perun_mad(found, count, median);
	for (size_t i = 0; i < count; i++)
		values[rows[i]] = median / (double)count;
	return median != 0 ? deviation / fabs(median) : 0;
}

static void share_groups(const struct perun_metric *metric, const struct perun_groups *groups,
			 double *values, struct views_repeats *repeats)
{
	uint32_t *rows, *taken = perun_alloc_zero(groups->rows + 1, sizeof *taken);
	double *found = perun_alloc_zero(groups->rows + 1, sizeof *found);
	double *spreads = perun_alloc_zero(groups->count + 1, sizeof *spreads);
	size_t *starts, spread = 0;

	perun_groups_rows(groups, &rows, &starts);
	for (size_t g = 0; g < groups->count; g++) {
		size_t count = 0;
		double share;

		for (size_t i = starts[g]; i < starts[g + 1]; i++) {
			double value = perun_column_double(metric->values, rows[i]);

			if (!perun_metric_has_row(metric, rows[i]) || !isfinite(value))
				continue;
			found[count] = value;
			taken[count++] = rows[i];
		}
		if (!count)
			continue;
		share = share_out(taken, count, found, values);
		if (count > 1)
			spreads[spread++] = share;
		repeats->least = repeats->least && repeats->least < count ? repeats->least : count;
		repeats->most = count > repeats->most ? count : repeats->most;
	}
	repeats->spread = spread ? perun_median(spreads, spread) : NAN;
	perun_free(rows);
	perun_free(starts);
	perun_free(taken);
	perun_free(found);
	perun_free(spreads);
}

int views_share_medians(struct perun_ctx *ctx, const struct perun_metric *metric,
			const uint64_t *selection, double **values, struct views_repeats *repeats)
{
	const struct perun_table *resources = perun_column_table(metric->values);
	const struct perun_column *keys[MAX_KEYS];
	struct views_repeats unused;
	struct perun_groups *groups = NULL;
	int status;

	repeats = repeats ? repeats : &unused;
	*repeats = (struct views_repeats){.spread = NAN};
	*values = NULL;
	if (!views_has_repeats(resources))
		return PERUN_OK;
	status = perun_group_by(ctx, resources, keys, find_keys(resources, keys), selection,
				&groups);
	if (status)
		return status;
	*values = perun_alloc((groups->rows + 1) * sizeof **values);
	for (size_t row = 0; row < groups->rows; row++)
		(*values)[row] = NAN;
	share_groups(metric, groups, *values, repeats);
	perun_groups_free(groups);
	return PERUN_OK;
}

int views_metric_level(struct perun_ctx *ctx, const struct perun_metric *metric, long double *level)
{
	double *values;
	int status = views_share_medians(ctx, metric, NULL, &values, NULL);

	*level = 0;
	if (status)
		return status;
	if (!values) {
		*level = views_metric_sum(metric);
		return PERUN_OK;
	}
	for (size_t row = 0; row < perun_table_rows(perun_column_table(metric->values)); row++) {
		if (!isnan(values[row]))
			*level += values[row];
	}
	perun_free(values);
	return PERUN_OK;
}
