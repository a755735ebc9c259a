/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing any profile: one run, stacks as nested regions one after the other, metrics as aggregates. */
#include <math.h>

#include "writing.h"

#define RUN_ID 1

struct any {
	struct afperf_writing *writing;
	const struct perun_profile *profile;
	const struct perun_table *table;
	const struct perun_metric *const *metrics;
	size_t metric_count;
	const struct perun_metric *clock; /* a time that regions take; NULL: each takes 1 ns */
	double clock_ns;
	const struct perun_column *stack, *labels, *uid;
	int64_t now;
	uint64_t next_id;
	/* Regions that are open, outermost first. */
	perun_id *open;
	uint64_t *open_ids;
	size_t depth, capacity;
	struct perun_buffer name;
};

/* Spellings of other formats that mean just what a unit of the document does. */
static const struct {
	const char *name, *unit;
	double nanoseconds;
} units[] = {
	{"nanoseconds", "ns", 1}, {"nanosecond", "ns", 1},
	{"ns", "ns", 1},          {"microseconds", "us", 1e3},
	{"us", "us", 1e3},        {"milliseconds", "ms", 1e6},
	{"ms", "ms", 1e6},        {"seconds", "s", 1e9},
	{"s", "s", 1e9},          {"bytes", "B", 0},
	{"byte", "B", 0},         {"B", "B", 0},
	{"", "count", 0},         {"samples", "count", 0},
	{"objects", "count", 0},
};

static const char *unit_of(const struct perun_metric *metric, double *nanoseconds)
{
	struct afperf_slice slice = {(char *)(uintptr_t)metric->unit, strlen(metric->unit)};
	const char *better;

	*nanoseconds = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(units[i].name, metric->unit) == 0) {
			*nanoseconds = units[i].nanoseconds;
			return units[i].unit;
		}
	}
	if (afperf_judge_units(&slice, &better) == AFPERF_UNITS_WRONG ||
	    strcmp(metric->unit, "text") == 0)
		return "count";
	return metric->unit;
}

static bool whole_numbers(const struct perun_metric *metric)
{
	return perun_column_info(metric->values)->type == PERUN_TYPE_INT64;
}

static void put_run(struct any *any)
{
	struct afperf_writing *writing = any->writing;
	const char *command = perun_profile_text(any->profile, "header.cmd");
	struct perun_json *header = perun_json_get(perun_profile_document(any->profile), "header");
	int64_t time = 0;

	perun_json_as_int64(perun_json_get(header, "time"), &time);
	afperf_put_type(writing, AFPERF_RUN_INFO);
	afperf_put_int64(writing, 0);
	afperf_put_word(writing, "nanoseconds");
	afperf_put_double(writing, (double)time / 1e9);
	afperf_put_word(writing, "1.0.0");
	afperf_put_uint64(writing, RUN_ID);
	afperf_put_word(writing, command);
	afperf_put_blank(writing);
	afperf_put_blank(writing);
	afperf_end_record(writing);
}

static void put_types(struct any *any)
{
	struct afperf_writing *writing = any->writing;

	for (size_t i = 0; i < any->metric_count; i++) {
		const struct perun_metric *metric = any->metrics[i];
		double nanoseconds;
		const char *unit = unit_of(metric, &nanoseconds);

		if (!any->clock && nanoseconds > 0) {
			any->clock = metric;
			any->clock_ns = nanoseconds;
		}
		if (strcmp(unit, "count") == 0 && *metric->unit &&
		    strcmp(metric->unit, "count") != 0 && strcmp(metric->unit, "samples") != 0 &&
		    strcmp(metric->unit, "objects") != 0)
			perun_lost(writing->ctx, "units", 1);
		afperf_put_type(writing, AFPERF_MEASUREMENT_TYPE);
		afperf_put_int64(writing, 0);
		afperf_put_uint64(writing, RUN_ID);
		afperf_put_uint64(writing, i + 1);
		afperf_put_word(writing, metric->name);
		afperf_put_word(writing, whole_numbers(metric) ? "int64" : "double");
		afperf_put_word(writing, unit);
		afperf_put_word(writing, metric->description);
		afperf_put_blank(writing);
		afperf_end_record(writing);
	}
}

/* ---- regions ---------------------------------------------------------------------------------------- */

static void close_region(struct any *any)
{
	any->depth--;
	afperf_put_type(any->writing, AFPERF_REGION_STOP);
	afperf_put_int64(any->writing, any->now);
	afperf_put_uint64(any->writing, any->open_ids[any->depth]);
	afperf_end_record(any->writing);
}

/* The functions of a location, the outermost first, are regions; `name` is the id of a string. */
static void open_region(struct any *any, perun_id name, perun_id labels)
{
	size_t length;
	const char *text = perun_profile_string(any->profile, name, &length);

	if (any->depth >= any->capacity) {
		any->capacity = any->capacity ? any->capacity * 2 : 64;
		any->open = perun_realloc_array(any->open, any->capacity, sizeof *any->open);
		any->open_ids =
			perun_realloc_array(any->open_ids, any->capacity, sizeof *any->open_ids);
	}
	any->open[any->depth] = name;
	any->open_ids[any->depth++] = any->next_id;
	afperf_put_type(any->writing, AFPERF_REGION_START);
	afperf_put_int64(any->writing, any->now);
	afperf_put_uint64(any->writing, RUN_ID);
	afperf_put_uint64(any->writing, any->next_id++);
	afperf_put_text(any->writing, text, length);
	afperf_put_labels(any->writing, labels);
	afperf_end_record(any->writing);
}

/* Names of the frames of a row, outermost first, in `names`. */
struct names {
	perun_id *items;
	size_t count, capacity;
};

