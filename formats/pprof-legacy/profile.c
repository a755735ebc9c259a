/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile while it is read: samples, stacks, locations, and the arithmetic of their values. */
#include <math.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "legacy.h"

enum { MAX_LOCATIONS = 0x7fffffff };

void legacy_free(struct legacy_profile *profile)
{
	perun_free(profile->word);
	perun_free(profile->mappings);
	perun_free(profile->functions);
	perun_free(profile->locations);
	perun_free(profile->samples);
	perun_free(profile->frames);
	perun_free(profile->stack);
	legacy_map_free(&profile->by_address);
}

void legacy_map_free(struct legacy_map *map)
{
	perun_free(map->cells);
	*map = (struct legacy_map){0};
}

/* ---- map ---------------------------------------------------------------------------------------- */

static struct legacy_map_cell *find_cell(const struct legacy_map *map, uint64_t key)
{
	size_t i = (size_t)perun_hash_number(key) & (map->capacity - 1);

	while (map->cells[i].value != LEGACY_NONE && map->cells[i].key != key)
		i = (i + 1) & (map->capacity - 1);
	return &map->cells[i];
}

uint32_t legacy_map_get(const struct legacy_map *map, uint64_t key)
{
	return map->capacity ? find_cell(map, key)->value : LEGACY_NONE;
}

static void grow_map(struct legacy_map *map)
{
	struct legacy_map larger = {.capacity = map->capacity ? map->capacity * 2 : 64};

	larger.cells = perun_realloc_array(NULL, larger.capacity, sizeof *larger.cells);
	for (size_t i = 0; i < larger.capacity; i++)
		larger.cells[i] = (struct legacy_map_cell){0, LEGACY_NONE};
	for (size_t i = 0; i < map->capacity; i++) {
		if (map->cells[i].value != LEGACY_NONE)
			*find_cell(&larger, map->cells[i].key) = map->cells[i];
	}
	larger.count = map->count;
	perun_free(map->cells);
	*map = larger;
}

void legacy_map_set(struct legacy_map *map, uint64_t key, uint32_t value)
{
	if (map->count * 2 >= map->capacity)
		grow_map(map);
	*find_cell(map, key) = (struct legacy_map_cell){key, value};
	map->count++;
}

/* ---- samples ------------------------------------------------------------------------------------ */

void legacy_add_type(struct legacy_profile *profile, const char *type, const char *unit)
{
	profile->types[profile->type_count] = type;
	profile->units[profile->type_count] = unit;
	profile->type_count++;
}

void legacy_push(struct legacy_profile *profile, uint64_t address)
{
	PERUN_GROW(profile->stack, profile->depth, profile->stack_capacity);
	profile->stack[profile->depth++] = address;
}

int legacy_push_addresses(struct legacy_profile *profile, const struct legacy_lines *lines,
			  struct legacy_text text)
{
	while ((text.at = legacy_find(text, "0x")) != NULL) {
		struct legacy_text digits = {text.at + 2, text.at + 2};
		uint64_t address;

		text.at++;
		while (digits.end < text.end && legacy_is_small_hex(*digits.end))
			digits.end++;
		if (digits.at == digits.end)
			continue;
		text.at = digits.end;
		if (!legacy_hexadecimal(digits, &address)) {
			char *quoted = legacy_quote(digits);
			int status =
				legacy_fail(lines, "the address %s has more than 64 bits", quoted);

			perun_free(quoted);
			return status;
		}
		legacy_push(profile, address);
	}
	return PERUN_OK;
}

static uint32_t find_location(struct legacy_profile *profile, uint64_t address)
{
	uint32_t index = legacy_map_get(&profile->by_address, address);

	if (index != LEGACY_NONE)
		return index;
	PERUN_GROW(profile->locations, profile->location_count, profile->location_capacity);
	index = (uint32_t)profile->location_count++;
	profile->locations[index] = (struct legacy_location){
		.address = address, .mapping = LEGACY_NONE, .function = LEGACY_NONE};
	legacy_map_set(&profile->by_address, address, index);
	return index;
}

int legacy_add_sample(struct legacy_profile *profile, enum legacy_returns returns,
		      struct legacy_sample **sample)
{
	if (profile->depth > MAX_LOCATIONS ||
	    profile->location_count > MAX_LOCATIONS - profile->depth)
		return perun_fail(profile->ctx, PERUN_INPUT, "more than %d addresses",
				  MAX_LOCATIONS);
	PERUN_GROW(profile->samples, profile->sample_count, profile->sample_capacity);
	*sample = &profile->samples[profile->sample_count++];
	**sample = (struct legacy_sample){.first = profile->frame_count,
					  .depth = (uint32_t)profile->depth};
	for (size_t i = 0; i < profile->depth; i++) {
		bool is_return = returns == LEGACY_ALL_RETURNS ||
				 (returns == LEGACY_CALLER_RETURNS && i > 0);

		PERUN_GROW(profile->frames, profile->frame_count, profile->frame_capacity);
		profile->frames[profile->frame_count++] =
			find_location(profile, profile->stack[i] - is_return);
	}
	profile->depth = 0;
	return PERUN_OK;
}

void legacy_remove_frame(struct legacy_profile *profile, struct legacy_sample *sample, uint32_t i)
{
	uint32_t *frames = &profile->frames[sample->first];

	memmove(&frames[i], &frames[i + 1], (sample->depth - i - 1) * sizeof *frames);
	sample->depth--;
}

void legacy_remove_doubles(struct legacy_profile *profile)
{
	for (size_t i = 0; i < profile->sample_count; i++) {
		struct legacy_sample *sample = &profile->samples[i];
		const uint32_t *frames = &profile->frames[sample->first];

		if (sample->depth > 1 && profile->locations[frames[0]].address ==
						 profile->locations[frames[1]].address + 1)
			legacy_remove_frame(profile, sample, 1);
	}
}

void legacy_number_locations(struct legacy_profile *profile)
{
	uint32_t number = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct legacy_sample *sample = &profile->samples[i];

		for (uint32_t k = 0; k < sample->depth; k++) {
			struct legacy_location *location =
				&profile->locations[profile->frames[sample->first + k]];

			if (!location->number)
				location->number = ++number;
		}
	}
}

/* ---- values ------------------------------------------------------------------------------------- */

int64_t legacy_integer(double value)
{
	return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

int64_t legacy_multiply(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

int64_t legacy_divide(int64_t a, int64_t b)
{
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

void legacy_unsample(int64_t rate, int64_t *count, int64_t *size)
{
	double scale;

	if (*count == 0 || *size == 0) {
		*count = *size = 0;
		return;
	}
	if (rate <= 1)
		return;
	scale = 1 / (1 - exp(-((double)*size / (double)*count) / (double)rate));
	*count = legacy_integer((double)*count * scale);
	*size = legacy_integer((double)*size * scale);
}
