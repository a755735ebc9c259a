/* SPDX-License-Identifier: BSD-3-Clause */
/* What packets call by a number once one of their sequence said it: names, frames, stacks; and the clocks of their times. */
#include <string.h>

#include "perfetto.h"

enum { IID = 1, TEXT = 2 }; /* of names */
enum { CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_INCREMENTAL = 3, CLOCK_UNIT = 4 };
enum { BOOTTIME = 6, FIRST_OF_SEQUENCE = 64 };

/* ---- interned data --------------------------------------------------------------------------- */

/* A number for three, none of which is that of others but by the least of chances. */
static uint64_t key_of(uint64_t scope, uint64_t kind, uint64_t number)
{
	uint64_t key = scope * 0x9e3779b97f4a7c15 + kind;

	key = (key ^ key >> 32) * 0xd6e8feb86659fd93 + number;
	return (key ^ key >> 32) * 0xd6e8feb86659fd93;
}

uint32_t perfetto_find_item(const struct perfetto *trace, uint64_t scope, uint64_t kind,
			    uint64_t iid)
{
	return stacks_numbers_find(&trace->item_ids, key_of(scope, kind, iid));
}

static void add_item(struct perfetto *trace, uint64_t scope, uint64_t kind,
		     struct protobuf_bytes message)
{
	struct perfetto_item item = {.made = PERUN_NO_ID};
	struct protobuf_bytes text = {0}, whole = message;
	struct protobuf_field field;
	uint64_t iid = 0;

	while (protobuf_next(&message, &field)) {
		if (field.number == IID && field.type == PROTOBUF_VARINT)
			iid = field.value;
		else if (field.number == TEXT && field.type == PROTOBUF_BYTES)
			text = field.bytes;
	}
	if (kind == PERFETTO_EVENT_NAMES || kind == PERFETTO_FUNCTION_NAMES ||
	    kind == PERFETTO_MAPPING_PATHS)
		item.made =
			perun_builder_string(trace->builder, text.at ? (const char *)text.at : "",
					     (size_t)(text.end - text.at));
	else
		item.bytes = whole;
	if (!stacks_numbers_add(&trace->item_ids, key_of(scope, kind, iid),
				(uint32_t)trace->item_count))
		return;
	trace->references += item.made == PERUN_NO_ID;
	PERUN_GROW(trace->items, trace->item_count, trace->item_room);
	trace->items[trace->item_count++] = item;
}

void perfetto_read_interned(struct perfetto *trace, uint64_t scope, struct protobuf_bytes message)
{
	static const uint64_t kinds[] = {PERFETTO_EVENT_NAMES, PERFETTO_FUNCTION_NAMES,
					 PERFETTO_FRAMES,      PERFETTO_STACKS,
					 PERFETTO_MAPPINGS,    PERFETTO_MAPPING_PATHS};
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (field.type == PROTOBUF_BYTES && field.number == kinds[i])
				add_item(trace, scope, kinds[i], field.bytes);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static struct perfetto_clock *clock_of(struct perfetto *trace, uint64_t sequence, uint64_t id,
				       bool add)
{
	uint64_t key = key_of(id < FIRST_OF_SEQUENCE ? UINT64_MAX : sequence, CLOCK, id);
	uint32_t index = stacks_numbers_find(&trace->clock_ids, key);

	if (index != UINT32_MAX)
		return &trace->clocks[index];
	if (!add)
		return NULL;
	stacks_numbers_add(&trace->clock_ids, key, (uint32_t)trace->clock_count);
	PERUN_GROW(trace->clocks, trace->clock_count, trace->clock_room);
	trace->clocks[trace->clock_count] = (struct perfetto_clock){.unit = 0};
	return &trace->clocks[trace->clock_count++];
}

struct reading {
	uint64_t id, time, unit;
	bool incremental;
};

static struct reading read_clock(struct protobuf_bytes message)
{
	struct reading reading = {.unit = 1};
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == CLOCK_ID)
			reading.id = field.value;
		else if (field.number == CLOCK_TIME)
			reading.time = field.value;
		else if (field.number == CLOCK_INCREMENTAL)
			reading.incremental = field.value != 0;
		else if (field.number == CLOCK_UNIT && field.value)
			reading.unit = field.value;
	}
	return reading;
}

/* Readings of several clocks at one moment. That of the system count as they were first, so that nothing jumps between two. */
void perfetto_read_clocks(struct perfetto *trace, uint64_t sequence, struct protobuf_bytes message)
{
	struct protobuf_bytes again = message;
	struct protobuf_field field;
	struct reading reading;
	uint64_t boot = 0;

	while (protobuf_next(&message, &field)) {
		if (field.number != CLOCK || field.type != PROTOBUF_BYTES)
			continue;
		reading = read_clock(field.bytes);
		if (reading.id == BOOTTIME)
			boot = reading.time;
	}
	while (protobuf_next(&again, &field)) {
		struct perfetto_clock *clock;

		if (field.number != CLOCK || field.type != PROTOBUF_BYTES)
			continue;
		reading = read_clock(field.bytes);
		clock = clock_of(trace, sequence, reading.id, true);
		clock->last = reading.time;
		if (clock->unit && reading.id < FIRST_OF_SEQUENCE)
			continue;
		clock->unit = reading.unit;
		clock->incremental = reading.incremental;
		if (boot)
			clock->offset = boot - reading.time * reading.unit;
	}
}

uint64_t perfetto_time(struct perfetto *trace, uint64_t sequence, uint64_t id, uint64_t time)
{
	struct perfetto_clock *clock = clock_of(trace, sequence, id, false);

	if (!clock)
		return time;
	if (clock->incremental)
		time = clock->last += time;
	return time * clock->unit + clock->offset;
}
