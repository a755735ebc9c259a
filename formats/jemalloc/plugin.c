/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jemalloc: heap profiles of version 2 ("heap_v2/524288"): stacks of addresses with what is alive and what was
 * allocated, and the mappings of the process. Samples are scaled up as jeprof does.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct mapping {
	uint64_t start, limit, offset;
	perun_id file;
};

struct address {
	uint64_t address;
	perun_id location; /* PERUN_NO_ID: not made yet */
};

/* A stack of the file: addresses, then the sums of all threads. */
struct record {
	size_t first, count;
	double values[4]; /* live objects, live bytes, allocated objects, allocated bytes */
	bool counted;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	double interval; /* mean bytes between samples */
	struct record *records;
	size_t record_count, record_room;
	uint32_t *addresses; /* of all records: indexes of `locations` */
	size_t address_count, address_room;
	struct mapping *mappings;
	size_t mapping_count, mapping_room;
	struct stacks_numbers known; /* address -> index of `locations` */
	struct address *locations;
	size_t location_count, location_room;
	bool begun, mapped;
	perun_id *frames;
	size_t frame_room;
};

static uint32_t index_of(struct reading *reading, uint64_t address)
{
	uint32_t known = stacks_numbers_find(&reading->known, address);

	if (known != UINT32_MAX)
		return known;
	known = (uint32_t)reading->location_count;
	stacks_numbers_add(&reading->known, address, known);
	PERUN_GROW(reading->locations, reading->location_count, reading->location_room);
	reading->locations[reading->location_count++] = (struct address){address, PERUN_NO_ID};
	return known;
}

/* "@ 0x7f12 0x55ab" */
static int read_stack(struct reading *reading, const char *line)
{
	struct record record = {.first = reading->address_count};
	const char *at = line + 1;
	char *end;

	for (;;) {
		uint64_t address = strtoull(at, &end, 16);

		if (end == at)
			break;
		PERUN_GROW(reading->addresses, reading->address_count, reading->address_room);
		reading->addresses[reading->address_count++] = index_of(reading, address);
		at = end;
	}
	if (at[strspn(at, " \r")])
		return stacks_wrong_line(reading->ctx, reading->lines, "addresses of a stack",
					 line);
	record.count = reading->address_count - record.first;
	PERUN_GROW(reading->records, reading->record_count, reading->record_room);
	reading->records[reading->record_count++] = record;
	return PERUN_OK;
}

/* A sample of SIZE bytes represents 1 / (1 - e^(-SIZE/INTERVAL)) of its kind. */
static void scale(double interval, double *objects, double *bytes)
{
	double size, factor;

	if (!(*objects > 0) || !(*bytes > 0) || !(interval > 1))
		return;
	size = *bytes / *objects;
	factor = 1 / (1 - exp(-size / interval));
	*objects *= factor;
	*bytes *= factor;
}

/* "  t*: 12: 3456 [5: 789]": of all threads; others are parts of it. */
static int read_counts(struct reading *reading, const char *line)
{
	const char *at = line + strspn(line, " ");
	struct record *record;
	char *end;

	if (strncmp(at, "t*:", 3) != 0)
		return PERUN_OK;
	if (!reading->record_count)
		return PERUN_OK; /* the sums of the whole file */
	record = &reading->records[reading->record_count - 1];
	at += 3;
	for (size_t i = 0; i < 4; i++) {
		at += strspn(at, " :[");
		record->values[i] = (double)strtoull(at, &end, 10);
		if (end == at)
			return stacks_wrong_line(reading->ctx, reading->lines,
						 "t*: OBJECTS: BYTES [OBJECTS: BYTES]", line);
		at = end;
	}
	scale(reading->interval, &record->values[0], &record->values[1]);
	scale(reading->interval, &record->values[2], &record->values[3]);
	record->counted = true;
	return PERUN_OK;
}

