/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of all trees, each once: their numbers, names, files and modules. */
#include <config.h>

#include <string.h>

#include <perun/lib/hash.h>

#include "look.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return perun_hash_number(hash ^ value);
}

static uint64_t hash_frame(const struct perun_frame *frame)
{
	uint64_t hash = mix(frame->name, frame->system_name);

	hash = mix(hash, (uint64_t)frame->file << 32 | frame->object);
	hash = mix(hash, frame->address);
	hash = mix(hash, (uint64_t)frame->line);
	return mix(hash, (uint64_t)frame->column ^ (uint64_t)frame->start_line << 20);
}

static bool same_frame(const struct perun_frame *a, const struct perun_frame *b)
{
	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->object == b->object && a->address == b->address && a->line == b->line &&
	       a->column == b->column && a->start_line == b->start_line && a->folder == b->folder;
}

static void place(struct flame *flame, uint32_t number)
{
	size_t slot = hash_frame(&flame->frames[number].frame) & (flame->slot_count - 1);

	while (flame->frame_slots[slot] != UINT32_MAX)
		slot = (slot + 1) & (flame->slot_count - 1);
	flame->frame_slots[slot] = number;
}

/* Slots are at most half full. */
static void grow_slots(struct flame *flame)
{
	if (flame->slot_count >= 2 * (flame->frame_count + 1))
		return;
	flame->slot_count = flame->slot_count ? 2 * flame->slot_count : 1024;
	perun_free(flame->frame_slots);
	flame->frame_slots = perun_alloc(flame->slot_count * sizeof *flame->frame_slots);
	memset(flame->frame_slots, 0xff, flame->slot_count * sizeof *flame->frame_slots);
	for (size_t i = 0; i < flame->frame_count; i++)
		place(flame, (uint32_t)i);
}

static char *copy_text(const struct perun_buffer *text)
{
	return perun_strndup(text->length ? text->data : "", text->length);
}

static bool is_same_text(const struct perun_buffer *a, const struct perun_buffer *b)
{
	return a->length == b->length && (!a->length || memcmp(a->data, b->data, a->length) == 0);
}

uint32_t flame_frame_number(struct flame *flame, const struct perun_frame *frame)
{
	struct perun_buffer *name = &flame->name_text, *shown = &flame->shown_text;
	struct flame_frame *added;
	size_t slot;

	grow_slots(flame);
	slot = hash_frame(frame) & (flame->slot_count - 1);
	for (; flame->frame_slots[slot] != UINT32_MAX;
	     slot = (slot + 1) & (flame->slot_count - 1)) {
		if (same_frame(&flame->frames[flame->frame_slots[slot]].frame, frame))
			return flame->frame_slots[slot];
	}
	PERUN_GROW(flame->frames, flame->frame_count, flame->frame_capacity);
	added = &flame->frames[flame->frame_count];
	perun_buffer_clear(name);
	perun_buffer_clear(shown);
	perun_frame_name(flame->profile, frame, name);
	flame_add_visible(shown, name->data, name->length);
	*added = (struct flame_frame){.frame = *frame,
				      .name = copy_text(name),
				      .name_length = name->length,
				      .shown_length = shown->length,
				      .file = frame->file ? frame->file : PERUN_NO_ID,
				      .module = frame->object ? frame->object : PERUN_NO_ID};
	added->shown = is_same_text(name, shown) ? added->name : copy_text(shown);
	flame->frame_slots[slot] = (uint32_t)flame->frame_count;
	return (uint32_t)flame->frame_count++;
}

/*
 * The engine leaves out of a frame what the granularity does not ask for. A name that is in
 * several files or modules is shown with the first.
 */
void flame_frame_places(struct flame *flame)
{
	const struct perun_profile *profile = flame->profile;
	size_t strings = perun_profile_strings(profile);
	perun_id *files = perun_alloc((strings + 1) * sizeof *files);
	perun_id *modules = perun_alloc((strings + 1) * sizeof *modules);

	memset(files, 0xff, (strings + 1) * sizeof *files);
	memset(modules, 0xff, (strings + 1) * sizeof *modules);
	for (size_t i = 0; i < perun_profile_locations(profile); i++) {
		struct perun_location_room room;
		const struct perun_location *location =
			perun_profile_location_in(profile, (perun_id)i, &room);
		const struct perun_mapping *mapping =
			location->mapping == PERUN_NO_ID
				? NULL
				: perun_profile_mapping(profile, location->mapping);

		for (uint32_t k = 0; k < location->line_count; k++) {
			perun_id id = location->lines[k].function;
			const struct perun_function *function =
				id == PERUN_NO_ID ? NULL : perun_profile_function(profile, id);

			if (!function)
				continue;
			if (function->file && files[function->name] == PERUN_NO_ID)
				files[function->name] = function->file;
			if (mapping && mapping->file && modules[function->name] == PERUN_NO_ID)
				modules[function->name] = mapping->file;
		}
	}
	for (size_t i = 0; i < flame->frame_count; i++) {
		struct flame_frame *frame = &flame->frames[i];

		if (frame->frame.name && frame->file == PERUN_NO_ID)
			frame->file = files[frame->frame.name];
		if (frame->frame.name && frame->module == PERUN_NO_ID)
			frame->module = modules[frame->frame.name];
	}
	perun_free(files);
	perun_free(modules);
}
