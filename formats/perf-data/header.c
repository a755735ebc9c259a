/* SPDX-License-Identifier: BSD-3-Clause */
/* The head of a recording: what was recorded, and where the records are. */
#include <string.h>

#include "file.h"

enum { HEAD = 104, PIPE_HEAD = 16, SECTION = 16, MIN_EVENT = 64, MAX_EVENTS = 4096 };

struct section {
	uint64_t offset, size;
};

int perfdata_wrong(const struct perfdata *file, const uint8_t *at, const char *what)
{
	return perun_fail(file->ctx, PERUN_INPUT, "byte %zu: %s",
			  at >= file->bytes && at <= file->bytes + file->size
				  ? (size_t)(at - file->bytes)
				  : 0,
			  what);
}

static struct section take_section(struct cursor *cursor)
{
	struct section section = {.offset = cursor_64(cursor)};

	section.size = cursor_64(cursor);
	return section;
}

/* The bytes of a section; false: the file ends before it. */
static bool open_section(const struct perfdata *file, struct section section, struct cursor *cursor)
{
	if (section.offset > file->size || section.size > file->size - section.offset)
		return false;
	*cursor = (struct cursor){.at = file->bytes + section.offset,
				  .end = file->bytes + section.offset + section.size,
				  .big = file->big};
	return true;
}

/* Bit `number` of flags that a compiler laid out: from the other end on machines of the other order. */
static bool flag_of(uint64_t flags, unsigned number, bool big)
{
	return flags >> (big ? 63 - number : number) & 1;
}

bool perfdata_add_event(struct perfdata *file, const uint8_t *bytes, size_t size, size_t *number)
{
	struct cursor cursor = {.at = bytes, .end = bytes + size, .big = file->big};
	struct perfdata_event event = {0};
	uint64_t flags;

	if (size < MIN_EVENT || file->event_count == MAX_EVENTS)
		return false;
	event.type = cursor_32(&cursor);
	cursor_32(&cursor); /* its size */
	event.configuration = cursor_64(&cursor);
	event.period = cursor_64(&cursor);
	event.sample_type = cursor_64(&cursor);
	event.read_format = cursor_64(&cursor);
	flags = cursor_64(&cursor);
	if (flag_of(flags, 10, file->big)) /* a frequency: each sample has its period */
		event.period = 1;
	event.others_too = flag_of(flags, 18, file->big);
	cursor_bytes(&cursor, 24); /* when to wake up, breakpoints, further configuration */
	event.branch_type = cursor_64(&cursor);
	event.registers = cursor_64(&cursor);
	*number = file->event_count;
	PERUN_GROW(file->events, file->event_count, file->event_room);
	file->events[file->event_count++] = event;
	return true;
}

void perfdata_add_id(struct perfdata *file, uint64_t id, size_t event)
{
	stacks_numbers_add(&file->ids, id, (uint32_t)event);
}

/* The events, each with the section of its ids. */
static int read_events(struct perfdata *file, struct section section, uint64_t entry)
{
	struct cursor events, ids;

	if (entry < MIN_EVENT + SECTION || !open_section(file, section, &events))
		return perfdata_wrong(file, file->bytes + 16,
				      "the list of events is not within the file");
	while (cursor_left(&events) >= entry) {
		struct cursor one = events;
		size_t number;

		if (!perfdata_add_event(file, events.at, (size_t)entry - SECTION, &number))
			return perfdata_wrong(file, events.at, "more than 4096 events");
		cursor_bytes(&one, entry - SECTION);
		if (!open_section(file, take_section(&one), &ids))
			return perfdata_wrong(file, one.at - SECTION,
					      "the ids of an event are not within the file");
		while (cursor_left(&ids) >= 8)
			perfdata_add_id(file, cursor_64(&ids), number);
		cursor_bytes(&events, entry);
	}
	return PERUN_OK;
}

/* Sections of features follow the records, in the order of their bits. */
static void read_features(struct perfdata *file, struct section records, const uint64_t *features)
{
	struct section table = {.offset = records.offset + records.size};
	struct cursor sections, feature;

	if (table.offset > file->size)
		return;
	table.size = file->size - table.offset;
	open_section(file, table, &sections);
	for (unsigned i = 0; i < 256 && cursor_left(&sections) >= SECTION; i++)
		if (features[i / 64] >> i % 64 & 1 &&
		    open_section(file, take_section(&sections), &feature))
			perfdata_read_feature(file, i, feature);
}

/* A recording that was written to a pipe has all in its records. */
static int read_pipe_head(struct perfdata *file, const uint8_t **records, const uint8_t **end)
{
	*records = file->bytes + PIPE_HEAD;
	*end = file->bytes + file->size;
	return PERUN_OK;
}

int perfdata_read_head(struct perfdata *file, const uint8_t **records, const uint8_t **end,
		       bool *interrupted)
{
	struct cursor cursor = {.at = file->bytes, .end = file->bytes + file->size};
	struct section events, data;
	uint64_t size, entry, features[4];
	int status;

	file->big = file->size > 0 && file->bytes[0] == '2';
	cursor.big = file->big;
	cursor_bytes(&cursor, 8);
	size = cursor_64(&cursor);
	if (size == PIPE_HEAD)
		return read_pipe_head(file, records, end);
	entry = cursor_64(&cursor);
	events = take_section(&cursor);
	data = take_section(&cursor);
	take_section(&cursor);
	for (size_t i = 0; i < 4; i++)
		features[i] = cursor_64(&cursor);
	if (cursor.truncated || size < HEAD)
		return perfdata_wrong(file, file->bytes + 8,
				      "expected the head of a recording of perf, 104 bytes");
	status = read_events(file, events, entry);
	if (status)
		return status;
	if (data.offset > file->size)
		return perfdata_wrong(file, file->bytes + 40,
				      "the records are not within the file");
	*interrupted = data.size == 0 || data.size > file->size - data.offset;
	if (*interrupted)
		data.size = file->size - data.offset;
	else
		read_features(file, data, features);
	*records = file->bytes + data.offset;
	*end = *records + data.size;
	return PERUN_OK;
}
