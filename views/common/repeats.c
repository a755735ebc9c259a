/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that repeat a measurement: what is measured is their median, not their sum. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>

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

static int group_rows(struct perun_ctx *ctx, const struct perun_table *resources,
		      const uint64_t *selection, struct perun_groups **groups)
{
	const struct perun_column *keys[MAX_KEYS];

	return perun_group_by(ctx, resources, keys, find_keys(resources, keys), selection, groups);
}

/* ---- what one metric measured ---------------------------------------------------------------- */

/* The values of one metric that a group has, and their rows. */
typedef void visit_values(void *data, const uint32_t *rows, const double *values, size_t count);

/* Finite values of a metric and their rows, sorted by the groups: a counting sort, whose counts only the groups use that the
 * metric has, so that many metrics take what their rows take. */
struct measured {
	uint32_t *rows, *groups;
	double *values;
	size_t count;
};

static void take_values(const struct perun_metric *metric, const struct perun_groups *groups,
			struct measured *taken)
{
	size_t count;
	const uint32_t *rows =
		perun_metric_rows(perun_table_profile(groups->table), metric, &count);

	*taken = (struct measured){.rows = perun_alloc((count + 1) * sizeof *taken->rows),
				   .groups = perun_alloc((count + 1) * sizeof *taken->groups),
				   .values = perun_alloc((count + 1) * sizeof *taken->values)};
	for (size_t i = 0; i < count; i++) {
		uint32_t row = rows ? rows[i] : (uint32_t)i;
		double value = perun_column_double(metric->values, row);

		if (groups->group_of_row[row] == PERUN_NO_ID || !isfinite(value))
			continue;
		taken->rows[taken->count] = row;
		taken->groups[taken->count] = groups->group_of_row[row];
		taken->values[taken->count++] = value;
	}
}

static void free_values(struct measured *taken)
{
	perun_free(taken->rows);
	perun_free(taken->groups);
	perun_free(taken->values);
}

/* `ends`: for each group a 0, which is 0 again afterwards. */
static void visit_groups(const struct perun_metric *metric, const struct perun_groups *groups,
			 size_t *ends, visit_values *visit, void *data)
{
	struct measured taken, sorted;
	size_t distinct = 0, start = 0;

	take_values(metric, groups, &taken);
	sorted =
		(struct measured){.rows = perun_alloc((taken.count + 1) * sizeof *sorted.rows),
				  .groups = perun_alloc((taken.count + 1) * sizeof *sorted.groups),
				  .values = perun_alloc((taken.count + 1) * sizeof *sorted.values)};
	for (size_t i = 0; i < taken.count; i++) {
		if (!ends[taken.groups[i]]++)
			sorted.groups[distinct++] = taken.groups[i];
	}
	for (size_t g = 0; g < distinct; g++) {
		size_t count = ends[sorted.groups[g]];

		ends[sorted.groups[g]] = start;
		start += count;
	}
	for (size_t i = 0; i < taken.count; i++) {
		size_t place = ends[taken.groups[i]]++;

		sorted.rows[place] = taken.rows[i];
		sorted.values[place] = taken.values[i];
	}
	start = 0;
	for (size_t g = 0; g < distinct; g++) {
		size_t end = ends[sorted.groups[g]];

		visit(data, &sorted.rows[start], &sorted.values[start], end - start);
		ends[sorted.groups[g]] = 0;
		start = end;
	}
	free_values(&taken);
	free_values(&sorted);
}

/* ---- the part of each row -------------------------------------------------------------------- */

struct sharing {
	double *parts; /* of each row */
	double *spreads;
	size_t spread_count;
	struct views_repeats *repeats;
};

/* Each row gets its part of the median. */
static void share_out(void *data, const uint32_t *rows, const double *values, size_t count)
{
	struct sharing *sharing = data;
	struct views_repeats *repeats = sharing->repeats;
	double median = perun_median(values, count);
	double deviation = PERUN_MAD_TO_SIGMA * perun_mad(values, count, median);

	for (size_t i = 0; i < count; i++)
		sharing->parts[rows[i]] = median / (double)count;
	if (count > 1)
		sharing->spreads[sharing->spread_count++] =
			median != 0 ? deviation / fabs(median) : 0;
	repeats->least = repeats->least && repeats->least < count ? repeats->least : count;
	repeats->most = count > repeats->most ? count : repeats->most;
}

int views_share_medians(struct perun_ctx *ctx, const struct perun_metric *metric,
			const uint64_t *selection, double **values, struct views_repeats *repeats)
{
	const struct perun_table *resources = perun_column_table(metric->values);
	struct views_repeats unused;
	struct perun_groups *groups = NULL;
	struct sharing sharing = {.repeats = repeats ? repeats : &unused};
	size_t *ends;
	int status;

	*sharing.repeats = (struct views_repeats){.spread = NAN};
	*values = NULL;
	if (!views_has_repeats(resources))
		return PERUN_OK;
	status = group_rows(ctx, resources, selection, &groups);
	if (status)
		return status;
	*values = sharing.parts = perun_alloc((groups->rows + 1) * sizeof **values);
	for (size_t row = 0; row < groups->rows; row++)
		sharing.parts[row] = NAN;
	sharing.spreads = perun_alloc((groups->count + 1) * sizeof *sharing.spreads);
	ends = perun_alloc_zero(groups->count + 1, sizeof *ends);
	visit_groups(metric, groups, ends, share_out, &sharing);
	if (sharing.spread_count)
		sharing.repeats->spread = perun_median(sharing.spreads, sharing.spread_count);
	perun_free(ends);
	perun_free(sharing.spreads);
	perun_groups_free(groups);
	return PERUN_OK;
}

/* ---- what each metric is in all -------------------------------------------------------------- */

int views_levels_of(struct perun_ctx *ctx, const struct perun_profile *profile,
		    struct views_levels *levels)
{
	const struct perun_table *resources = perun_resources(profile);
	int status;

	*levels = (struct views_levels){0};
	if (!views_has_repeats(resources))
		return PERUN_OK;
	status = group_rows(ctx, resources, NULL, &levels->groups);
	if (!status)
		levels->ends = perun_alloc_zero(levels->groups->count + 1, sizeof *levels->ends);
	return status;
}

static void add_median(void *data, const uint32_t *rows, const double *values, size_t count)
{
	long double *level = data;

	(void)rows;
	*level += perun_median(values, count);
}

long double views_level(struct views_levels *levels, const struct perun_metric *metric)
{
	long double level = 0;

	if (!levels->groups)
		return views_metric_sum(metric);
	visit_groups(metric, levels->groups, levels->ends, add_median, &level);
	return level;
}

void views_levels_clear(struct views_levels *levels)
{
	perun_groups_free(levels->groups);
	perun_free(levels->ends);
}
