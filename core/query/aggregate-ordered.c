/* SPDX-License-Identifier: BSD-3-Clause */
/* Aggregates that need all numbers of a group at once: quantiles, distinct values; plain arrays. */
#include <stdlib.h>

#include "core/query/values.h"

/* ---- plain arrays ----------------------------------------------------------------------------- */

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

double perun_quantile_of_sorted(const double *sorted, size_t count, double quantile)
{
	double place = quantile * (double)(count - 1), below = floor(place), part = place - below;
	size_t i = (size_t)below;
	double a, b;

	if (count == 0)
		return NAN;
	if (i + 1 >= count)
		return sorted[count - 1];
	a = sorted[i];
	b = sorted[i + 1];
	if (a == b || part == 0) /* infinities have no difference */
		return a;
	return part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
}

static double deviation(const double *values, size_t count, double mean)
{
	struct perun_total total = {0, 0};

	if (count < 2)
		return NAN;
	for (size_t i = 0; i < count; i++)
		perun_total_add(&total, (values[i] - mean) * (values[i] - mean));
	return perun_total(&total) / (double)(count - 1);
}

double perun_aggregate_values(double *values, size_t count, enum perun_aggregate function,
			      double argument)
{
	struct perun_total total = {0, 0};
	size_t n = 0, unique = 0;
	double sum;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(values[i]))
			values[n++] = values[i];
	}
	for (size_t i = 0; i < n; i++)
		perun_total_add(&total, values[i]);
	sum = perun_total(&total);
	if (function == PERUN_AGGREGATE_COUNT)
		return (double)n;
	if (function == PERUN_AGGREGATE_SUM)
		return sum;
	if (n == 0)
		return function == PERUN_AGGREGATE_NUNIQUE ? 0 : NAN;
	if (function == PERUN_AGGREGATE_MEAN)
		return sum / (double)n;
	if (function == PERUN_AGGREGATE_VARIANCE)
		return deviation(values, n, sum / (double)n);
	if (function == PERUN_AGGREGATE_STD)
		return sqrt(deviation(values, n, sum / (double)n));
	qsort(values, n, sizeof *values, compare_doubles);
	for (size_t i = 0; i < n; i++)
		unique += i == 0 || values[i] != values[i - 1];
	switch (function) {
	case PERUN_AGGREGATE_NUNIQUE:
		return (double)unique;
	case PERUN_AGGREGATE_MIN:
		return values[0];
	case PERUN_AGGREGATE_MAX:
		return values[n - 1];
	case PERUN_AGGREGATE_MEDIAN:
		return perun_quantile_of_sorted(values, n, 0.5);
	default:
		return argument >= 0 && argument <= 1
			       ? perun_quantile_of_sorted(values, n, argument)
			       : NAN;
	}
}

/* ---- quantiles of groups ---------------------------------------------------------------------- */

enum { GROUPS_AT_ONCE = 256 };

struct work {
	double *numbers; /* of all groups, one group after the other */
	size_t *starts, *ends, count;
	double quantile, *values;
};

static int sort_groups(struct perun_ctx *ctx, size_t i, void *data)
{
	struct work *work = data;
	size_t end = (i + 1) * GROUPS_AT_ONCE;

	for (size_t g = i * GROUPS_AT_ONCE; g < end && g < work->count; g++) {
		size_t count = work->ends[g] - work->starts[g];
		double *numbers = work->numbers + work->starts[g];

		qsort(numbers, count, sizeof *numbers, compare_doubles);
		work->values[g] =
			count ? perun_quantile_of_sorted(numbers, count, work->quantile) : NAN;
	}
	return perun_cancelled(ctx) ? PERUN_CANCELLED : PERUN_OK;
}

int perun_aggregate_ordered(struct perun_ctx *ctx, const struct perun_groups *groups,
			    const struct perun_column *column, double quantile, double *values)
{
	struct work work = {.count = groups->count, .quantile = quantile, .values = values};
	double block[PERUN_VALUE_BLOCK];
	size_t total = 0;
	int status;

	work.starts = perun_alloc_zero(groups->count + 1, sizeof *work.starts);
	work.ends = perun_alloc_zero(groups->count + 1, sizeof *work.ends);
	for (size_t g = 0; g < groups->count; g++) {
		work.starts[g] = work.ends[g] = total;
		total += groups->size[g];
	}
	work.numbers = perun_alloc(total * sizeof *work.numbers + 1);
	for (size_t row = 0; row < groups->rows; row += PERUN_VALUE_BLOCK) {
		size_t left = groups->rows - row;
		size_t count = left < PERUN_VALUE_BLOCK ? left : PERUN_VALUE_BLOCK;

		perun_fill_doubles(column, row, count, block);
		for (size_t i = 0; i < count; i++) {
			uint32_t group = groups->group_of_row[row + i];

			if (group != PERUN_NO_ID && !isnan(block[i]))
				work.numbers[work.ends[group]++] = block[i];
		}
	}
	status = perun_parallel_for(ctx, (work.count + GROUPS_AT_ONCE - 1) / GROUPS_AT_ONCE,
				    sort_groups, &work);
	perun_free(work.numbers);
	perun_free(work.starts);
	perun_free(work.ends);
	return status;
}

/* ---- distinct cells of groups ----------------------------------------------------------------- */

int perun_aggregate_nunique(struct perun_ctx *ctx, const struct perun_groups *groups,
			    const struct perun_column *column, double *values)
{
	struct perun_key keys[2] = {{NULL, groups->group_of_row}, {column, NULL}};
	struct perun_numbered cells = {0}, pairs = {0};
	bool wide = !perun_key_is_narrow(&keys[1]);
	bool real = perun_column_info(column)->type == PERUN_TYPE_DOUBLE;
	int status = PERUN_OK;

	if (wide) {
		status = perun_number_rows(ctx, groups->rows, &keys[1], 1, NULL, &cells);
		keys[1] = (struct perun_key){NULL, cells.of_row};
	}
	if (status == PERUN_OK)
		status = perun_number_rows(ctx, groups->rows, keys, 2, NULL, &pairs);
	memset(values, 0, groups->count * sizeof *values);
	for (size_t i = 0; i < pairs.count && status == PERUN_OK; i++) {
		uint32_t group = (uint32_t)(pairs.words[i] >> 32);
		uint32_t code = (uint32_t)pairs.words[i];

		if (group == PERUN_NO_ID || (!wide && code == PERUN_NO_ID))
			continue;
		if (wide && (code == cells.absent || (real && cells.words[code] == PERUN_NAN_WORD)))
			continue;
		values[group]++;
	}
	perun_numbered_free(&cells);
	perun_numbered_free(&pairs);
	return status;
}
