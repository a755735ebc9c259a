/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a recording: those of perf are read at once, those of the kernel noted with their times. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include <perun/json.h>

#include "file.h"

enum { RECORD_HEAD = 8, UNPACK_STEP = 1 << 16, TIME_UNKNOWN = 0 };

/* What compressed records may become: a few of them can stand for any number. */
#define MAX_UNPACKED ((uint64_t)1 << 32)

struct walk {
	struct perfdata *file;
	const uint8_t *at, *end;
	uint64_t last; /* time of a record so far */
	bool cut;      /* the last record is not whole */
};

static struct cursor cursor_of(const struct perfdata *file, const uint8_t *bytes, size_t size)
{
	return (struct cursor){.at = bytes, .end = bytes + size, .big = file->big};
}

struct perfdata_record perfdata_record_at(const struct perfdata *file,
					  const struct perfdata_place *place)
{
	struct cursor head = cursor_of(file, place->at, RECORD_HEAD);
	struct perfdata_record record = {.time = place->time};

	record.type = cursor_32(&head);
	record.misc = (uint16_t)cursor_take(&head, 2);
	record.size = (size_t)cursor_take(&head, 2) - RECORD_HEAD;
	record.data = place->at + RECORD_HEAD;
	return record;
}

/* ---- when a record was made ------------------------------------------------------------------ */

/* Bytes of a sample before its time; those of other records that follow the time. */
static size_t before_time(uint64_t type)
{
	return 8 * ((size_t) !!(type & SAMPLE_IDENTIFIER) + !!(type & SAMPLE_IP) +
		    !!(type & SAMPLE_TID));
}

static size_t from_time(uint64_t type)
{
	return 8 * ((size_t)1 + !!(type & SAMPLE_ID) + !!(type & SAMPLE_STREAM) +
		    !!(type & SAMPLE_CPU) + !!(type & SAMPLE_IDENTIFIER));
}

/* All events of a recording have the time in the same place: perf sees to that. */
static uint64_t time_of(const struct walk *walk, const struct perfdata_record *record)
{
	const struct perfdata *file = walk->file;
	uint64_t type = file->event_count ? file->events[0].sample_type : 0;
	size_t at = before_time(type);
	struct cursor cursor;

	if (!(type & SAMPLE_TIME))
		return walk->last;
	if (record->type != RECORD_SAMPLE) {
		if (!file->events[0].others_too || record->size < from_time(type))
			return walk->last;
		at = record->size - from_time(type);
	}
	if (record->size < at + 8)
		return walk->last;
	cursor = cursor_of(file, record->data + at, 8);
	return cursor_64(&cursor);
}

static void note(struct walk *walk, const struct perfdata_record *record)
{
	struct perfdata *file = walk->file;

	/* What runs already has no time, and comes first. */
	walk->last = time_of(walk, record);
	PERUN_GROW(file->places, file->place_count, file->place_room);
	file->places[file->place_count++] =
		(struct perfdata_place){walk->last, record->data - RECORD_HEAD};
}

static int by_time(const void *a, const void *b)
{
	const struct perfdata_place *one = a, *other = b;

	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	return one->at < other->at ? -1 : one->at > other->at;
}

static void sort(struct perfdata *file)
{
	bool sorted = true;

	for (size_t i = 1; sorted && i < file->place_count; i++)
		sorted = file->places[i - 1].time <= file->places[i].time;
	if (!sorted)
		qsort(file->places, file->place_count, sizeof *file->places, by_time);
}

/* ---- records of perf ------------------------------------------------------------------------- */

/* An event and its ids, of a recording that went through a pipe. */
static int read_event(struct perfdata *file, const struct perfdata_record *record)
{
	struct cursor cursor = cursor_of(file, record->data, record->size);
	uint32_t size;
	size_t number;

	cursor_32(&cursor);
	size = cursor_32(&cursor);
	cursor = cursor_of(file, record->data, record->size);
	if (!cursor_bytes(&cursor, size) || !perfdata_add_event(file, record->data, size, &number))
		return perfdata_wrong(file, record->data, "expected an event");
	while (cursor_left(&cursor) >= 8)
		perfdata_add_id(file, cursor_64(&cursor), number);
	return PERUN_OK;
}

static void read_update(struct perfdata *file, const struct perfdata_record *record)
{
	enum { NAME = 2 };
	struct cursor cursor = cursor_of(file, record->data, record->size);
	uint64_t type = cursor_64(&cursor);
	uint32_t number = stacks_numbers_find(&file->ids, cursor_64(&cursor));
	size_t length;
	const char *name = cursor_text(&cursor, &length);

	if (type == NAME && number != UINT32_MAX && length && !file->events[number].name)
		file->events[number].name = perun_strndup(name, length);
}

static void read_feature(struct perfdata *file, const struct perfdata_record *record)
{
	struct cursor cursor = cursor_of(file, record->data, record->size);
	uint64_t number = cursor_64(&cursor);

	perfdata_read_feature(file, number < 256 ? (unsigned)number : 256, cursor);
}

