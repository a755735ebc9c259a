/* SPDX-License-Identifier: BSD-3-Clause */
/* Building the tables of a thread. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "tables.h"

static size_t slot_of(const struct firefox_index *index, uint64_t key)
{
	size_t slot = (size_t)perun_hash_number(key) & (index->size - 1);

	while (index->rows[slot] != FIREFOX_NONE && index->keys[slot] != key)
		slot = (slot + 1) & (index->size - 1);
	return slot;
}

static void grow(struct firefox_index *index)
{
	struct firefox_index larger = {.count = index->count,
				       .size = index->size ? index->size * 2 : 64};

	larger.keys = perun_alloc_zero(larger.size, sizeof *larger.keys);
	larger.rows = perun_alloc_zero(larger.size, sizeof *larger.rows);
	for (size_t i = 0; i < larger.size; i++)
		larger.rows[i] = FIREFOX_NONE;
	for (size_t i = 0; i < index->size; i++) {
		if (index->rows[i] != FIREFOX_NONE) {
			size_t slot = slot_of(&larger, index->keys[i]);

			larger.keys[slot] = index->keys[i];
			larger.rows[slot] = index->rows[i];
		}
	}
	perun_free(index->keys);
	perun_free(index->rows);
	*index = larger;
}

/* The row of a key; `next` is taken (and `*added` set) for one that is not known yet. */
static int32_t look_up(struct firefox_index *index, uint64_t key, size_t next, bool *added)
{
	size_t slot;

	if (index->count * 2 >= index->size)
		grow(index);
	slot = slot_of(index, key);
	*added = index->rows[slot] == FIREFOX_NONE;
	if (*added) {
		index->keys[slot] = key;
		index->rows[slot] = (int32_t)next;
		index->count++;
	}
	return index->rows[slot];
}

static void free_index(struct firefox_index *index)
{
	perun_free(index->keys);
	perun_free(index->rows);
}

void firefox_tables_begin(struct firefox_tables *tables, const struct perun_profile *profile)
{
	*tables = (struct firefox_tables){.profile = profile};
}

void firefox_tables_free(struct firefox_tables *tables)
{
	free_index(&tables->row_index);
	free_index(&tables->path_index);
	perun_free(tables->walked);
	free_index(&tables->stack_index);
	free_index(&tables->frame_index);
	free_index(&tables->function_index);
	free_index(&tables->resource_index);
	free_index(&tables->string_index);
	perun_free(tables->stacks);
	perun_free(tables->frames);
	perun_free(tables->functions);
	perun_free(tables->resources);
	perun_buffer_free(&tables->strings);
}

int32_t firefox_tables_string(const struct firefox_tables *tables, perun_id id)
{
	return tables->string_index.rows[slot_of(&tables->string_index, id)];
}

/* A string of the profile in the thread's array of strings. */
static int32_t add_string(struct firefox_tables *tables, perun_id id)
{
	bool added;
	int32_t row = look_up(&tables->string_index, id, tables->string_count, &added);

	if (added) {
		const char *text = perun_profile_string(tables->profile, id, NULL);

		perun_buffer_add(&tables->strings, text, strlen(text) + 1);
		tables->string_count++;
	}
	return row;
}

static int32_t add_resource(struct firefox_tables *tables, perun_id mapping)
{
	perun_id file;
	int32_t row;
	bool added;

	if (mapping == PERUN_NO_ID)
		return FIREFOX_NONE;
	file = perun_profile_mapping(tables->profile, mapping)->file;
	if (file == 0)
		return FIREFOX_NONE;
	row = look_up(&tables->resource_index, file, tables->resource_count, &added);
	if (added) {
		PERUN_GROW(tables->resources, tables->resource_count, tables->resource_room);
		tables->resources[tables->resource_count++] = file;
		add_string(tables, file);
	}
	return row;
}

/* The name of a place without symbols. */
static int32_t add_address(struct firefox_tables *tables, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof text, "0x%" PRIx64, address);
	perun_buffer_add(&tables->strings, text, strlen(text) + 1);
	return (int32_t)tables->string_count++;
}