static void add_name(struct names *names, perun_id name)
{
	PERUN_GROW(names->items, names->count, names->capacity);
	names->items[names->count++] = name;
}

static void name_frames(struct any *any, size_t row, struct names *names)
{
	const perun_id *locations;
	size_t count;

	names->count = 0;
	if (!any->stack || perun_column_absent(any->stack, row)) {
		if (any->uid && !perun_column_absent(any->uid, row))
			add_name(names, perun_column_id(any->uid, row));
		return;
	}
	locations = perun_profile_stack(any->profile, perun_column_id(any->stack, row), &count);
	while (count-- > 0) {
		const struct perun_location *location =
			perun_profile_location(any->profile, locations[count]);

		for (uint32_t i = location->line_count; i-- > 0;) {
			perun_id function = location->lines[i].function;

			add_name(names,
				 function == PERUN_NO_ID
					 ? 0
					 : perun_profile_function(any->profile, function)->name);
		}
		if (!location->line_count)
			add_name(names, 0);
	}
}

static void put_values(struct any *any, size_t row)
{
	for (size_t i = perun_metric_of_row(any->profile, row, 0); i != SIZE_MAX;
	     i = perun_metric_of_row(any->profile, row, i + 1)) {
		const struct perun_metric *metric = any->metrics[i];

		afperf_put_uint64(any->writing, i + 1);
		if (whole_numbers(metric))
			afperf_put_int64(any->writing, perun_column_int64(metric->values, row));
		else
			afperf_put_double(any->writing, perun_column_double(metric->values, row));
	}
}

static bool has_values(const struct any *any, size_t row)
{
	return perun_metric_of_row(any->profile, row, 0) != SIZE_MAX;
}

static int64_t length_of(const struct any *any, size_t row)
{
	double value;

	if (!any->clock)
		return 1;
	value = perun_metric_has_row(any->clock, row) ? perun_column_double(any->clock->values, row)
						      : 0;
	value *= any->clock_ns;
	return value > 0 && value < 1e18 ? (int64_t)value : 0;
}

static void put_row(struct any *any, size_t row, struct names *names)
{
	size_t common = 0;
	int64_t start = any->now;
	uint64_t leaf;

	name_frames(any, row, names);
	/* The innermost region is new for each row, others stay open as long as they go on. */
	while (common + 1 < names->count && common < any->depth &&
	       any->open[common] == names->items[common])
		common++;
	while (any->depth > common)
		close_region(any);
	for (size_t i = common; i < names->count; i++)
		open_region(any, names->items[i],
			    i + 1 == names->count && any->labels &&
					    !perun_column_absent(any->labels, row)
				    ? perun_column_id(any->labels, row)
				    : PERUN_NO_ID);
	if (__builtin_add_overflow(any->now, length_of(any, row), &any->now))
		any->now = start;
	leaf = any->depth ? any->open_ids[any->depth - 1] : 0;
	if (names->count)
		close_region(any);
	if (!has_values(any, row))
		return;
	afperf_put_type(any->writing,
			names->count ? AFPERF_REGION_AGGREGATE : AFPERF_RUN_AGGREGATE);
	afperf_put_int64(any->writing, any->now);
	afperf_put_int64(any->writing, start);
	afperf_put_uint64(any->writing, names->count ? leaf : RUN_ID);
	afperf_put_blank(any->writing);
	put_values(any, row);
	afperf_end_record(any->writing);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static const struct perun_column *column_of(const struct perun_table *table, const char *name,
					    enum perun_type type)
{
	const struct perun_column *column = perun_table_column(table, name);

	return column && perun_column_info(column)->type == type ? column : NULL;
}

static void tell_losses(const struct any *any)
{
	size_t columns = 0, tables = 0, lines = 0;

	for (size_t i = 0; i < perun_table_columns(any->table); i++) {
		const struct perun_column *column = perun_table_column_at(any->table, i);
		enum perun_role role = perun_column_info(column)->role;

		columns += role != PERUN_ROLE_METRIC && column != any->stack &&
			   column != any->labels && column != any->uid;
	}
	for (size_t i = 0; i < perun_profile_tables(any->profile); i++)
		tables += perun_profile_table_at(any->profile, i) != any->table;
	for (perun_id i = 0; i < perun_profile_locations(any->profile); i++) {
		const struct perun_location *location = perun_profile_location(any->profile, i);

		lines += location->address || (location->line_count && location->lines[0].line);
	}
	if (columns)
		perun_lost(any->writing->ctx, "columns that are no metric, stack or label",
			   columns);
	if (tables)
		perun_lost(any->writing->ctx, "other tables", tables);
	if (lines)
		perun_lost(any->writing->ctx, "addresses and lines", lines);
}

int afperf_write_any(struct afperf_writing *writing)
{
	struct any any = {.writing = writing,
			  .profile = writing->profile,
			  .table = perun_resources(writing->profile),
			  .next_id = 1};
	struct names names = {0};
	size_t rows = perun_table_rows(any.table);

	any.metrics = perun_metrics(writing->profile, &any.metric_count);
	any.stack = column_of(any.table, "stack", PERUN_TYPE_STACK);
	any.labels = column_of(any.table, "labels", PERUN_TYPE_LABELS);
	any.uid = column_of(any.table, "uid", PERUN_TYPE_STRING);
	put_run(&any);
	put_types(&any);
	for (size_t row = 0; row < rows; row++) {
		put_row(&any, row, &names);
		if (row % 4096 == 0 && perun_cancelled(writing->ctx))
			break;
	}
	while (any.depth > 0)
		close_region(&any);
	tell_losses(&any);
	perun_free(names.items);
	perun_free(any.open);
	perun_free(any.open_ids);
	return PERUN_OK;
}