/* "55ab-55cd r-xp 00001000 08:01 123 /bin/a" */
static void read_mapping(struct reading *reading, const char *line)
{
	struct mapping mapping = {0};
	const char *path = strchr(line, '/');
	char *end;

	mapping.start = strtoull(line, &end, 16);
	if (end == line || *end != '-')
		return;
	mapping.limit = strtoull(end + 1, &end, 16);
	if (strlen(end) < 6 || end[3] != 'x')
		return;
	mapping.offset = strtoull(end + 6, NULL, 16);
	if (!path || mapping.limit <= mapping.start)
		return;
	mapping.file = perun_builder_text(stacks_builder(reading->stacks), path);
	PERUN_GROW(reading->mappings, reading->mapping_count, reading->mapping_room);
	reading->mappings[reading->mapping_count++] = mapping;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	while (length && strchr(" \r\t", line[length - 1]))
		line[--length] = '\0';
	if (!reading->begun) {
		char *slash = strchr(line, '/');

		if (strncmp(line, "heap_v2", 7) != 0)
			return stacks_wrong_line(reading->ctx, reading->lines, "heap_v2/INTERVAL",
						 line);
		reading->interval = slash ? perun_strtod(slash + 1, NULL) : 0;
		reading->begun = true;
	} else if (strncmp(line, "MAPPED_LIBRARIES:", 17) == 0) {
		reading->mapped = true;
	} else if (reading->mapped) {
		read_mapping(reading, line);
	} else if (*line == '@') {
		return read_stack(reading, line);
	} else {
		return read_counts(reading, line);
	}
	return PERUN_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int compare_mappings(const void *one, const void *other)
{
	const struct mapping *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

static const struct mapping *mapping_of(const struct reading *reading, uint64_t address)
{
	size_t low = 0, high = reading->mapping_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reading->mappings[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < reading->mappings[low - 1].limit ? &reading->mappings[low - 1]
								 : NULL;
}

/* Functions are known by their addresses alone; the mapping lets a symbolizer name them. */
static perun_id make_location(const struct reading *reading, uint64_t address)
{
	struct perun_builder *builder = stacks_builder(reading->stacks);
	const struct mapping *mapping = mapping_of(reading, address);
	struct perun_location location = {.address = address, .mapping = PERUN_NO_ID};
	struct perun_mapping made = {0};
	struct perun_function function = {0};
	struct perun_line line = {0};
	char name[32];

	if (mapping) {
		made = (struct perun_mapping){.start = mapping->start,
					      .limit = mapping->limit,
					      .offset = mapping->offset,
					      .file = mapping->file};
		location.mapping = perun_builder_mapping(builder, &made);
	}
	perun_snprintf(name, sizeof name, "0x%llx", (unsigned long long)address);
	function.name = function.system_name = perun_builder_text(builder, name);
	line.function = perun_builder_function(builder, &function);
	location.line_count = 1;
	location.lines = &line;
	return perun_builder_location(builder, &location);
}

static perun_id location_of(const struct reading *reading, uint32_t index)
{
	struct address *known = &reading->locations[index];

	if (known->location == PERUN_NO_ID)
		known->location = make_location(reading, known->address);
	return known->location;
}

/* Stacks begin within the allocator, which nobody asks about: jeprof leaves that out as well. */
static bool is_allocator(const struct reading *reading, uint64_t address)
{
	const struct mapping *mapping = mapping_of(reading, address);
	const char *file, *slash;

	if (!mapping)
		return false;
	file = perun_builder_string_at(stacks_builder(reading->stacks), mapping->file, NULL);
	slash = strrchr(file, '/');
	return strncmp(slash ? slash + 1 : file, "libjemalloc", 11) == 0;
}

/* Of a stack with other frames as well. */
static size_t allocator_frames(const struct reading *reading, const struct record *record)
{
	size_t count = 0;

	while (count < record->count &&
	       is_allocator(reading,
			    reading->locations[reading->addresses[record->first + count]].address))
		count++;
	return count < record->count ? count : 0;
}

static int add_rows(struct reading *reading)
{
	static const struct {
		const char *name, *unit;
		size_t value;
	} metrics[4] = {{"inuse_space", "bytes", 1},
			{"inuse_objects", "", 0},
			{"alloc_space", "bytes", 3},
			{"alloc_objects", "", 2}};
	unsigned numbers[4];
	int status = PERUN_OK;
	perun_id stack;

	for (size_t i = 0; i < 4; i++) {
		numbers[i] = stacks_metric(reading->stacks, metrics[i].name, metrics[i].unit);
		if (*metrics[i].unit && reading->interval > 1)
			stacks_sample(reading->stacks, numbers[i], reading->interval);
	}
	if (reading->mapping_count)
		qsort(reading->mappings, reading->mapping_count, sizeof *reading->mappings,
		      compare_mappings);
	for (size_t i = 0; !status && i < reading->record_count; i++) {
		const struct record *record = &reading->records[i];
		size_t own = allocator_frames(reading, record), count = record->count - own;

		if (!record->counted)
			continue;
		for (size_t k = 0; k < count; k++) {
			PERUN_GROW(reading->frames, k, reading->frame_room);
			reading->frames[k] =
				location_of(reading, reading->addresses[record->first + own + k]);
		}
		status = stacks_make(reading->stacks, reading->frames, count, true, &stack);
		if (status)
			break;
		for (size_t k = 0; k < 4; k++)
			stacks_value(reading->stacks, numbers[k],
				     round(record->values[metrics[k].value]));
		stacks_add(reading->stacks, stack);
	}
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	(void)instance;
	reading.stacks = stacks_begin(ctx, builder, "jemalloc", NULL);
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	if (!status)
		status = add_rows(&reading);
	perun_lines_free(reading.lines);
	perun_free(reading.records);
	perun_free(reading.addresses);
	perun_free(reading.mappings);
	perun_free(reading.locations);
	perun_free(reading.frames);
	stacks_numbers_free(&reading.known);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && stacks_begins(probe, "heap_v2") ? 95 : 0;
}

static const char *const marks[] = {"heap_v2", NULL};

FORMAT_PLUGIN(jemalloc, "jemalloc", "heap profiles of jemalloc", NULL, .patterns = "jeprof.*.heap",
	      .contains = marks, .probe = probe_format, .read = read_format);