static int32_t add_function(struct firefox_tables *tables, perun_id location, perun_id id)
{
	const struct perun_location *place = perun_profile_location(tables->profile, location);
	int32_t resource = add_resource(tables, place->mapping);
	/* A function without a name is one for each address; functions of two objects are two. */
	uint64_t key = id == PERUN_NO_ID ? (uint64_t)1 << 63 | location
					 : (uint64_t)(resource + 1) << 32 | id;
	struct firefox_function function = {
		.function = id, .resource = resource, .file = FIREFOX_NONE};
	bool added;
	int32_t row = look_up(&tables->function_index, key, tables->function_count, &added);

	if (!added)
		return row;
	if (id == PERUN_NO_ID) {
		function.name = add_address(tables, place->address);
	} else {
		const struct perun_function *known = perun_profile_function(tables->profile, id);

		function.name = add_string(tables, known->name ? known->name : known->file);
		if (known->file)
			function.file = add_string(tables, known->file);
		function.line = known->start_line;
	}
	PERUN_GROW(tables->functions, tables->function_count, tables->function_room);
	tables->functions[tables->function_count++] = function;
	return row;
}

static int32_t add_frame(struct firefox_tables *tables, perun_id location, uint32_t line)
{
	const struct perun_location *place = perun_profile_location(tables->profile, location);
	perun_id function = line < place->line_count ? place->lines[line].function : PERUN_NO_ID;
	bool added;
	int32_t row = look_up(&tables->frame_index, (uint64_t)location << 32 | line,
			      tables->frame_count, &added);

	if (added) {
		PERUN_GROW(tables->frames, tables->frame_count, tables->frame_room);
		tables->frames[tables->frame_count++] = (struct firefox_frame){
			location, line, add_function(tables, location, function)};
	}
	return row;
}

static int32_t add_stack(struct firefox_tables *tables, int32_t frame, int32_t prefix)
{
	bool added;
	int32_t row = look_up(&tables->stack_index,
			      (uint64_t)(uint32_t)(prefix + 1) << 32 | (uint32_t)frame,
			      tables->stack_count, &added);

	if (added) {
		PERUN_GROW(tables->stacks, tables->stack_count, tables->stack_room);
		tables->stacks[tables->stack_count++] = (struct firefox_stack){frame, prefix};
	}
	return row;
}

/* The frames of a location, called by those of a row. */
static int32_t add_location(struct firefox_tables *tables, perun_id location, int32_t row)
{
	uint32_t lines = perun_profile_location(tables->profile, location)->line_count;

	if (lines == 0)
		row = add_stack(tables, add_frame(tables, location, 0), row);
	for (uint32_t line = lines; line-- > 0;)
		row = add_stack(tables, add_frame(tables, location, line), row);
	return row;
}

/* Each path once, however many stacks go on from it. */
static int32_t add_path(struct firefox_tables *tables, const struct perun_stack_path *paths,
			perun_id leaf)
{
	int32_t row = FIREFOX_NONE;
	size_t count = 0;
	bool added;

	for (perun_id path = leaf; path != PERUN_NO_ID; path = paths[path].caller) {
		row = look_up(&tables->path_index, path, 0, &added);
		if (!added)
			break;
		row = FIREFOX_NONE;
		PERUN_GROW(tables->walked, count, tables->walked_room);
		tables->walked[count++] = path;
	}
	while (count-- > 0) {
		perun_id path = tables->walked[count];

		row = add_location(tables, paths[path].location, row);
		tables->path_index.rows[slot_of(&tables->path_index, path)] = row;
	}
	return row;
}

static int32_t add_frames(struct firefox_tables *tables, perun_id stack)
{
	int32_t row = FIREFOX_NONE;
	size_t count;
	const struct perun_stack_path *paths = perun_profile_paths(tables->profile, &count);
	const perun_id *locations;

	if (paths)
		return add_path(tables, paths, perun_profile_stack_path(tables->profile, stack));
	locations = perun_profile_stack(tables->profile, stack, &count);
	for (size_t i = count; i-- > 0;)
		row = add_location(tables, locations[i], row);
	return row;
}

int32_t firefox_tables_stack(struct firefox_tables *tables, perun_id stack)
{
	bool added;
	int32_t row;

	if (stack == PERUN_NO_ID)
		return FIREFOX_NONE;
	row = look_up(&tables->row_index, stack, 0, &added);
	if (added) {
		row = add_frames(tables, stack);
		tables->row_index.rows[slot_of(&tables->row_index, stack)] = row;
	}
	return row;
}
