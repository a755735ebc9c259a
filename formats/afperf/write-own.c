/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing what was read from AFPerf: each run by itself, its records by time. */
#include <math.h>
#include <stdlib.h>

#include "writing.h"

/* The rows of a table, run by run: those of run i are rows[firsts[i]] up to rows[firsts[i + 1]]. */
struct rows_of_runs {
	size_t *rows, *firsts;
};

/* Tables and columns of the profile; NULL for those that are not there. */
struct own {
	struct afperf_writing *writing;
	const struct perun_profile *profile;
	const struct perun_table *runs, *types, *sections, *pauses, *processed, *resources;
	const struct perun_column *level, *record, *labels, *tags, *stack, *uid;
	const struct perun_column *start, *end, *at, *from, *until, *id, *interval, *section;
	const struct perun_column *more, *of;
	struct rows_of_runs of_types, of_sections, of_pauses, of_processed, of_resources;
	/* Of the run at hand. */
	int64_t unit, shift, first; /* ns of a timestamp; wallclock in ns; RunInfo's timestamp */
	bool wallclock;
	/* Values: the columns of the run's types, in the order of the types. */
	struct value_column {
		const struct perun_column *column;
		uint64_t id;
	} * values;
	size_t value_count, value_capacity;
	struct item *items;
	size_t item_count, item_capacity;
};

/*
 * A record to be written. At one time, what ends there comes before what begins: inner regions end
 * first, outer ones begin first. Values stand before the stop of their region, aggregates behind it.
 * Sections come first, and one without an id is followed by all that belongs to it: its records mean
 * the latest section.
 */
struct item {
	uint32_t place; /* a section; AFPERF_LAST behind all of them */
	int64_t time;
	int32_t depth; /* sorted by, after `phase` */
	uint8_t phase; /* 0 ends, 1 begins, 2 ends of what has no length, 3 others */
	uint8_t step;
	uint8_t what;
	uint32_t owner; /* keeps the records of one without id together */
	uint32_t row;
};
enum { ITEM_START, ITEM_STOP, ITEM_DATA, ITEM_PAUSE, ITEM_SECTION };
#define AFPERF_LAST UINT32_MAX

static const struct perun_column *column_of(const struct perun_table *table, const char *name,
					    enum perun_type type)
{
	const struct perun_column *column = table ? perun_table_column(table, name) : NULL;

	return column && perun_column_info(column)->type == type ? column : NULL;
}

static bool present(const struct perun_column *column, size_t row)
{
	return column && !perun_column_absent(column, row);
}

bool afperf_is_own(const struct perun_profile *profile)
{
	const struct perun_table *runs = perun_profile_table(profile, "runs"),
				 *types = perun_profile_table(profile, "measurement_types"),
				 *resources = perun_resources(profile);

	return runs && types && column_of(runs, "wallclock", PERUN_DOUBLE) &&
	       column_of(runs, "units", PERUN_STRING) && column_of(runs, "start", PERUN_INT64) &&
	       column_of(types, "id", PERUN_UINT64) && column_of(types, "column", PERUN_STRING) &&
	       (perun_table_rows(resources) == 0 || column_of(resources, "run_number", PERUN_ROW));
}

static void put_string(struct own *own, const struct perun_table *table, const char *name,
		       size_t row)
{
	const struct perun_column *column = column_of(table, name, PERUN_STRING);
	size_t length = 0;
	const char *text =
		present(column, row)
			? perun_profile_string(own->profile, perun_column_id(column, row), &length)
			: "";

	afperf_put_text(own->writing, text, length);
}

static void put_id(struct own *own, const struct perun_column *column, size_t row)
{
	if (present(column, row))
		afperf_put_uint64(own->writing, perun_column_uint64(column, row));
	else
		afperf_put_blank(own->writing);
}

static void put_run_id(struct own *own, size_t run)
{
	put_id(own, column_of(own->runs, "run", PERUN_UINT64), run);
}

/* A time of the profile as a timestamp of the run. */
static int64_t timestamp(const struct own *own, int64_t time)
{
	return own->wallclock ? own->first + (int64_t)(((__int128)time - own->shift) / own->unit)
			      : time;
}

