/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of the columns of a profile, and of what else it holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/pprof-texts.h"
#include "writing.h"

static bool is_number(enum perun_type type)
{
	return type <= PERUN_TYPE_DOUBLE;
}

/* The places of the columns that the file said more of than their names do, by name. */
static struct perun_json *index_types(const struct pprof_writing *writing)
{
	const struct perun_json *types = perun_json_get(writing->extra, "sample_types");
	struct perun_json *index = perun_json_object();

	for (size_t i = 0; i < perun_json_count(types); i++) {
		const struct perun_json *type = perun_json_at(types, i);
		const char *name = perun_json_as_string(perun_json_get(type, "column"), NULL);

		if (name && !perun_json_get(index, name))
			perun_json_set(index, name, perun_json_int64((int64_t)i));
	}
	return index;
}

/* What the file said about the type of a column, where its name does not say all. */
static const struct perun_json *exact_type(const struct pprof_writing *writing,
					   const struct perun_json *index, const char *column)
{
	const struct perun_json *types = perun_json_get(writing->extra, "sample_types");
	int64_t place;

	return perun_json_as_int64(perun_json_get(index, column), &place)
		       ? perun_json_at(types, (size_t)place)
		       : NULL;
}

/* What one of a unit is in the finest unit of its family; 0 for others. */
static double finest_unit(const char *unit, const char **finest)
{
	static const struct {
		const char *unit, *finest;
		double factor;
	} units[] = {
		{"us", "nanoseconds", 1e3}, {"microseconds", "nanoseconds", 1e3},
		{"ms", "nanoseconds", 1e6}, {"milliseconds", "nanoseconds", 1e6},
		{"s", "nanoseconds", 1e9},  {"seconds", "nanoseconds", 1e9},
		{"kB", "bytes", 0x1p10},    {"kilobytes", "bytes", 0x1p10},
		{"MB", "bytes", 0x1p20},    {"megabytes", "bytes", 0x1p20},
		{"GB", "bytes", 0x1p30},    {"gigabytes", "bytes", 0x1p30},
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(unit, units[i].unit) == 0) {
			*finest = units[i].finest;
			return units[i].factor;
		}
	}
	return 0;
}

static bool has_fractions(const struct pprof_writing *writing, const struct pprof_value *value)
{
	size_t count = perun_table_rows(writing->table);
	const uint32_t *rows = NULL;

	if (value->metric)
		rows = perun_metric_rows(writing->profile, value->metric, &count);
	for (size_t i = 0; i < count; i++) {
		double number = perun_column_double(value->column, rows ? rows[i] : i);

		if (number != floor(number) && !isnan(number))
			return true;
	}
	return false;
}

/* Values are whole numbers: 0.25 s becomes 250000000 ns. */
static void refine_unit(struct pprof_writing *writing, struct pprof_value *value)
{
	enum perun_type type = perun_column_info(value->column)->type;
	const char *finest;
	double factor;

	value->factor = 1;
	if ((type != PERUN_TYPE_DOUBLE && type != PERUN_TYPE_JSON) || !value->unit.data)
		return;
	factor = finest_unit(value->unit.data, &finest);
	if (factor == 0 || !has_fractions(writing, value))
		return;
	value->factor = factor;
	perun_buffer_clear(&value->unit);
	perun_buffer_add_text(&value->unit, finest);
}

static void add_value(struct pprof_writing *writing, const struct perun_json *index,
		      const struct perun_column *column, const struct perun_metric *metric)
{
	const struct perun_column_info *info = perun_column_info(column);
	struct pprof_value *value = &writing->values[writing->value_count++];
	const struct perun_json *exact = metric ? NULL : exact_type(writing, index, info->name);

	*value = (struct pprof_value){.column = column, .metric = metric};
	if (exact) {
		pprof_from_json(perun_json_get(exact, "type"), &value->type);
		pprof_from_json(perun_json_get(exact, "unit"), &value->unit);
	} else {
		perun_buffer_add_text(&value->type, metric ? metric->name : info->name);
		perun_buffer_add_text(&value->unit, metric       ? metric->unit
						    : info->unit ? info->unit
								 : "");
	}
	refine_unit(writing, value);
}

static bool is_wide(const struct perun_metric *metric)
{
	return !metric->selector[0] && !metric->selector[1] &&
	       strcmp(metric->name, perun_column_info(metric->values)->name) == 0;
}

