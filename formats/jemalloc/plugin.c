/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jemalloc: heap profiles of version 2 ("heap_v2/524288"): stacks of addresses with what is alive and what was
 * allocated, and the mappings of the process. Samples are scaled up as jeprof does.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/numbers.h"
#include "formats/common/stacks.h"

struct mapping {
	uint64_t start, limit, offset;
	perun_id file;
};

/* Of a stack the sums of all threads: live objects, live bytes, allocated objects, allocated bytes. */
enum { VALUES = 4 };

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	double interval; /* mean bytes between samples */
	/* Of each stack how many addresses it has, and the numbers of these in `known`; its values are NaN where there are none. */
	struct ids stacked, addresses;
	struct numbers values[VALUES];
	double last[VALUES]; /* of the last stack, which are not there yet */
	struct mapping *mappings;
	size_t mapping_count, mapping_room;
	struct stacks_numbers known; /* addresses, in the order in which they came */
	perun_id *locations;         /* of these; PERUN_NO_ID: not made yet */
	bool begun, mapped;
	perun_id *frames;
	size_t frame_room;
};

static uint32_t index_of(struct reading *reading, uint64_t address)
{
	uint32_t known = stacks_numbers_find(&reading->known, address);

	if (known != UINT32_MAX)
		return known;
	known = (uint32_t)reading->known.count;
	stacks_numbers_add(&reading->known, address, known);
	return known;
}

/* The values of the last stack are known. */
static void end_stack(struct reading *reading)
{
	for (size_t i = 0; i < VALUES; i++) {
		if (reading->stacked.count)
			numbers_add(&reading->values[i], reading->last[i]);
		reading->last[i] = NAN;
	}
}

/* "@ 0x7f12 0x55ab" */
static int read_stack(struct reading *reading, const char *line)
{
	size_t before = reading->addresses.count;
	const char *at = line + 1;
	char *end;

	for (;;) {
		uint64_t address = strtoull(at, &end, 16);

		if (end == at)
			break;
		ids_add(&reading->addresses, index_of(reading, address));
		at = end;
	}
	if (at[strspn(at, " \r")])
		return stacks_wrong_line(reading->ctx, reading->lines, "addresses of a stack",
					 line);
	end_stack(reading);
	ids_add(&reading->stacked, (uint32_t)(reading->addresses.count - before));
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
	double values[VALUES];
	char *end;

	if (strncmp(at, "t*:", 3) != 0)
		return PERUN_OK;
	if (!reading->stacked.count)
		return PERUN_OK; /* the sums of the whole file */
	at += 3;
	for (size_t i = 0; i < VALUES; i++) {
		at += strspn(at, " :[");
		values[i] = (double)strtoull(at, &end, 10);
		if (end == at)
			return stacks_wrong_line(reading->ctx, reading->lines,
						 "t*: OBJECTS: BYTES [OBJECTS: BYTES]", line);
		at = end;
	}
	memcpy(reading->last, values, sizeof values);
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
	perun_id *known = &reading->locations[index];

	if (*known == PERUN_NO_ID)
		*known = make_location(reading, stacks_numbers_key(&reading->known, index));
	return *known;
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

/* Of the stack with the addresses [first, end), if it has other frames as well. */
static size_t allocator_frames(const struct reading *reading, size_t first, size_t end)
{
	size_t at = first;

	while (at < end &&
	       is_allocator(reading,
			    stacks_numbers_key(&reading->known, ids_at(&reading->addresses, at))))
		at++;
	return at < end ? at - first : 0;
}

static void add_values(const struct reading *reading, const unsigned metrics[VALUES], size_t i)
{
	double values[VALUES];

	for (size_t k = 0; k < VALUES; k++)
		values[k] = numbers_at(&reading->values[k], i);
	scale(reading->interval, &values[0], &values[1]);
	scale(reading->interval, &values[2], &values[3]);
	for (size_t k = 0; k < VALUES; k++)
		stacks_value(reading->stacks, metrics[k], round(values[k]));
}

/* Locations are made as stacks are met; nothing is looked for by its address any more. */
static void begin_locations(struct reading *reading)
{
	stacks_numbers_forget(&reading->known);
	reading->locations = perun_alloc((reading->known.count + 1) * sizeof *reading->locations);
	memset(reading->locations, 0xff, reading->known.count * sizeof *reading->locations);
	if (reading->mapping_count)
		qsort(reading->mappings, reading->mapping_count, sizeof *reading->mappings,
		      compare_mappings);
}

static int add_rows(struct reading *reading)
{
	static const struct {
		const char *name, *unit;
		size_t value;
	} metrics[VALUES] = {{"inuse_space", "bytes", 1},
			     {"inuse_objects", "", 0},
			     {"alloc_space", "bytes", 3},
			     {"alloc_objects", "", 2}};
	unsigned numbers[VALUES];
	int status = PERUN_OK;
	perun_id stack;

	for (size_t i = 0; i < VALUES; i++) {
		unsigned metric = stacks_metric(reading->stacks, metrics[i].name, metrics[i].unit);

		numbers[metrics[i].value] = metric;
		if (*metrics[i].unit && reading->interval > 1)
			stacks_sample(reading->stacks, metric, reading->interval);
	}
	end_stack(reading);
	begin_locations(reading);
	for (size_t i = 0, first = 0, end; !status && i < reading->stacked.count;
	     i++, first = end) {
		size_t count = 0;

		end = first + ids_at(&reading->stacked, i);
		if (isnan(numbers_at(&reading->values[0], i)))
			continue;
		for (size_t k = first + allocator_frames(reading, first, end); k < end; k++) {
			PERUN_GROW(reading->frames, count, reading->frame_room);
			reading->frames[count++] =
				location_of(reading, ids_at(&reading->addresses, k));
		}
		status = stacks_make(reading->stacks, reading->frames, count, true, &stack);
		if (status)
			break;
		add_values(reading, numbers, i);
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
	ids_free(&reading.stacked);
	ids_free(&reading.addresses);
	for (size_t i = 0; i < VALUES; i++)
		numbers_free(&reading.values[i]);
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
