/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics of a profile as a merge sees them: columns in their order, then those that rows name. */
#include <string.h>

#include "core/merge/merge.h"
#include "core/profile/model.h"

static char *text_of(const struct perun_json *value, const char *otherwise)
{
	const char *text = perun_json_as_string(value, NULL);

	return perun_strdup(text ? text : otherwise ? otherwise : "");
}

/* What the file said about columns whose names do not say all: its place in `said` by name. */
static struct perun_json *index_types(const struct perun_json *said)
{
	struct perun_json *index = perun_json_object();

	for (size_t i = 0; i < perun_json_count(said); i++) {
		const struct perun_json *type = perun_json_at(said, i);
		const char *name = perun_json_as_string(perun_json_get(type, "column"), NULL);

		if (name && !perun_json_get(index, name))
			perun_json_set(index, name, perun_json_int64((int64_t)i));
	}
	return index;
}

static const struct perun_json *exact_type(const struct perun_json *said,
					   const struct perun_json *index, const char *column)
{
	int64_t place;

	return perun_json_as_int64(perun_json_get(index, column), &place)
		       ? perun_json_at(said, (size_t)place)
		       : NULL;
}

static bool is_wide(const struct perun_metric *metric)
{
	return !metric->selector[0] && !metric->selector[1] &&
	       strcmp(metric->name, perun_column_info(metric->values)->name) == 0;
}

/* For each column of the table whether it is a metric of its own: what its first metric says. */
static bool *find_wide(const struct perun_table *table, const struct perun_metric *const *metrics,
		       size_t count)
{
	size_t columns = perun_table_columns(table);
	bool *seen = perun_alloc_zero(columns + 1, sizeof *seen);
	bool *wide = perun_alloc_zero(columns + 1, sizeof *wide);

	for (size_t i = 0; i < count; i++) {
		const struct perun_column_info *info = perun_column_info(metrics[i]->values);
		size_t place = metrics[i]->values->index;

		if (!seen[place])
			wide[place] = info->role == PERUN_ROLE_METRIC &&
				      info->type <= PERUN_TYPE_DOUBLE && is_wide(metrics[i]);
		seen[place] = true;
	}
	perun_free(seen);
	return wide;
}

static void add(struct perun_merge_types *types, const struct perun_column *column,
		const struct perun_metric *metric, const struct perun_json *exact)
{
	const struct perun_column_info *info = perun_column_info(column);
	struct perun_merge_type *type = &types->items[types->count++];

	*type = (struct perun_merge_type){.column = column, .metric = metric};
	type->name = metric ? metric->name : info->name;
	type->type = text_of(perun_json_get(exact, "type"), type->name);
	type->unit = text_of(perun_json_get(exact, "unit"), metric ? metric->unit : info->unit);
	type->real = info->type == PERUN_TYPE_DOUBLE || info->type == PERUN_TYPE_JSON;
}

void perun_merge_types_of(const struct perun_profile *profile, struct perun_merge_types *types)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_json *said =
		perun_json_path(perun_profile_document(profile), "/extra/pprof/sample_types");
	size_t columns = perun_table_columns(table), count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);
	struct perun_json *index = index_types(said);
	bool *wide = find_wide(table, metrics, count);

	*types = (struct perun_merge_types){0};
	types->items = perun_alloc_zero(columns + count + 1, sizeof *types->items);
	for (size_t i = 0; i < columns; i++) {
		const struct perun_column *column = perun_table_column_at(table, i);

		if (wide[i])
			add(types, column, NULL,
			    exact_type(said, index, perun_column_info(column)->name));
	}
	for (size_t i = 0; i < count; i++) {
		if (!is_wide(metrics[i]))
			add(types, metrics[i]->values, metrics[i], NULL);
	}
	perun_json_free(index);
	perun_free(wide);
}

void perun_merge_types_free(struct perun_merge_types *types)
{
	for (size_t i = 0; i < types->count; i++) {
		perun_free(types->items[i].type);
		perun_free(types->items[i].unit);
	}
	perun_free(types->items);
}

size_t perun_merge_totals(const struct perun_profile *profile, int64_t *totals, size_t room)
{
	struct perun_merge_types types;
	size_t rows = perun_table_rows(perun_resources(profile)), count;
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);

	perun_merge_types_of(profile, &types);
	for (size_t i = 0; i < types.count && i < room; i++) {
		const struct perun_merge_type *type = &types.items[i];
		struct perun_span span;
		uint64_t sum = 0;

		for (size_t row = 0; row < rows && !type->real && !type->metric &&
				     perun_column_span_copy(type->column, row, &span, block);
		     row = span.first + span.count) {
			for (size_t k = 0; k < span.count; k++)
				sum += span.uint64s[k];
		}
		if (type->real || type->metric) {
			const uint32_t *own = NULL;
			size_t own_count = rows;

			if (type->metric)
				own = perun_metric_rows(profile, type->metric, &own_count);
			for (size_t k = 0; k < own_count; k++)
				sum += (uint64_t)perun_column_int64(type->column, own ? own[k] : k);
		}
		totals[i] = (int64_t)sum;
	}
	count = types.count;
	perun_merge_types_free(&types);
	perun_free(block);
	return count;
}
