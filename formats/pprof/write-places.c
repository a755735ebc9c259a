/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings, locations and functions, all of the pools. */
#include <config.h>

#include <stdlib.h>

#include "ids.h"
#include "writing.h"

static uint64_t source_id(const struct pprof_writing *writing, int kind, perun_id id)
{
	switch (kind) {
	case 0:
		return perun_profile_mapping(writing->profile, id)->source_id;
	case 1:
		return perun_profile_location(writing->profile, id)->source_id;
	default:
		return perun_profile_function(writing->profile, id)->source_id;
	}
}

/* Whether all have an id of their own, or those in `used`; `*last` is the largest id that will be written. */
static bool have_ids(const struct pprof_writing *writing, int kind, size_t count, const bool *used,
		     uint64_t *last)
{
	struct pprof_ids ids = {0};
	bool good = true;

	*last = count;
	for (size_t i = 0; i < count && good; i++) {
		uint64_t id = source_id(writing, kind, (perun_id)i);

		if (used && !used[i])
			continue;

		good = id != 0 && pprof_ids_put(&ids, id, (uint32_t)i);
		if (id > *last)
			*last = id;
	}
	if (!good)
		*last = count;
	pprof_ids_free(&ids);
	return good;
}

/* The locations that stacks have. */
static bool *find_used(const struct pprof_writing *writing)
{
	const struct perun_profile *profile = writing->profile;
	bool *used = perun_alloc_zero(perun_profile_locations(profile) + 1, sizeof *used);

	for (size_t i = 0; i < writing->path_count; i++)
		used[writing->paths[i].location] |= writing->path_numbers[i] != 0;
	for (size_t i = 0; !writing->paths && i < perun_profile_stacks(profile); i++) {
		size_t count;
		const perun_id *stack = perun_profile_stack(profile, (perun_id)i, &count);

		for (size_t frame = 0; frame < count; frame++)
			used[stack[frame]] = true;
	}
	return used;
}

/*
 * Locations that got names are others than those without, which nothing refers to any more: where not all have an id of their own,
 * only those are written that stacks have.
 */
static void plan_locations(struct pprof_writing *writing)
{
	const struct perun_profile *profile = writing->profile;
	size_t count = perun_profile_locations(profile);

	writing->own_locations = have_ids(writing, 1, count, NULL, &writing->last_location);
	if (writing->own_locations)
		return;
	writing->used_locations = find_used(writing);
	writing->own_locations =
		have_ids(writing, 1, count, writing->used_locations, &writing->last_location);
}

void pprof_plan_ids(struct pprof_writing *writing)
{
	const struct perun_profile *profile = writing->profile;
	uint64_t last;

	writing->own_mappings = have_ids(writing, 0, perun_profile_mappings(profile), NULL, &last);
	plan_locations(writing);
	writing->own_functions = have_ids(writing, 2, perun_profile_functions(profile), NULL,
					  &writing->last_function);
}

static uint64_t mapping_id(const struct pprof_writing *writing, perun_id id)
{
	if (id == PERUN_NO_ID)
		return 0;
	return writing->own_mappings ? source_id(writing, 0, id) : (uint64_t)id + 1;
}

uint64_t pprof_location_id(const struct pprof_writing *writing, perun_id id)
{
	return writing->own_locations ? source_id(writing, 1, id) : (uint64_t)id + 1;
}

static uint64_t function_id(const struct pprof_writing *writing, perun_id id)
{
	return writing->own_functions ? source_id(writing, 2, id) : (uint64_t)id + 1;
}

static void write_mappings(struct pprof_writing *writing, struct perun_buffer *message)
{
	for (perun_id i = 0; i < perun_profile_mappings(writing->profile); i++) {
		const struct perun_mapping *mapping = perun_profile_mapping(writing->profile, i);

		perun_buffer_clear(message);
		pprof_add_number(message, 1, mapping_id(writing, i));
		pprof_add_number(message, 2, mapping->start);
		pprof_add_number(message, 3, mapping->limit);
		pprof_add_number(message, 4, mapping->offset);
		pprof_add_number(message, 5, pprof_pool_text(writing, mapping->file));
		pprof_add_number(message, 6, pprof_pool_text(writing, mapping->build_id));
		pprof_add_number(message, 7, mapping->has_functions);
		pprof_add_number(message, 8, mapping->has_filenames);
		pprof_add_number(message, 9, mapping->has_line_numbers);
		pprof_add_number(message, 10, mapping->has_inline_frames);
		pprof_put_message(writing, 3, message);
	}
}

