/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of the measured processes as places in files, and stacks of them; each only once. */
#include <config.h>

#include <string.h>

#include <perun/lib/hash.h>

#include "collectors/common/places.h"

#define NONE UINT32_MAX

static void init_table(struct places_table *table)
{
	table->capacity = 1024;
	table->ids = perun_alloc(table->capacity * sizeof *table->ids);
	memset(table->ids, 0xff, table->capacity * sizeof *table->ids);
}

void places_init(struct places *places)
{
	*places = (struct places){0};
	init_table(&places->known_places);
	init_table(&places->known_stacks);
	/* A stack without frames points to some, too. */
	places->frame_capacity = 64;
	places->frames = perun_alloc_zero(places->frame_capacity, sizeof *places->frames);
}

void places_free(struct places *places)
{
	for (size_t i = 0; i < places->file_count; i++)
		perun_free(places->files[i].path);
	perun_free(places->files);
	perun_free(places->places);
	perun_free(places->stacks);
	perun_free(places->frames);
	perun_free(places->known_places.ids);
	perun_free(places->known_stacks.ids);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return perun_hash_number(hash ^ value);
}

static uint64_t hash_place(const struct place *place)
{
	return mix(mix(1, place->address), place->file);
}

static uint64_t hash_frames(const uint32_t *frames, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = mix(hash, frames[i]);
	return hash;
}

static uint64_t hash_stack(const struct places *places, uint32_t id)
{
	const struct places_stack *stack = &places->stacks[id];

	return hash_frames(places->frames + stack->first, stack->count);
}

static void grow_table(struct places *places, struct places_table *table)
{
	struct places_table old = *table;

	table->capacity *= 2;
	table->ids = perun_alloc(table->capacity * sizeof *table->ids);
	memset(table->ids, 0xff, table->capacity * sizeof *table->ids);
	for (size_t i = 0; i < old.capacity; i++) {
		uint32_t id = old.ids[i];
		size_t at;

		if (id == NONE)
			continue;
		at = table == &places->known_places ? hash_place(&places->places[id])
						    : hash_stack(places, id);
		at &= table->capacity - 1;
		while (table->ids[at] != NONE)
			at = (at + 1) & (table->capacity - 1);
		table->ids[at] = id;
	}
	perun_free(old.ids);
}

static uint32_t find_place(struct places *places, const struct place *place)
{
	struct places_table *table = &places->known_places;
	size_t at;

	if (table->used * 2 >= table->capacity)
		grow_table(places, table);
	at = hash_place(place) & (table->capacity - 1);
	for (; table->ids[at] != NONE; at = (at + 1) & (table->capacity - 1)) {
		const struct place *known = &places->places[table->ids[at]];

		if (known->address == place->address && known->file == place->file)
			return table->ids[at];
	}
	PERUN_GROW(places->places, places->place_count, places->place_capacity);
	places->places[places->place_count] = *place;
	table->used++;
	return table->ids[at] = (uint32_t)places->place_count++;
}

/* The frames are at the end of places->frames, not yet counted. */
static uint32_t find_stack(struct places *places, uint32_t count)
{
	struct places_table *table = &places->known_stacks;
	const uint32_t *frames;
	size_t at;

	if (table->used * 2 >= table->capacity)
		grow_table(places, table);
	frames = places->frames + places->frame_count;
	at = hash_frames(frames, count) & (table->capacity - 1);
	for (; table->ids[at] != NONE; at = (at + 1) & (table->capacity - 1)) {
		const struct places_stack *known = &places->stacks[table->ids[at]];

		if (known->count == count &&
		    memcmp(places->frames + known->first, frames, count * sizeof *frames) == 0)
			return table->ids[at];
	}
	PERUN_GROW(places->stacks, places->stack_count, places->stack_capacity);
	places->stacks[places->stack_count] = (struct places_stack){places->frame_count, count};
	places->frame_count += count;
	table->used++;
	return table->ids[at] = (uint32_t)places->stack_count++;
}

static uint32_t find_file(struct places *places, const char *name, size_t length, uint64_t size)
{
	size_t i = 0;

	for (; i < places->file_count; i++)
		if (strlen(places->files[i].path) == length &&
		    memcmp(places->files[i].path, name, length) == 0)
			break;
	if (i == places->file_count) {
		PERUN_GROW(places->files, places->file_count, places->file_capacity);
		places->files[places->file_count++] =
			(struct places_file){perun_strndup(name, length), 0};
	}
	if (size > places->files[i].size)
		places->files[i].size = size;
	return (uint32_t)i;
}

void places_map(struct places *places, struct places_process *process, bool first,
		const struct places_module *module, const char *name, size_t length)
{
	if (first)
		process->count = 0;
	PERUN_GROW(process->modules, process->count, process->capacity);
	process->modules[process->count] = *module;
	process->modules[process->count++].file =
		find_file(places, name, length, module->limit - module->bias);
}

uint32_t places_stack(struct places *places, const struct places_process *process,
		      const uint64_t *frames, size_t count)
{
	while (places->frame_count + count > places->frame_capacity)
		PERUN_GROW(places->frames, places->frame_capacity, places->frame_capacity);
	for (size_t i = 0; i < count; i++) {
		/* The call, not what follows it. */
		struct place place = {frames[i] - 1, PLACES_NO_FILE};

		for (size_t m = 0; m < process->count; m++) {
			const struct places_module *module = &process->modules[m];

			if (place.address - module->start < module->limit - module->start) {
				place.address -= module->bias;
				place.file = module->file;
				break;
			}
		}
		places->frames[places->frame_count + i] = find_place(places, &place);
	}
	return find_stack(places, (uint32_t)count);
}