static int compare_columns(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (const struct perun_column *const *)a;
	uintptr_t y = (uintptr_t) * (const struct perun_column *const *)b;

	return x < y ? -1 : x > y;
}

/* The columns of metrics that have one of their own, sorted; the caller frees them. */
static const struct perun_column **wide_columns(const struct perun_metric *const *metrics,
						size_t count, size_t *wide)
{
	const struct perun_column **columns = perun_alloc_zero(count + 1, sizeof *columns);

	*wide = 0;
	for (size_t m = 0; m < count; m++) {
		if (is_wide(metrics[m]))
			columns[(*wide)++] = metrics[m]->values;
	}
	qsort(columns, *wide, sizeof *columns, compare_columns);
	return columns;
}

/* Columns of their own in their order, then metrics that are named in rows. */
static void plan_values(struct pprof_writing *writing)
{
	size_t count, wide_count, columns = perun_table_columns(writing->table);
	const struct perun_metric *const *metrics = perun_metrics(writing->profile, &count);
	const struct perun_column **wide = wide_columns(metrics, count, &wide_count);
	struct perun_json *index = index_types(writing);

	writing->values = perun_alloc_zero(columns + count + 1, sizeof *writing->values);
	for (size_t i = 0; i < columns; i++) {
		const struct perun_column *column = perun_table_column_at(writing->table, i);

		if (perun_column_info(column)->role != PERUN_ROLE_METRIC ||
		    !is_number(perun_column_info(column)->type))
			continue;
		if (bsearch(&column, wide, wide_count, sizeof *wide, compare_columns))
			add_value(writing, index, column, NULL);
	}
	writing->long_only = !writing->value_count;
	writing->wide_count = writing->value_count;
	writing->value_of_metric = perun_alloc((count + 1) * sizeof *writing->value_of_metric);
	for (size_t m = 0; m < count; m++) {
		writing->value_of_metric[m] = is_wide(metrics[m]) ? SIZE_MAX : writing->value_count;
		if (!is_wide(metrics[m]))
			add_value(writing, index, metrics[m]->values, metrics[m]);
	}
	perun_json_free(index);
	perun_free(wide);
}

/* The columns that values come from or are named in, sorted. */
struct used_columns {
	const struct perun_column **columns;
	size_t count;
};

static struct used_columns find_used(const struct pprof_writing *writing)
{
	struct used_columns used = {
		perun_alloc_zero(3 * writing->value_count + 1, sizeof(struct perun_column *)), 0};

	for (size_t i = 0; i < writing->value_count; i++) {
		const struct pprof_value *value = &writing->values[i];

		used.columns[used.count++] = value->column;
		for (size_t k = 0; k < 2 && value->metric; k++) {
			if (value->metric->selector[k])
				used.columns[used.count++] = value->metric->selector[k];
		}
	}
	qsort(used.columns, used.count, sizeof *used.columns, compare_columns);
	return used;
}

static bool is_used(const struct used_columns *used, const struct perun_column *column)
{
	return bsearch(&column, used->columns, used->count, sizeof *used->columns,
		       compare_columns) != NULL;
}

/* What the stack says already, in profiles of Perun. */
static bool is_in_stack(const struct pprof_writing *writing, const char *name)
{
	return writing->stacks && (strcmp(name, "uid") == 0 || strcmp(name, "trace") == 0);
}

static void plan_column(struct pprof_writing *writing, const struct used_columns *used,
			const struct perun_column *column)
{
	const struct perun_column_info *info = perun_column_info(column);
	struct pprof_label_column *label;

	if (strcmp(info->name, "stack") == 0 && info->type == PERUN_TYPE_STACK) {
		writing->stacks = column;
	} else if (strcmp(info->name, "labels") == 0 && info->type == PERUN_TYPE_LABELS) {
		writing->labels = column;
	} else if (strcmp(info->name, "uid") == 0 && !writing->stacks) {
		writing->uids = column;
	} else if (is_used(used, column) || is_in_stack(writing, info->name) ||
		   (info->type == PERUN_TYPE_ROW && strcmp(info->name, "kind") == 0)) {
		return;
	} else if (info->role == PERUN_ROLE_STATISTIC || info->type == PERUN_TYPE_ROW ||
		   info->type == PERUN_TYPE_POINT || info->type == PERUN_TYPE_LABELS) {
		char *what = perun_format("column %s", info->name);

		perun_lost(writing->ctx, what, perun_table_rows(writing->table));
		perun_free(what);
	} else {
		label = &writing->label_columns[writing->label_column_count++];
		*label = (struct pprof_label_column){column, info->name,
						     info->unit ? info->unit : "", info->type};
	}
}

