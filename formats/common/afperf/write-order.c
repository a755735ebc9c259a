/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which the records of a run are written: by time. */
#include <stdlib.h>

#include "write-own.h"

static int compare_items(const void *one, const void *other)
{
	const struct afperf_item *a = one, *b = other;

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

static void add_item(struct afperf_own *own, struct afperf_item item)
{
	PERUN_GROW(own->items, own->item_count, own->item_capacity);
	own->items[own->item_count++] = item;
}

static int32_t depth_of(const struct afperf_own *own, size_t row)
{
	size_t count = 0;

	if (afperf_own_present(own->stack, row))
		perun_profile_stack(own->profile, perun_column_id(own->stack, row), &count);
	return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

/* Items of one region or section interval that has no id stay together: block order. */
static uint32_t owner_of(const struct afperf_own *own, size_t row)
{
	if (afperf_own_present(own->of, row))
		return perun_column_id(own->of, row);
	return (uint32_t)row;
}

static uint32_t place_of(const struct afperf_own *own, size_t row)
{
	const struct perun_column *ids =
		afperf_own_column_of(own->sections, "id", PERUN_TYPE_UINT64);
	perun_id section = afperf_own_present(own->section, row)
				   ? perun_column_id(own->section, row)
				   : PERUN_NO_ID;

	return section == PERUN_NO_ID || afperf_own_present(ids, section) ? AFPERF_LAST : section;
}

static void add_interval(struct afperf_own *own, size_t row, int32_t depth, uint32_t owner)
{
	int64_t start = perun_column_int64(own->start, row), end;
	struct afperf_item item = {.place = place_of(own, row),
				   .time = start,
				   .depth = depth,
				   .phase = 1,
				   .what = ITEM_START,
				   .owner = owner,
				   .row = (uint32_t)row};

	add_item(own, item);
	if (!afperf_own_present(own->end, row))
		return;
	end = perun_column_int64(own->end, row);
	item.time = end;
	item.what = ITEM_STOP;
	item.step = 2;
	item.phase = end == start ? 2 : 0;
	item.depth = -depth;
	add_item(own, item);
}

/* Whether block order alone says what the values of a row belong to. */
static bool by_block(const struct afperf_own *own, size_t row)
{
	return afperf_own_is_level(own, row, "section") ? !afperf_own_present(own->interval, row)
							: !afperf_own_present(own->id, row);
}

/* Values go to the start of what they belong to, to its end, or between. */
static void add_data(struct afperf_own *own, size_t row, int32_t depth, uint32_t owner)
{
	bool point = afperf_own_present(own->at, row),
	     timed = owner < perun_table_rows(own->resources) &&
		     afperf_own_present(own->start, owner);
	const struct perun_column *times = point ? own->at : own->until;
	struct afperf_item item = {
		.place = place_of(own, row),
		.time = afperf_own_present(times, row) ? perun_column_int64(times, row) : 0,
		.depth = depth,
		.phase = 1,
		.step = 1,
		.what = ITEM_DATA,
		.owner = owner,
		.row = (uint32_t)row};
	int64_t start = timed ? perun_column_int64(own->start, owner) : item.time;
	bool closed = timed && afperf_own_present(own->end, owner);

	if (afperf_own_is_level(own, row, "run")) {
		item.phase = 3;
		item.depth = 0;
	} else if (timed && by_block(own, row)) {
		item.time = start; /* after its start */
	} else if (closed && item.time == perun_column_int64(own->end, owner) &&
		   (!point || item.time != start)) {
		item.phase = item.time == start ? 2 : 0;
		item.depth = -depth;
		item.step = point ? 1 : 3;
	}
	add_item(own, item);
}

/* Sections and pauses. */
static void add_others(struct afperf_own *own, size_t run)
{
	const struct perun_column *ends =
		afperf_own_column_of(own->pauses, "end", PERUN_TYPE_INT64);

	for (size_t i = own->of_pauses.firsts[run]; ends && i < own->of_pauses.firsts[run + 1]; i++)
		add_item(own, (struct afperf_item){
				      .place = AFPERF_LAST,
				      .time = perun_column_int64(ends, own->of_pauses.rows[i]),
				      .phase = 3,
				      .step = 1,
				      .what = ITEM_PAUSE,
				      .row = (uint32_t)own->of_pauses.rows[i]});
	for (size_t i = own->of_sections.firsts[run]; i < own->of_sections.firsts[run + 1]; i++)
		add_item(own, (struct afperf_item){.place = (uint32_t)own->of_sections.rows[i],
						   .time = INT64_MIN,
						   .what = ITEM_SECTION,
						   .row = (uint32_t)own->of_sections.rows[i]});
}

void afperf_own_gather_items(struct afperf_own *own, size_t run)
{
	own->item_count = 0;
	for (size_t i = own->of_resources.firsts[run]; i < own->of_resources.firsts[run + 1]; i++) {
		size_t row = own->of_resources.rows[i];
		int32_t depth = depth_of(own, row);
		uint32_t owner = owner_of(own, row);

		if (afperf_own_present(own->start, row))
			add_interval(own, row, depth, owner);
		if (afperf_own_present(own->record, row) && !afperf_own_present(own->more, row))
			add_data(own, row, depth, owner);
	}
	add_others(own, run);
	if (own->item_count)
		qsort(own->items, own->item_count, sizeof *own->items, compare_items);
}