static void add_line(struct pprof_writing *writing, struct perun_buffer *message,
		     const struct perun_line *line)
{
	struct perun_buffer inner = {0};

	if (line->function == PERUN_NO_ID) {
		writing->lines_without_function++;
		return;
	}
	pprof_add_number(&inner, 1, function_id(writing, line->function));
	pprof_add_number(&inner, 2, (uint64_t)line->line);
	pprof_add_number(&inner, 3, (uint64_t)line->column);
	perun_buffer_add_char(message, 4 << 3 | 2);
	pprof_add_varint(message, inner.length);
	perun_buffer_add(message, inner.data, inner.length);
	perun_buffer_free(&inner);
}

static void write_location(struct pprof_writing *writing, struct perun_buffer *message, perun_id id)
{
	const struct perun_location *location = perun_profile_location(writing->profile, id);

	perun_buffer_clear(message);
	pprof_add_number(message, 1, pprof_location_id(writing, id));
	pprof_add_number(message, 2, mapping_id(writing, location->mapping));
	pprof_add_number(message, 3, location->address);
	for (uint32_t l = 0; l < location->line_count; l++)
		add_line(writing, message, &location->lines[l]);
	pprof_add_number(message, 5, location->folded);
	pprof_put_message(writing, 4, message);
}

static int by_number(const void *a, const void *b, void *writing)
{
	uint64_t one = pprof_location_id(writing, *(const perun_id *)a);
	uint64_t other = pprof_location_id(writing, *(const perun_id *)b);

	return one < other ? -1 : one > other;
}

/* In the order of the file; of those that are used by their numbers, as those with names came after all others. */
static void write_locations(struct pprof_writing *writing, struct perun_buffer *message)
{
	size_t all = perun_profile_locations(writing->profile), count = 0;
	perun_id *order = perun_alloc_zero(all + 1, sizeof *order);

	for (perun_id i = 0; i < all; i++)
		if (!writing->used_locations || writing->used_locations[i])
			order[count++] = i;
	if (writing->used_locations && count)
		qsort_r(order, count, sizeof *order, by_number, writing);
	for (size_t i = 0; i < count; i++)
		write_location(writing, message, order[i]);
	perun_free(order);
}

static void write_functions(struct pprof_writing *writing, struct perun_buffer *message)
{
	for (perun_id i = 0; i < perun_profile_functions(writing->profile); i++) {
		const struct perun_function *function = perun_profile_function(writing->profile, i);

		perun_buffer_clear(message);
		pprof_add_number(message, 1, function_id(writing, i));
		pprof_add_number(message, 2, pprof_pool_text(writing, function->name));
		pprof_add_number(message, 3, pprof_pool_text(writing, function->system_name));
		pprof_add_number(message, 4, pprof_pool_text(writing, function->file));
		pprof_add_number(message, 5, (uint64_t)function->start_line);
		pprof_put_message(writing, 5, message);
	}
}

/* A location and a function for each uid. */
static void write_uid_locations(struct pprof_writing *writing, struct perun_buffer *message)
{
	for (perun_id i = 1; i <= writing->uid_count; i++) {
		struct perun_buffer line = {0};

		perun_buffer_clear(message);
		pprof_add_number(message, 1, writing->last_location + i);
		pprof_add_number(&line, 1, writing->last_function + i);
		perun_buffer_add_char(message, 4 << 3 | 2);
		pprof_add_varint(message, line.length);
		perun_buffer_add(message, line.data, line.length);
		pprof_put_message(writing, 4, message);
		perun_buffer_free(&line);
	}
}

static void write_uid_functions(struct pprof_writing *writing, struct perun_buffer *message)
{
	for (perun_id i = 1; i <= writing->uid_count; i++) {
		size_t length;
		const char *name = perun_builder_string_at(writing->uid_names, i, &length);
		uint64_t text = pprof_text(writing, name, length);

		perun_buffer_clear(message);
		pprof_add_number(message, 1, writing->last_function + i);
		pprof_add_number(message, 2, text);
		pprof_add_number(message, 3, text);
		pprof_put_message(writing, 5, message);
	}
}

void pprof_write_places(struct pprof_writing *writing)
{
	struct perun_buffer message = {0};

	write_mappings(writing, &message);
	write_locations(writing, &message);
	write_uid_locations(writing, &message);
	write_functions(writing, &message);
	write_uid_functions(writing, &message);
	perun_buffer_free(&message);
}