static void plan_columns(struct pprof_writing *writing)
{
	size_t count = perun_table_columns(writing->table);
	const struct perun_column *stack = perun_table_column(writing->table, "stack");
	struct used_columns used = find_used(writing);

	if (stack && perun_column_info(stack)->type == PERUN_TYPE_STACK)
		writing->stacks = stack;
	writing->label_columns = perun_alloc_zero(count + 1, sizeof *writing->label_columns);
	for (size_t i = 0; i < count; i++)
		plan_column(writing, &used, perun_table_column_at(writing->table, i));
	perun_free(used.columns);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void lose_rows(struct pprof_writing *writing)
{
	uint64_t count = 0;

	for (size_t row = 0; writing->stacks && row < perun_table_rows(writing->table); row++)
		count += perun_column_absent(writing->stacks, row);
	if (count)
		perun_lost(writing->ctx, "rows without a stack", count);
}

static void lose_tables(struct pprof_writing *writing)
{
	for (size_t i = 0; i < perun_profile_tables(writing->profile); i++) {
		const struct perun_table *table = perun_profile_table_at(writing->profile, i);
		const char *name = perun_table_name(table);
		char *what;

		if (table == writing->table || !perun_table_rows(table) ||
		    strcmp(name, "resource_types") == 0)
			continue;
		what = perun_format("table %s", name);
		perun_lost(writing->ctx, what, perun_table_rows(table));
		perun_free(what);
	}
}

static bool is_one_of(const char *key, const char *const *keys)
{
	for (; *keys; keys++) {
		if (strcmp(key, *keys) == 0)
			return true;
	}
	return false;
}

static bool is_empty(const struct perun_json *value)
{
	size_t length = 1;

	switch (perun_json_type(value)) {
	case PERUN_JSON_TYPE_NULL:
		return true;
	case PERUN_JSON_TYPE_STRING:
		perun_json_as_string(value, &length);
		return length == 0;
	case PERUN_JSON_TYPE_ARRAY:
	case PERUN_JSON_TYPE_OBJECT:
		return perun_json_count(value) == 0;
	default:
		return false;
	}
}

static void lose_members(struct perun_ctx *ctx, const struct perun_json *object, const char *prefix,
			 const char *const *kept)
{
	for (size_t i = 0; i < perun_json_count(object); i++) {
		const char *key = perun_json_key_at(object, i, NULL);
		const struct perun_json *value = perun_json_at(object, i);
		bool empty = is_empty(value);
		char *what;

		if (!key || empty || is_one_of(key, kept))
			continue;
		what = perun_format("%s%s", prefix, key);
		perun_lost(ctx, what, 1);
		perun_free(what);
	}
}

static void lose_document(struct pprof_writing *writing)
{
	static const char *const top[] = {"header", "comments", "extra", NULL};
	static const char *const header[] = {"type",        "time",           "duration", "period",
					     "period_type", "default_metric", "units",    NULL};
	static const char *const extra[] = {"pprof", NULL};
	const struct perun_json *document = perun_profile_document(writing->profile);

	lose_members(writing->ctx, document, "", top);
	lose_members(writing->ctx, writing->header, "header.", header);
	lose_members(writing->ctx, perun_json_get(document, "extra"), "extra.", extra);
}

void pprof_plan(struct pprof_writing *writing)
{
	const struct perun_json *document = perun_profile_document(writing->profile);

	writing->header = perun_json_get(document, "header");
	writing->extra = perun_json_get(perun_json_get(document, "extra"), "pprof");
	plan_values(writing);
	plan_columns(writing);
	if (writing->with_paths && writing->stacks)
		pprof_plan_paths(writing);
	pprof_plan_ids(writing);
	lose_rows(writing);
	lose_tables(writing);
	lose_document(writing);
}

void pprof_free_plan(struct pprof_writing *writing)
{
	for (size_t i = 0; i < writing->value_count; i++) {
		perun_buffer_free(&writing->values[i].type);
		perun_buffer_free(&writing->values[i].unit);
	}
	perun_free(writing->values);
	perun_free(writing->value_of_metric);
	perun_free(writing->label_columns);
	perun_free(writing->used_locations);
	perun_free(writing->path_numbers);
}
