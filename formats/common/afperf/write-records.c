/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a run as text, and fields of records. */
#include "write-own.h"

const struct perun_column *afperf_own_column_of(const struct perun_table *table, const char *name,
						enum perun_type type)
{
	const struct perun_column *column = table ? perun_table_column(table, name) : NULL;

	return column && perun_column_info(column)->type == type ? column : NULL;
}

bool afperf_own_present(const struct perun_column *column, size_t row)
{
	return column && !perun_column_absent(column, row);
}

void afperf_own_put_string(struct afperf_own *own, const struct perun_table *table,
			   const char *name, size_t row)
{
	const struct perun_column *column = afperf_own_column_of(table, name, PERUN_TYPE_STRING);
	size_t length = 0;
	const char *text =
		afperf_own_present(column, row)
			? perun_profile_string(own->profile, perun_column_id(column, row), &length)
			: "";

	afperf_put_text(own->writing, text, length);
}

void afperf_own_put_id(struct afperf_own *own, const struct perun_column *column, size_t row)
{
	if (afperf_own_present(column, row))
		afperf_put_uint64(own->writing, perun_column_uint64(column, row));
	else
		afperf_put_blank(own->writing);
}

void afperf_own_put_run_id(struct afperf_own *own, size_t run)
{
	afperf_own_put_id(own, afperf_own_column_of(own->runs, "run", PERUN_TYPE_UINT64), run);
}

/* A time of the profile as a timestamp of the run, which is never negative. */
void afperf_own_put_time(struct afperf_own *own, int64_t time)
{
	int64_t stamp = time;

	if (own->wallclock) {
		if (__builtin_sub_overflow(time, own->shift, &stamp))
			stamp = time < 0 ? INT64_MIN : INT64_MAX;
		if (__builtin_add_overflow(own->first, stamp / own->unit, &stamp))
			stamp = INT64_MAX;
	}
	afperf_put_int64(own->writing, stamp < 0 ? 0 : stamp);
}

bool afperf_own_is_level(const struct afperf_own *own, size_t row, const char *name)
{
	const char *text =
		afperf_own_present(own->level, row)
			? perun_profile_string(own->profile, perun_column_id(own->level, row), NULL)
			: "";

	return strcmp(text, name) == 0;
}

/* ---- records ---------------------------------------------------------------------------------------- */

void afperf_own_put_value(struct afperf_own *own, const struct perun_column *column, size_t row)
{
	enum perun_type type = perun_column_info(column)->type;
	struct perun_span span;
	size_t length;
	const char *text;

	switch (type) {
	case PERUN_TYPE_DOUBLE:
		if (perun_column_span(column, row, &span) &&
		    perun_bit(span.integers, row - span.first))
			afperf_put_int64(own->writing, perun_column_int64(column, row));
		else
			afperf_put_double(own->writing, perun_column_double(column, row));
		break;
	case PERUN_TYPE_STRING:
		text = perun_profile_string(own->profile, perun_column_id(column, row), &length);
		afperf_put_text(own->writing, text, length);
		break;
	case PERUN_TYPE_BOOL:
		afperf_put_word(own->writing, perun_column_int64(column, row) ? "1" : "0");
		break;
	default:
		afperf_put_int64(own->writing, perun_column_int64(column, row));
	}
}

static void put_pairs(struct afperf_own *own, size_t row)
{
	size_t rows = perun_table_rows(own->resources);

	do {
		for (size_t i = 0; i < own->value_count; i++) {
			if (perun_column_absent(own->values[i].column, row))
				continue;
			afperf_put_uint64(own->writing, own->values[i].id);
			afperf_own_put_value(own, own->values[i].column, row);
		}
	} while (++row < rows && afperf_own_present(own->more, row));
}

static void put_section(struct afperf_own *own, size_t row, size_t run)
{
	const struct perun_column *times =
		afperf_own_column_of(own->sections, "timestamp", PERUN_TYPE_INT64);

	afperf_put_type(own->writing, AFPERF_SECTION_INFO);
	if (afperf_own_present(times, row))
		afperf_put_int64(own->writing, perun_column_int64(times, row));
	else
		afperf_put_blank(own->writing);
	afperf_own_put_run_id(own, run);
	afperf_own_put_id(own, afperf_own_column_of(own->sections, "id", PERUN_TYPE_UINT64), row);
	afperf_own_put_string(own, own->sections, "label", row);
	afperf_own_put_string(own, own->sections, "tags", row);
	afperf_end_record(own->writing);
}

