/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions by the lines that they were compiled from. */
#include <stdlib.h>
#include <string.h>

#include "commands/common/code/lines.h"

struct reading {
	const struct perun_profile *profile;
	struct code_lines *lines;
	const char *(*file_text)(void *data, const char *file);
	void *data;
	const struct perun_location **locations; /* those with an address, sorted by it */
	size_t location_count;
};

/* The name of a file as the report has it. Consecutive instructions mostly share one. */
static const char *file_of(struct reading *reading, const char *path)
{
	struct code_lines *lines = reading->lines;
	const char *clean = reading->file_text ? reading->file_text(reading->data, path) : path;

	for (size_t i = lines->file_count; i > 0; i--) {
		if (strcmp(lines->files[i - 1], clean) == 0)
			return lines->files[i - 1];
	}
	PERUN_GROW(lines->files, lines->file_count, lines->file_capacity);
	return lines->files[lines->file_count++] = perun_strdup(clean);
}

static void add(struct reading *reading, const char *path, int64_t line,
		const struct code_routine *routine, const struct code_cost *cost)
{
	struct code_lines *lines = reading->lines;
	const char *file = file_of(reading, path);

	if (!*path || !line)
		return;
	PERUN_GROW(lines->items, lines->count, lines->capacity);
	lines->items[lines->count++] = (struct code_line){file, line, routine, cost};
}

/* ---- the places of samples: the lines of all that is inlined there ------------------------------ */

static int compare_locations(const void *left, const void *right)
{
	const struct perun_location *a = *(const struct perun_location *const *)left;
	const struct perun_location *b = *(const struct perun_location *const *)right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void find_locations(struct reading *reading)
{
	const struct perun_profile *profile = reading->profile;
	size_t count = perun_profile_locations(profile);

	reading->locations = perun_alloc_zero(count + 1, sizeof *reading->locations);
	for (size_t i = 0; i < count; i++) {
		const struct perun_location *location =
			perun_profile_location(profile, (perun_id)i);

		if (location->address && location->mapping != PERUN_NO_ID)
			reading->locations[reading->location_count++] = location;
	}
	qsort(reading->locations, reading->location_count, sizeof *reading->locations,
	      compare_locations);
}

static size_t first_location(const struct reading *reading, uint64_t address)
{
	size_t low = 0, high = reading->location_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reading->locations[middle]->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_frames(struct reading *reading, const struct perun_location *location,
		       const struct code_routine *routine, const struct code_cost *cost)
{
	const struct perun_profile *profile = reading->profile;
	const char *file = perun_profile_string(
		profile, perun_profile_mapping(profile, location->mapping)->file, NULL);

	if (strcmp(file, routine->file) != 0)
		return;
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct perun_line *line = &location->lines[i];

		if (line->function != PERUN_NO_ID)
			add(reading,
			    perun_profile_string(
				    profile, perun_profile_function(profile, line->function)->file,
				    NULL),
			    line->line, routine, cost);
	}
}

static void add_routine(struct reading *reading, const struct code_routine *routine)
{
	for (size_t i = 0; i < routine->count; i++) {
		const struct code_cost *cost = &routine->costs[i];
		const struct code_instruction *code = &cost->code;
		uint64_t next = i + 1 < routine->count ? routine->costs[i + 1].code.address
						       : code->address + 1;

		add(reading, code->file, code->line, routine, cost);
		if (!cost->flat && !cost->cumulative)
			continue;
		for (size_t k = first_location(reading, code->address);
		     k < reading->location_count && reading->locations[k]->address < next; k++)
			add_frames(reading, reading->locations[k], routine, cost);
	}
}

/* ---- by line ---------------------------------------------------------------------------------- */

static int compare_places(const char *file, int64_t line, const struct code_line *item)
{
	int order = strcmp(file, item->file);

	return order ? order : line < item->line ? -1 : line > item->line;
}

static int compare_items(const void *left, const void *right)
{
	const struct code_line *a = left, *b = right;
	int order = compare_places(a->file, a->line, b);

	if (!order && a->routine != b->routine)
		order = a->routine < b->routine ? -1 : 1;
	return order ? order : a->cost < b->cost ? -1 : a->cost > b->cost;
}

/* What objdump and the profile agree on is there twice. */
static void sort_items(struct code_lines *lines)
{
	size_t kept = 0;

	if (lines->count)
		qsort(lines->items, lines->count, sizeof *lines->items, compare_items);
	for (size_t i = 0; i < lines->count; i++) {
		if (!kept || compare_items(&lines->items[kept - 1], &lines->items[i]) != 0)
			lines->items[kept++] = lines->items[i];
	}
	lines->count = kept;
}

int code_lines_read(struct perun_ctx *ctx, const struct code_choice *choice,
		    const char *(*file_text)(void *data, const char *file), void *data,
		    struct code_lines *lines)
{
	struct reading reading = {.profile = perun_stacks_profile(choice->stacks),
				  .lines = lines,
				  .file_text = file_text,
				  .data = data};
	int status;

	*lines = (struct code_lines){0};
	status = code_routines_read(ctx, choice, &lines->routines);
	find_locations(&reading);
	for (size_t i = 0; i < lines->routines.count; i++)
		add_routine(&reading, &lines->routines.items[i]);
	sort_items(lines);
	perun_free((void *)reading.locations);
	return status;
}

void code_lines_free(struct code_lines *lines)
{
	for (size_t i = 0; i < lines->file_count; i++)
		perun_free(lines->files[i]);
	perun_free(lines->files);
	perun_free(lines->items);
	code_routines_free(&lines->routines);
	*lines = (struct code_lines){0};
}

const struct code_line *code_lines_of(const struct code_lines *lines, const char *file,
				      int64_t line, size_t *count)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_places(file, line, &lines->items[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	while (low + *count < lines->count &&
	       compare_places(file, line, &lines->items[low + *count]) == 0)
		++*count;
	return *count ? &lines->items[low] : NULL;
}