static void put_time(struct own *own, int64_t time)
{
	int64_t stamp = timestamp(own, time);

	afperf_put_int64(own->writing, stamp < 0 ? 0 : stamp);
}

/* ---- definitions ------------------------------------------------------------------------------------ */

static void begin_run(struct own *own, size_t run)
{
	const struct perun_column *units = perun_table_column(own->runs, "units");
	const struct perun_column *wallclock = perun_table_column(own->runs, "wallclock");
	const char *name =
		present(units, run)
			? perun_profile_string(own->profile, perun_column_id(units, run), NULL)
			: "";
	double seconds = perun_column_double(wallclock, run);
	long double ns = seconds * 1e9L;

	own->unit = 1;
	for (int i = 0; i < 4; i++)
		if (strcmp(name, afperf_time_units[i].name) == 0)
			own->unit = afperf_time_units[i].nanoseconds;
	own->shift = fabsl(ns) < 9e18L ? (int64_t)llroundl(ns) : 0;
	own->first = perun_column_int64(perun_table_column(own->runs, "start"), run);
	afperf_put_type(own->writing, AFPERF_RUN_INFO);
	afperf_put_int64(own->writing, own->first);
	afperf_put_word(own->writing, name);
	afperf_put_double(own->writing, isfinite(seconds) ? seconds : 0);
	put_string(own, own->runs, "format", run);
	put_run_id(own, run);
	put_string(own, own->runs, "application", run);
	put_string(own, own->runs, "version", run);
	put_string(own, own->runs, "tags", run);
	afperf_end_record(own->writing);
}

/* Rows that are of no run are left out. */
static struct rows_of_runs sort_by_run(const struct own *own, const struct perun_table *table)
{
	const struct perun_column *numbers = column_of(table, "run_number", PERUN_ROW);
	size_t runs = perun_table_rows(own->runs), count = numbers ? perun_table_rows(table) : 0;
	struct rows_of_runs sorted = {perun_alloc_zero(count + 1, sizeof *sorted.rows),
				      perun_alloc_zero(runs + 3, sizeof *sorted.firsts)};

	/* Counted one place further on, so that the filling leaves the firsts where they belong. */
	for (size_t row = 0; row < count; row++)
		if (present(numbers, row) && perun_column_id(numbers, row) < runs)
			sorted.firsts[perun_column_id(numbers, row) + 2]++;
	for (size_t i = 1; i <= runs + 1; i++)
		sorted.firsts[i] += sorted.firsts[i - 1];
	for (size_t row = 0; row < count; row++)
		if (present(numbers, row) && perun_column_id(numbers, row) < runs)
			sorted.rows[sorted.firsts[perun_column_id(numbers, row) + 1]++] = row;
	return sorted;
}

static void free_rows(struct rows_of_runs *sorted)
{
	perun_free(sorted->rows);
	perun_free(sorted->firsts);
}

static void put_types(struct own *own, size_t run)
{
	const struct perun_column *names = column_of(own->types, "column", PERUN_STRING);
	const struct perun_column *ids = column_of(own->types, "id", PERUN_UINT64);
	const struct perun_column *times = column_of(own->types, "timestamp", PERUN_INT64);

	own->value_count = 0;
	for (size_t i = own->of_types.firsts[run]; i < own->of_types.firsts[run + 1]; i++) {
		size_t row = own->of_types.rows[i];
		const char *name;

		afperf_put_type(own->writing, AFPERF_MEASUREMENT_TYPE);
		afperf_put_int64(own->writing, times ? perun_column_int64(times, row) : 0);
		put_run_id(own, run);
		put_id(own, ids, row);
		put_string(own, own->types, "name", row);
		put_string(own, own->types, "datatype", row);
		put_string(own, own->types, "units", row);
		put_string(own, own->types, "summary", row);
		put_string(own, own->types, "description", row);
		afperf_end_record(own->writing);
		if (!present(names, row))
			continue;
		name = perun_profile_string(own->profile, perun_column_id(names, row), NULL);
		PERUN_GROW(own->values, own->value_count, own->value_capacity);
		own->values[own->value_count].column = perun_table_column(own->resources, name);
		own->values[own->value_count].id = perun_column_uint64(ids, row);
		own->value_count += own->values[own->value_count].column != NULL;
	}
}