static void put_section_id(struct afperf_own *own, size_t row)
{
	if (afperf_own_present(own->section, row) && own->sections)
		afperf_own_put_id(own, afperf_own_column_of(own->sections, "id", PERUN_TYPE_UINT64),
				  perun_column_id(own->section, row));
	else
		afperf_put_blank(own->writing);
}

static void put_data(struct afperf_own *own, size_t row, size_t run)
{
	bool point = afperf_own_present(own->at, row);
	bool region = afperf_own_is_level(own, row, "region"),
	     section = afperf_own_is_level(own, row, "section");

	afperf_put_type(own->writing,
			region    ? point ? AFPERF_REGION_POINT : AFPERF_REGION_AGGREGATE
			: section ? point ? AFPERF_SECTION_POINT : AFPERF_SECTION_AGGREGATE
			: point   ? AFPERF_RUN_POINT
				  : AFPERF_RUN_AGGREGATE);
	if (point) {
		afperf_own_put_time(own, perun_column_int64(own->at, row));
	} else {
		afperf_own_put_time(own, afperf_own_present(own->until, row)
						 ? perun_column_int64(own->until, row)
						 : 0);
		afperf_own_put_time(own, afperf_own_present(own->from, row)
						 ? perun_column_int64(own->from, row)
						 : 0);
	}
	if (region)
		afperf_own_put_id(own, own->id, row);
	else if (section)
		put_section_id(own, row);
	else
		afperf_own_put_run_id(own, run);
	if (section)
		afperf_own_put_id(own, own->interval, row);
	if (!point)
		afperf_put_blank(own->writing);
	put_pairs(own, row);
	afperf_end_record(own->writing);
}

static void put_tags(struct afperf_own *own, size_t row)
{
	if (afperf_own_present(own->tags, row))
		afperf_own_put_string(own, own->resources, "tags", row);
	else
		afperf_put_labels(own->writing, afperf_own_present(own->labels, row)
							? perun_column_id(own->labels, row)
							: PERUN_NO_ID);
}

static void put_start(struct afperf_own *own, size_t row, size_t run)
{
	bool section = afperf_own_is_level(own, row, "section");

	afperf_put_type(own->writing, section ? AFPERF_SECTION_START : AFPERF_REGION_START);
	afperf_own_put_time(own, perun_column_int64(own->start, row));
	if (section) {
		put_section_id(own, row);
		afperf_own_put_id(own, own->interval, row);
	} else {
		afperf_own_put_run_id(own, run);
		afperf_own_put_id(own, own->id, row);
		afperf_own_put_string(own, own->resources, "uid", row);
		put_tags(own, row);
	}
	afperf_end_record(own->writing);
}

static void put_stop(struct afperf_own *own, size_t row)
{
	bool section = afperf_own_is_level(own, row, "section");

	afperf_put_type(own->writing, section ? AFPERF_SECTION_STOP : AFPERF_REGION_STOP);
	afperf_own_put_time(own, perun_column_int64(own->end, row));
	if (section) {
		put_section_id(own, row);
		afperf_own_put_id(own, own->interval, row);
	} else {
		afperf_own_put_id(own, own->id, row);
	}
	afperf_end_record(own->writing);
}

static void put_pause(struct afperf_own *own, size_t row, size_t run)
{
	afperf_put_type(own->writing, AFPERF_PAUSE_RESUME);
	afperf_own_put_time(
		own, perun_column_int64(afperf_own_column_of(own->pauses, "end", PERUN_TYPE_INT64),
					row));
	afperf_own_put_time(
		own, perun_column_int64(
			     afperf_own_column_of(own->pauses, "start", PERUN_TYPE_INT64), row));
	afperf_own_put_run_id(own, run);
	afperf_end_record(own->writing);
}

void afperf_own_put_items(struct afperf_own *own, size_t run)
{
	for (size_t i = 0; i < own->item_count; i++) {
		const struct afperf_item *item = &own->items[i];

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
