/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples: one field after the other, as their event has them. */
#include "sample.h"

/* Bits of `read_format`. */
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };
/* Bits of `branch_type`. */
enum { BRANCH_CALL_STACK = 1 << 11, BRANCH_INDEX = 1 << 17 };

/* Where the id of the event is, or the one event that there is. */
static size_t find_event(const struct perfdata *file, const struct perfdata_record *record)
{
	uint64_t type = file->events[0].sample_type;
	struct cursor cursor = {record->data, record->data + record->size, .big = file->big};
	uint32_t number;

	if (!(type & SAMPLE_IDENTIFIER)) {
		if (!(type & SAMPLE_ID))
			return 0;
		for (uint64_t bit = SAMPLE_IP; bit <= SAMPLE_ADDRESS; bit <<= 1)
			if (type & bit)
				cursor_64(&cursor);
	}
	number = stacks_numbers_find(&file->ids, cursor_64(&cursor));
	return number == UINT32_MAX ? file->event_count == 1 ? 0 : SIZE_MAX : number;
}

/* A list of `size` bytes each, after its length. */
static struct cursor take_list(struct cursor *cursor, uint64_t count, uint64_t size)
{
	struct cursor list = {.big = cursor->big};

	if (count > cursor_left(cursor) / size) {
		cursor->truncated = true;
		return list;
	}
	list.at = cursor_bytes(cursor, count * size);
	list.end = list.at + count * size;
	return list;
}

static uint64_t value_size(uint64_t format)
{
	return 8 * (1 + (uint64_t) !!(format & READ_ID) + !!(format & READ_LOST));
}

static void take_read(struct cursor *cursor, struct perfdata_sample *sample)
{
	uint64_t format = sample->read_format, count = 1;
	bool group = format & READ_GROUP;

	if (group)
		count = cursor_64(cursor);
	else
		cursor_64(cursor);
	cursor_bytes(cursor,
		     8 * ((uint64_t) !!(format & READ_ENABLED) + !!(format & READ_RUNNING)));
	if (group)
		sample->group = take_list(cursor, count, value_size(format));
	else
		cursor_bytes(cursor, value_size(format) - 8);
}

bool perfdata_next_value(struct perfdata_sample *sample, struct perfdata_value *value)
{
	if (!sample->group.at || cursor_left(&sample->group) < value_size(sample->read_format))
		return false;
	value->value = cursor_64(&sample->group);
	value->id = sample->read_format & READ_ID ? cursor_64(&sample->group) : UINT64_MAX;
	if (sample->read_format & READ_LOST)
		cursor_64(&sample->group);
	return true;
}

static void take_branches(struct cursor *cursor, uint64_t type, struct perfdata_sample *sample)
{
	uint64_t count = cursor_64(cursor);

	if (type & BRANCH_INDEX)
		cursor_64(cursor);
	sample->branches = take_list(cursor, count, 24);
	sample->calls = type & BRANCH_CALL_STACK;
}

static void take_registers(struct cursor *cursor, uint64_t mask, struct perfdata_sample *sample)
{
	uint64_t kind = cursor_64(cursor); /* none, of 32 or of 64 bits */

	if (!kind)
		return;
	sample->registers = take_list(cursor, (uint64_t)__builtin_popcountll(mask), 8);
	sample->register_mask = kind == 2 ? mask : 0;
}

static void take_stack(struct cursor *cursor, struct perfdata_sample *sample)
{
	uint64_t size = cursor_64(cursor), used;

	if (!size)
		return;
	sample->stack = cursor_bytes(cursor, size);
	used = cursor_64(cursor);
	sample->stack_size = used < size ? used : size;
}

/* From the address on that is sampled to what the processor counted. */
static void take_head(struct cursor *cursor, uint64_t type, struct perfdata_sample *sample)
{
	if (type & SAMPLE_IDENTIFIER)
		cursor_64(cursor);
	if (type & SAMPLE_IP)
		sample->ip = cursor_64(cursor);
	if (type & SAMPLE_TID) {
		sample->pid = (int32_t)cursor_32(cursor);
		sample->thread = (int32_t)cursor_32(cursor);
	}
	if (type & SAMPLE_TIME)
		sample->time = (int64_t)cursor_64(cursor);
	if (type & SAMPLE_ADDRESS)
		cursor_64(cursor);
	if (type & SAMPLE_ID)
		cursor_64(cursor);
	if (type & SAMPLE_STREAM)
		cursor_64(cursor);
	if (type & SAMPLE_CPU) {
		sample->cpu = cursor_32(cursor);
		cursor_32(cursor);
	}
	if (type & SAMPLE_PERIOD)
		sample->period = cursor_64(cursor);
}

int perfdata_take_sample(const struct perfdata *file, const struct perfdata_record *record,
			 struct perfdata_sample *sample)
{
	struct cursor cursor = {record->data, record->data + record->size, .big = file->big};
	const struct perfdata_event *event;
	uint64_t type;

	*sample = (struct perfdata_sample){
		.misc = record->misc, .pid = -1, .thread = -1, .time = -1, .cpu = -1};
	sample->event = file->event_count ? find_event(file, record) : SIZE_MAX;
	if (sample->event == SIZE_MAX)
		return perfdata_wrong(file, record->data, "a sample of an event that is not known");
	event = &file->events[sample->event];
	type = event->sample_type;
	sample->period = event->period;
	sample->read_format = event->read_format;
	take_head(&cursor, type, sample);
	if (type & SAMPLE_READ)
		take_read(&cursor, sample);
	if (type & SAMPLE_CHAIN)
		sample->chain = take_list(&cursor, cursor_64(&cursor), 8);
	if (type & SAMPLE_RAW)
		cursor_bytes(&cursor, cursor_32(&cursor));
	if (type & SAMPLE_BRANCHES)
		take_branches(&cursor, event->branch_type, sample);
	if (type & SAMPLE_REGISTERS)
		take_registers(&cursor, event->registers, sample);
	if (type & SAMPLE_STACK)
		take_stack(&cursor, sample);
	return cursor.truncated ? perfdata_wrong(file, record->data, "the sample is too short")
				: PERUN_OK;
}