static void put_section(struct own *own, size_t row, size_t run)
{
	const struct perun_column *times = column_of(own->sections, "timestamp", PERUN_INT64);

	afperf_put_type(own->writing, AFPERF_SECTION_INFO);
	if (present(times, row))
		afperf_put_int64(own->writing, perun_column_int64(times, row));
	else
		afperf_put_blank(own->writing);
	put_run_id(own, run);
	put_id(own, column_of(own->sections, "id", PERUN_UINT64), row);
	put_string(own, own->sections, "label", row);
	put_string(own, own->sections, "tags", row);
	afperf_end_record(own->writing);
}

/* ---- records by time -------------------------------------------------------------------------------- */

static int compare_items(const void *one, const void *other)
{
	const struct item *a = one, *b = other;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static void add_item(struct own *own, struct item item)
{
	PERUN_GROW(own->items, own->item_count, own->item_capacity);
	own->items[own->item_count++] = item;
}

static int32_t depth_of(const struct own *own, size_t row)
{
	size_t count = 0;

	if (present(own->stack, row))
		perun_profile_stack(own->profile, perun_column_id(own->stack, row), &count);
	return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

/* Items of one region or section interval that has no id stay together: block order. */
static uint32_t owner_of(const struct own *own, size_t row)
{
	if (present(own->of, row))
		return perun_column_id(own->of, row);
	return (uint32_t)row;
}

static bool is_level(const struct own *own, size_t row, const char *name)
{
	const char *text =
		present(own->level, row)
			? perun_profile_string(own->profile, perun_column_id(own->level, row), NULL)
			: "";

	return strcmp(text, name) == 0;
}

static uint32_t place_of(const struct own *own, size_t row)
{
	const struct perun_column *ids = column_of(own->sections, "id", PERUN_UINT64);
	perun_id section =
		present(own->section, row) ? perun_column_id(own->section, row) : PERUN_NO_ID;

	return section == PERUN_NO_ID || present(ids, section) ? AFPERF_LAST : section;
}

static void add_interval(struct own *own, size_t row, int32_t depth, uint32_t owner)
{
	int64_t start = perun_column_int64(own->start, row), end;
	struct item item = {.place = place_of(own, row),
			    .time = start,
			    .depth = depth,
			    .phase = 1,
			    .what = ITEM_START,
			    .owner = owner,
			    .row = (uint32_t)row};

	add_item(own, item);
	if (!present(own->end, row))
		return;
	end = perun_column_int64(own->end, row);
	item.time = end;
	item.what = ITEM_STOP;
	item.step = 2;
	item.phase = end == start ? 2 : 0;
	item.depth = -depth;
	add_item(own, item);
}

/* Whether block order alone tells what the values of a row belong to. */
static bool by_block(const struct own *own, size_t row)
{
	return is_level(own, row, "section") ? !present(own->interval, row)
					     : !present(own->id, row);
}

/* Values go to the start of what they belong to, to its end, or between. */
static void add_data(struct own *own, size_t row, int32_t depth, uint32_t owner)
{
	bool point = present(own->at, row),
	     timed = owner < perun_table_rows(own->resources) && present(own->start, owner);
	const struct perun_column *times = point ? own->at : own->until;
	struct item item = {.place = place_of(own, row),
			    .time = present(times, row) ? perun_column_int64(times, row) : 0,
			    .depth = depth,
			    .phase = 1,
			    .step = 1,
			    .what = ITEM_DATA,
			    .owner = owner,
			    .row = (uint32_t)row};
	int64_t start = timed ? perun_column_int64(own->start, owner) : item.time;
	bool closed = timed && present(own->end, owner);

	if (is_level(own, row, "run")) {
		item.phase = 3;
		item.depth = 0;
	} else if (timed && by_block(own, row)) {
		item.time = start; /* behind its start */
	} else if (closed && item.time == perun_column_int64(own->end, owner) &&
		   (!point || item.time != start)) {
		item.phase = item.time == start ? 2 : 0;
		item.depth = -depth;
		item.step = point ? 1 : 3;
	}
	add_item(own, item);
}

/* Sections and pauses. */
static void add_others(struct own *own, size_t run)
{
	const struct perun_column *ends = column_of(own->pauses, "end", PERUN_INT64);

	for (size_t i = own->of_pauses.firsts[run]; ends && i < own->of_pauses.firsts[run + 1]; i++)
		add_item(own,
			 (struct item){.place = AFPERF_LAST,
				       .time = perun_column_int64(ends, own->of_pauses.rows[i]),
				       .phase = 3,
				       .step = 1,
				       .what = ITEM_PAUSE,
				       .row = (uint32_t)own->of_pauses.rows[i]});
	for (size_t i = own->of_sections.firsts[run]; i < own->of_sections.firsts[run + 1]; i++)
		add_item(own, (struct item){.place = (uint32_t)own->of_sections.rows[i],
					    .time = INT64_MIN,
					    .what = ITEM_SECTION,
					    .row = (uint32_t)own->of_sections.rows[i]});
}

static void gather_items(struct own *own, size_t run)
{
	own->item_count = 0;
	for (size_t i = own->of_resources.firsts[run]; i < own->of_resources.firsts[run + 1]; i++) {
		size_t row = own->of_resources.rows[i];
		int32_t depth = depth_of(own, row);
		uint32_t owner = owner_of(own, row);

		if (present(own->start, row))
			add_interval(own, row, depth, owner);
		if (present(own->record, row) && !present(own->more, row))
			add_data(own, row, depth, owner);
	}
	add_others(own, run);
	if (own->item_count)
		qsort(own->items, own->item_count, sizeof *own->items, compare_items);
}

/* ---- records ---------------------------------------------------------------------------------------- */

static void put_value(struct own *own, const struct perun_column *column, size_t row)
{
	enum perun_type type = perun_column_info(column)->type;
	struct perun_span span;
	size_t length;
	const char *text;

	switch (type) {
	case PERUN_DOUBLE:
		if (perun_column_span(column, row, &span) &&
		    perun_bit(span.integers, row - span.first))
			afperf_put_int64(own->writing, perun_column_int64(column, row));
		else
			afperf_put_double(own->writing, perun_column_double(column, row));
		break;
	case PERUN_STRING:
		text = perun_profile_string(own->profile, perun_column_id(column, row), &length);
		afperf_put_text(own->writing, text, length);
		break;
	case PERUN_BOOL:
		afperf_put_word(own->writing, perun_column_int64(column, row) ? "1" : "0");
		break;
	default:
		afperf_put_int64(own->writing, perun_column_int64(column, row));
	}
}

static void put_pairs(struct own *own, size_t row)
{
	size_t rows = perun_table_rows(own->resources);

	do {
		for (size_t i = 0; i < own->value_count; i++) {
			if (perun_column_absent(own->values[i].column, row))
				continue;
			afperf_put_uint64(own->writing, own->values[i].id);
			put_value(own, own->values[i].column, row);
		}
	} while (++row < rows && present(own->more, row));
}

static void put_section_id(struct own *own, size_t row)
{
	if (present(own->section, row) && own->sections)
		put_id(own, column_of(own->sections, "id", PERUN_UINT64),
		       perun_column_id(own->section, row));
	else
		afperf_put_blank(own->writing);
}

static void put_data(struct own *own, size_t row, size_t run)
{
	bool point = present(own->at, row);
	bool region = is_level(own, row, "region"), section = is_level(own, row, "section");

	afperf_put_type(own->writing,
			region    ? point ? AFPERF_REGION_POINT : AFPERF_REGION_AGGREGATE
			: section ? point ? AFPERF_SECTION_POINT : AFPERF_SECTION_AGGREGATE
			: point   ? AFPERF_RUN_POINT
				  : AFPERF_RUN_AGGREGATE);
	if (point) {
		put_time(own, perun_column_int64(own->at, row));
	} else {
		put_time(own, present(own->until, row) ? perun_column_int64(own->until, row) : 0);
		put_time(own, present(own->from, row) ? perun_column_int64(own->from, row) : 0);
	}
	if (region)
		put_id(own, own->id, row);
	else if (section)
		put_section_id(own, row);
	else
		put_run_id(own, run);
	if (section)
		put_id(own, own->interval, row);
	if (!point)
		afperf_put_blank(own->writing);
	put_pairs(own, row);
	afperf_end_record(own->writing);
}

static void put_tags(struct own *own, size_t row)
{
	if (present(own->tags, row))
		put_string(own, own->resources, "tags", row);
	else
		afperf_put_labels(own->writing, present(own->labels, row)
							? perun_column_id(own->labels, row)
							: PERUN_NO_ID);
}

static void put_start(struct own *own, size_t row, size_t run)
{
	bool section = is_level(own, row, "section");

	afperf_put_type(own->writing, section ? AFPERF_SECTION_START : AFPERF_REGION_START);
	put_time(own, perun_column_int64(own->start, row));
	if (section) {
		put_section_id(own, row);
		put_id(own, own->interval, row);
	} else {
		put_run_id(own, run);
		put_id(own, own->id, row);
		put_string(own, own->resources, "uid", row);
		put_tags(own, row);
	}
	afperf_end_record(own->writing);
}

static void put_stop(struct own *own, size_t row)
{
	bool section = is_level(own, row, "section");

	afperf_put_type(own->writing, section ? AFPERF_SECTION_STOP : AFPERF_REGION_STOP);
	put_time(own, perun_column_int64(own->end, row));
	if (section) {
		put_section_id(own, row);
		put_id(own, own->interval, row);
	} else {
		put_id(own, own->id, row);
	}
	afperf_end_record(own->writing);
}

static void put_pause(struct own *own, size_t row, size_t run)
{
	afperf_put_type(own->writing, AFPERF_PAUSE_RESUME);
	put_time(own, perun_column_int64(column_of(own->pauses, "end", PERUN_INT64), row));
	put_time(own, perun_column_int64(column_of(own->pauses, "start", PERUN_INT64), row));
	put_run_id(own, run);
	afperf_end_record(own->writing);
}

static void put_items(struct own *own, size_t run)
{
	for (size_t i = 0; i < own->item_count; i++) {
		const struct item *item = &own->items[i];

		switch (item->what) {
		case ITEM_START:
			put_start(own, item->row, run);
			break;
		case ITEM_STOP:
			put_stop(own, item->row);
			break;
		case ITEM_PAUSE:
			put_pause(own, item->row, run);
			break;
		case ITEM_SECTION:
			put_section(own, item->row, run);
			break;
		default:
			put_data(own, item->row, run);
		}
	}
}

/* ---- processed records ------------------------------------------------------------------------------ */

static void put_processed_value(struct own *own, size_t row)
{
	const struct perun_column *types = column_of(own->processed, "type", PERUN_ROW);
	const struct perun_column *values = column_of(own->processed, "value", PERUN_DOUBLE);

	if (present(types, row))
		afperf_put_uint64(own->writing,
				  perun_column_uint64(column_of(own->types, "id", PERUN_UINT64),
						      perun_column_id(types, row)));
	else
		afperf_put_blank(own->writing);
	if (present(values, row))
		put_value(own, values, row);
	else
		put_string(own, own->processed, "text", row);
}

static void put_processed(struct own *own, size_t run)
{
	const struct perun_table *table = own->processed;
	const struct perun_column *levels = column_of(table, "level", PERUN_STRING);
	const struct perun_column *more = column_of(table, "more", PERUN_BOOL);
	const struct perun_column *from = column_of(table, "from", PERUN_INT64);
	const struct perun_column *until = column_of(table, "until", PERUN_INT64);
	const size_t *rows = own->of_processed.rows;
	size_t last = own->of_processed.firsts[run + 1];

	for (size_t i = own->of_processed.firsts[run]; i < last && levels && from && until;) {
		size_t row = rows[i];
		const char *level =
			perun_profile_string(own->profile, perun_column_id(levels, row), NULL);

		level = level ? level : "";
		afperf_put_type(own->writing, strcmp(level, "region") == 0 ? AFPERF_REGION_AGGREGATE
					      : strcmp(level, "section") == 0
						      ? AFPERF_SECTION_AGGREGATE
						      : AFPERF_RUN_AGGREGATE);
		put_time(own, perun_column_int64(until, row));
		put_time(own, perun_column_int64(from, row));
		put_id(own, column_of(table, "id", PERUN_UINT64), row);
		if (strcmp(level, "section") == 0)
			afperf_put_blank(own->writing);
		put_string(own, table, "aggregation", row);
		do
			put_processed_value(own, rows[i++]);
		while (i < last && present(more, rows[i]) && perun_column_int64(more, rows[i]));
		afperf_end_record(own->writing);
	}
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static void find_columns(struct own *own)
{
	const struct perun_table *table = own->resources;

	own->level = column_of(table, "level", PERUN_STRING);
	own->record = column_of(table, "record", PERUN_STRING);
	own->labels = column_of(table, "labels", PERUN_LABELS);
	own->tags = column_of(table, "tags", PERUN_STRING);
	own->stack = column_of(table, "stack", PERUN_STACK);
	own->uid = column_of(table, "uid", PERUN_STRING);
	own->start = column_of(table, "start", PERUN_INT64);
	own->end = column_of(table, "end", PERUN_INT64);
	own->at = column_of(table, "at", PERUN_INT64);
	own->from = column_of(table, "from", PERUN_INT64);
	own->until = column_of(table, "until", PERUN_INT64);
	own->id = column_of(table, "id", PERUN_UINT64);
	own->interval = column_of(table, "interval", PERUN_UINT64);
	own->section = column_of(table, "section", PERUN_ROW);
	own->more = column_of(table, "more", PERUN_BOOL);
	own->of = column_of(table, "of", PERUN_ROW);
}

/* What later minor versions had was not understood when the file was read. */
static void tell_losses(const struct own *own)
{
	const struct perun_json *extra =
		perun_json_path(perun_profile_document(own->profile), "/extra/afperf");
	uint64_t records = 0, fields = 0;

	perun_json_as_uint64(perun_json_get(extra, "ignored_records"), &records);
	perun_json_as_uint64(perun_json_get(extra, "ignored_fields"), &fields);
	if (records)
		perun_lost(own->writing->ctx, "records of later minor versions", records);
	if (fields)
		perun_lost(own->writing->ctx, "fields of later minor versions", fields);
}

int afperf_write_own(struct afperf_writing *writing, size_t only)
{
	struct own own = {.writing = writing,
			  .profile = writing->profile,
			  .runs = perun_profile_table(writing->profile, "runs"),
			  .types = perun_profile_table(writing->profile, "measurement_types"),
			  .sections = perun_profile_table(writing->profile, "sections"),
			  .pauses = perun_profile_table(writing->profile, "pauses"),
			  .processed = perun_profile_table(writing->profile, "processed"),
			  .resources = perun_resources(writing->profile)};
	size_t runs = perun_table_rows(own.runs);

	own.wallclock = strcmp(perun_profile_text(writing->profile, "extra.afperf.times"),
			       "timestamps") != 0;
	find_columns(&own);
	own.of_types = sort_by_run(&own, own.types);
	own.of_sections = sort_by_run(&own, own.sections);
	own.of_pauses = sort_by_run(&own, own.pauses);
	own.of_processed = sort_by_run(&own, own.processed);
	own.of_resources = sort_by_run(&own, own.resources);
	for (size_t run = 0; run < runs; run++) {
		if (only != SIZE_MAX && run != only)
			continue;
		begin_run(&own, run);
		put_types(&own, run);
		gather_items(&own, run);
		put_items(&own, run);
		put_processed(&own, run);
	}
	tell_losses(&own);
	free_rows(&own.of_types);
	free_rows(&own.of_sections);
	free_rows(&own.of_pauses);
	free_rows(&own.of_processed);
	free_rows(&own.of_resources);
	perun_free(own.values);
	perun_free(own.items);
	return PERUN_OK;
}
