/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing any profile: one run, stacks as nested regions one after the other, metrics as aggregates. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <perun/query.h>

#include "formats/common/losses.h"
#include "model.h"
#include "writing.h"

#define RUN_ID 1

/* What a region is called: a string; where that is PERUN_NO_ID, an address, or the uid of `row` - 1. */
struct frame {
	perun_id name;
	uint64_t address;
	size_t row;
};

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
	struct frame *open;
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
	const char *command = perun_profile_text(any->profile, "/header/cmd");
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

static void put_name(struct any *any, struct frame frame)
{
	char address[2 + 16 + 1];

	if (frame.row) {
		struct perun_buffer name = {0};

		perun_column_flat(any->uid, frame.row - 1, &name);
		afperf_put_text(any->writing, name.data ? name.data : "", name.length);
		perun_buffer_free(&name);
	} else if (frame.name == PERUN_NO_ID) {
		snprintf(address, sizeof address, "0x%" PRIx64, frame.address);
		afperf_put_word(any->writing, address);
	} else {
		size_t length;
		const char *text = perun_profile_string(any->profile, frame.name, &length);

		afperf_put_text(any->writing, text, length);
	}
}

/* The functions of a location, the outermost first, are regions. */
static void open_region(struct any *any, struct frame frame, perun_id labels)
{
	if (any->depth >= any->capacity) {
		any->capacity = any->capacity ? any->capacity * 2 : 64;
		any->open = perun_realloc_array(any->open, any->capacity, sizeof *any->open);
		any->open_ids =
			perun_realloc_array(any->open_ids, any->capacity, sizeof *any->open_ids);
	}
	any->open[any->depth] = frame;
	any->open_ids[any->depth++] = any->next_id;
	afperf_put_type(any->writing, AFPERF_REGION_START);
	afperf_put_int64(any->writing, any->now);
	afperf_put_uint64(any->writing, RUN_ID);
	afperf_put_uint64(any->writing, any->next_id++);
	put_name(any, frame);
	afperf_put_labels(any->writing, labels);
	afperf_end_record(any->writing);
}

/* The frames of a row, outermost first. */
struct names {
	struct frame *items;
	size_t count, capacity;
};

static void add_name(struct names *names, struct frame frame)
{
	PERUN_GROW(names->items, names->count, names->capacity);
	names->items[names->count++] = frame;
}

static void name_frames(struct any *any, size_t row, struct names *names)
{
	const perun_id *locations;
	size_t count;

	names->count = 0;
	if (!any->stack || perun_column_absent(any->stack, row)) {
		if (any->uid && !perun_column_absent(any->uid, row))
			add_name(names, (struct frame){.name = PERUN_NO_ID, .row = row + 1});
		return;
	}
	locations = perun_profile_stack(any->profile, perun_column_id(any->stack, row), &count);
	while (count-- > 0) {
		const struct perun_location *location =
			perun_profile_location(any->profile, locations[count]);
		struct frame nameless = {.name = PERUN_NO_ID, .address = location->address};

		for (uint32_t i = location->line_count; i-- > 0;) {
			perun_id function = location->lines[i].function;

			add_name(names,
				 function == PERUN_NO_ID
					 ? nameless
					 : (struct frame){.name = perun_profile_function(
									  any->profile, function)
									  ->name});
		}
		if (!location->line_count)
			add_name(names, nameless);
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

static bool is_nowhere(const struct any *any, size_t row)
{
	size_t count = 0;

	if (any->stack && !perun_column_absent(any->stack, row))
		perun_profile_stack(any->profile, perun_column_id(any->stack, row), &count);
	else if (any->uid)
		count = !perun_column_absent(any->uid, row);
	return count == 0;
}

static bool has_values(const struct any *any, size_t row)
{
	return perun_metric_of_row(any->profile, row, 0) != SIZE_MAX;
}

/* At least 1: of regions that begin and end at one time, no reader knows which is inside which. */
static int64_t length_of(const struct any *any, size_t row)
{
	double value;

	if (!any->clock)
		return 1;
	value = perun_metric_has_row(any->clock, row) ? perun_column_double(any->clock->values, row)
						      : 0;
	value *= any->clock_ns;
	return value > 1 && value < 1e18 ? (int64_t)value : 1;
}

static void put_row(struct any *any, size_t row, struct names *names)
{
	size_t common = 0;
	int64_t start = any->now;
	uint64_t leaf;

	name_frames(any, row, names);
	/* The innermost region is new for each row, others stay open as long as they go on. */
	while (common + 1 < names->count && common < any->depth &&
	       any->open[common].name == names->items[common].name &&
	       any->open[common].address == names->items[common].address)
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

/* Tags are "key=value;key=value". */
static bool is_odd_label(const struct perun_profile *profile, const struct perun_label *label)
{
	const char *key = perun_profile_string(profile, label->key, NULL);

	return !*key || strpbrk(key, "=;") ||
	       (label->text != PERUN_NO_ID &&
		strchr(perun_profile_string(profile, label->text, NULL), ';'));
}

/* A run has no labels, and neither have rows that are nowhere. */
static void report_labels(const struct any *any)
{
	uint64_t odd = 0, measured = 0, homeless = 0;

	for (size_t row = 0; any->labels && row < perun_table_rows(any->table); row++) {
		const struct perun_label *labels;
		size_t count;

		if (perun_column_absent(any->labels, row))
			continue;
		homeless += is_nowhere(any, row);
		labels = perun_profile_labels(any->profile, perun_column_id(any->labels, row),
					      &count);
		for (size_t i = 0; i < count; i++) {
			odd += is_odd_label(any->profile, &labels[i]);
			measured += labels[i].text == PERUN_NO_ID && labels[i].unit;
		}
	}
	if (odd)
		perun_lost(any->writing->ctx, "labels with semicolons or equals signs", odd);
	if (measured)
		perun_lost(any->writing->ctx, "units of labels", measured);
	if (homeless)
		perun_lost(any->writing->ctx, "labels of samples without a stack", homeless);
}

static void report_losses(const struct any *any)
{
	struct perun_ctx *ctx = any->writing->ctx;
	uint64_t renamed = 0;

	for (size_t i = 0; i < any->metric_count; i++)
		renamed += afperf_model_reserves(any->metrics[i]->name);
	if (renamed)
		perun_lost(ctx, "names of metrics that AFPerf has of its own", renamed);
	if (*perun_profile_text(any->profile, "/header/args"))
		perun_lost(ctx, "header.args", 1);
	if (*perun_profile_text(any->profile, "/header/workload"))
		perun_lost(ctx, "header.workload", 1);
	report_labels(any);
	losses_report(ctx, any->profile, LOSSES_LABELS | LOSSES_COMMAND | LOSSES_NAMES);
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
	any.uid = perun_table_column(any.table, "uid");
	put_run(&any);
	put_types(&any);
	for (size_t row = 0; row < rows; row++) {
		put_row(&any, row, &names);
		if (row % 4096 == 0 && perun_cancelled(writing->ctx))
			break;
	}
	while (any.depth > 0)
		close_region(&any);
	report_losses(&any);
	perun_free(names.items);
	perun_free(any.open);
	perun_free(any.open_ids);
	return PERUN_OK;
}
