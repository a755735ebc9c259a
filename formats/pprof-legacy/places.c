/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the addresses lie: mappings are mended as handlers are known to write them, and searched. */
#include <string.h>

#include "legacy.h"

static const char *file_of(const struct legacy_profile *profile,
			   const struct perun_mapping *mapping)
{
	return perun_builder_string_at(profile->builder, mapping->file, NULL);
}

/* Whether `second` is the continuation of `first`; what one of them does not say does not differ. */
static bool continues(const struct perun_mapping *first, const struct perun_mapping *second)
{
	if (first->file && second->file && first->file != second->file)
		return false;
	if (first->build_id && second->build_id && first->build_id != second->build_id)
		return false;
	if (first->limit != second->start)
		return false;
	return !first->offset || !second->offset ||
	       first->offset + (first->limit - first->start) == second->offset;
}

static void join_neighbours(struct legacy_profile *profile)
{
	struct perun_mapping *mappings = profile->mappings;
	size_t kept = 0;

	for (size_t i = 1; i < profile->mapping_count; i++) {
		struct perun_mapping *last = &mappings[kept];

		if (!continues(last, &mappings[i])) {
			mappings[++kept] = mappings[i];
			continue;
		}
		last->limit = mappings[i].limit;
		if (mappings[i].file)
			last->file = mappings[i].file;
		if (mappings[i].build_id)
			last->build_id = mappings[i].build_id;
	}
	if (profile->mapping_count)
		profile->mapping_count = kept + 1;
}

/* Names with ".so" at the end, or before ".1" or "_1". */
static bool is_library(struct legacy_text file)
{
	const char *so;

	while ((so = legacy_find(file, ".so")) != NULL) {
		const char *next = so + 3;

		if (next == file.end)
			return true;
		if (file.end - next >= 2 && (*next == '.' || *next == '_') &&
		    legacy_is_digit(next[1]))
			return true;
		file.at = next;
	}
	return false;
}

static bool is_main_binary(const char *name)
{
	struct perun_buffer kept = {0};
	struct legacy_text file;
	const char *deleted;
	bool is_main;

	for (; (deleted = strstr(name, "(deleted)")) != NULL; name = deleted + strlen("(deleted)"))
		perun_buffer_add(&kept, name, (size_t)(deleted - name));
	perun_buffer_add_text(&kept, name);
	file = legacy_trim((struct legacy_text){kept.data, kept.data + kept.length});
	is_main = file.at < file.end && *file.at != '[' && !is_library(file);
	perun_buffer_free(&kept);
	return is_main;
}

/* The first that is not a library changes places with the first. */
static void put_main_first(struct legacy_profile *profile)
{
	struct perun_mapping *mappings = profile->mappings;

	for (size_t i = 0; i < profile->mapping_count; i++) {
		struct perun_mapping first = mappings[0];

		if (!is_main_binary(file_of(profile, &mappings[i])))
			continue;
		mappings[0] = mappings[i];
		mappings[i] = first;
		break;
	}
}

/* A program that moved its code into huge pages, and one that is mapped from the usual address on. */
static void mend_main(struct legacy_profile *profile)
{
	struct perun_mapping *mappings = profile->mappings;
	const uint64_t usual = 0x400000;

	if (profile->mapping_count > 1 && mappings[0].limit == mappings[1].start &&
	    strncmp(file_of(profile, &mappings[0]), "/anon_hugepage", 14) == 0) {
		profile->mapping_count--;
		memmove(mappings, mappings + 1, profile->mapping_count * sizeof *mappings);
	}
	if (profile->mapping_count && mappings[0].start - mappings[0].offset == usual) {
		mappings[0].start = usual;
		mappings[0].offset = 0;
	}
}

/* What no mapping covers lies in one of the whole address space. */
static uint32_t add_fake(struct legacy_profile *profile)
{
	PERUN_GROW(profile->mappings, profile->mapping_count, profile->mapping_capacity);
	profile->mappings[profile->mapping_count] = (struct perun_mapping){.limit = UINT64_MAX};
	return (uint32_t)profile->mapping_count++;
}

/* The mapping of an address; *fake is that of the addresses that no other one covers, once there is one. */
static uint32_t find_mapping(struct legacy_profile *profile, struct legacy_places *places,
			     uint64_t address, uint32_t *fake)
{
	uint32_t found = legacy_places_find(places, address);

	if (found == LEGACY_NONE && (*fake == LEGACY_NONE || address == UINT64_MAX))
		found = legacy_places_extend(places, profile, address);
	if (found == LEGACY_NONE && *fake == LEGACY_NONE)
		*fake = add_fake(profile);
	return found == LEGACY_NONE ? *fake : found;
}

int legacy_place(struct legacy_profile *profile)
{
	uint32_t fake = LEGACY_NONE;
	struct legacy_places places;
	uint32_t *order;
	size_t count;

	join_neighbours(profile);
	put_main_first(profile);
	legacy_number_locations(profile);
	mend_main(profile);
	order = legacy_order(profile, &count);
	legacy_places_make(&places, profile);
	for (size_t i = 0; i < count; i++) {
		uint64_t address = legacy_address(profile, order[i]);

		if (address)
			profile->locations[order[i]].mapping =
				find_mapping(profile, &places, address, &fake);
	}
	legacy_places_free(&places);
	perun_free(order);
	return PERUN_OK;
}