static void keep_packed(struct perfdata *file, const struct perfdata_record *record)
{
	struct cursor cursor = cursor_of(file, record->data, record->size);
	uint64_t size = record->size;

	/* These are aligned, so that the size is not that of the record. */
	if (record->type == RECORD_COMPRESSED_2)
		size = cursor_64(&cursor);
	if (size <= cursor_left(&cursor))
		perun_buffer_add(&file->packed, (const char *)cursor.at, (size_t)size);
}

/* Bytes that follow a record and are counted by it alone. */
static uint64_t bytes_after(const struct perfdata *file, const struct perfdata_record *record)
{
	struct cursor cursor = cursor_of(file, record->data, record->size);

	if (record->type == RECORD_TRACING_DATA)
		return ((uint64_t)cursor_32(&cursor) + 7) & ~(uint64_t)7;
	return record->type == RECORD_AUXILIARY ? cursor_64(&cursor) : 0;
}

static int read_of_perf(struct walk *walk, const struct perfdata_record *record)
{
	struct perfdata *file = walk->file;
	uint64_t more = bytes_after(file, record);

	switch (record->type) {
	case RECORD_EVENT:
		return read_event(file, record);
	case RECORD_EVENT_UPDATE:
		read_update(file, record);
		break;
	case RECORD_FEATURE:
		read_feature(file, record);
		break;
	case RECORD_BUILD_ID:
		perfdata_add_build_id(file, record->misc,
				      cursor_of(file, record->data, record->size));
		break;
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED_2:
		keep_packed(file, record);
		break;
	case RECORD_AUXILIARY:
		file->beyond = "what a processor traced (AUX data)";
		break;
	}
	if (more > (uint64_t)(walk->end - walk->at))
		return perfdata_wrong(file, record->data,
				      "data that the record announces is missing");
	walk->at += more;
	return PERUN_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int read_record(struct walk *walk)
{
	struct perfdata *file = walk->file;
	const uint8_t *at = walk->at;
	struct cursor head = cursor_of(file, at, RECORD_HEAD);
	struct perfdata_record record;

	head.at += 6;
	if (cursor_take(&head, 2) < RECORD_HEAD)
		return perfdata_wrong(file, at, "expected a record of at least 8 bytes");
	record = perfdata_record_at(file, &(struct perfdata_place){.at = at});
	walk->cut = record.size > (size_t)(walk->end - at) - RECORD_HEAD;
	if (walk->cut)
		return PERUN_OK;
	walk->at += RECORD_HEAD + record.size;
	if (record.type >= RECORD_OF_PERF)
		return read_of_perf(walk, &record);
	note(walk, &record);
	perfdata_passed(file, at);
	if (file->place_count % 65536 == 0 && perun_cancelled(file->ctx))
		return PERUN_CANCELLED;
	return PERUN_OK;
}

static int walk_records(struct walk *walk, bool may_end_early)
{
	int status = PERUN_OK;

	while (!status && !walk->cut && (size_t)(walk->end - walk->at) >= RECORD_HEAD)
		status = read_record(walk);
	if (!status && walk->cut && !may_end_early)
		status = perfdata_wrong(walk->file, walk->at, "a record ends beyond the records");
	return status;
}

#ifdef HAVE_ZSTD
/* As one stream, whose last frame perf does not end: an input of the library would call it cut. */
static int unpack(struct perfdata *file)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {file->packed.data, file->packed.length, 0};
	char *block = perun_alloc(UNPACK_STEP);
	int status = PERUN_OK;
	size_t before, result = 0;
	ZSTD_outBuffer out;

	do {
		out = (ZSTD_outBuffer){block, UNPACK_STEP, 0};
		before = in.pos;
		result = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(result))
			status = perun_fail(file->ctx, PERUN_INPUT,
					    "compressed records cannot be unpacked: %s",
					    ZSTD_getErrorName(result));
		else if ((uint64_t)file->unpacked.length + out.pos > MAX_UNPACKED)
			status = perun_fail(file->ctx, PERUN_INPUT,
					    "compressed records are more than 4 GiB");
		else
			perun_buffer_add(&file->unpacked, block, out.pos);
	} while (!status && (in.pos != before || out.pos));
	perun_free(block);
	ZSTD_freeDStream(stream);
	return status;
}
#else
static int unpack(struct perfdata *file)
{
	file->beyond = "records that are compressed with zstd";
	return PERUN_OK;
}
#endif

int perfdata_read_records(struct perfdata *file, const uint8_t *from, const uint8_t *end,
			  bool interrupted)
{
	struct walk walk = {file, from, end, TIME_UNKNOWN, false};
	int status = walk_records(&walk, interrupted);

	if (!status && file->packed.length)
		status = unpack(file);
	if (!status && file->unpacked.length) {
		const uint8_t *bytes = (const uint8_t *)file->unpacked.data;

		walk = (struct walk){file, bytes, bytes + file->unpacked.length, TIME_UNKNOWN,
				     false};
		status = walk_records(&walk, interrupted);
	}
	sort(file);
	return status;
}
