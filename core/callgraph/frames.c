/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames: the lines of locations as nodes of a granularity. */
#include <string.h>

#include "core/callgraph/frames.h"
#include "core/context/hash.h"

void perun_frames_init(struct perun_frames *frames, const struct perun_stacks *stacks,
		       const struct perun_frames_options *options)
{
	size_t locations = stacks->location_count;

	*frames = (struct perun_frames){.stacks = stacks, .options = *options};
	frames->of_location = perun_alloc((locations + 1) * sizeof *frames->of_location);
	memset(frames->of_location, 0xff, (locations + 1) * sizeof *frames->of_location);
	frames->mask = 63;
	frames->slots = perun_alloc_zero(64, sizeof *frames->slots);
}

void perun_frames_clear(struct perun_frames *frames)
{
	perun_free(frames->frames);
	perun_free(frames->slots);
	perun_free(frames->of_location);
	perun_free(frames->lists);
	perun_free(frames->files);
	perun_free(frames->texts);
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Up to the last slash. */
static const char *folder_text(const char *file, size_t *length)
{
	const char *slash = strrchr(file, '/');

	*length = slash ? (size_t)(slash - file) : 0;
	return file;
}

/* What a file is compared by. */
static const char *file_key(const struct perun_frames *frames, perun_id file, size_t *length)
{
	const struct perun_frames_options *options = &frames->options;
	const char *text = perun_profile_string(frames->stacks->profile, file, length);

	if (options->file_text) {
		text = options->file_text(options->data, text);
		*length = strlen(text);
	}
	if (options->granularity == PERUN_BY_MODULE)
		return folder_text(text, length);
	return text;
}

static void grow_texts(struct perun_frames *frames)
{
	uint32_t old = frames->texts ? frames->text_mask + 1 : 0;
	perun_id *texts = frames->texts;

	if (old && (uint64_t)frames->text_count * 3 < (uint64_t)old * 2)
		return;
	frames->text_mask = old ? old * 2 - 1 : 63;
	frames->texts = perun_alloc_zero((size_t)frames->text_mask + 1, sizeof *frames->texts);
	for (uint32_t i = 0; i < old; i++) {
		size_t length;
		const char *key;
		uint32_t slot;

		if (!texts[i])
			continue;
		key = file_key(frames, texts[i] - 1, &length);
		slot = (uint32_t)perun_hash_bytes(key, length, perun_hash_secret) &
		       frames->text_mask;
		while (frames->texts[slot])
			slot = (slot + 1) & frames->text_mask;
		frames->texts[slot] = texts[i];
	}
	perun_free(texts);
}

/* The first file with the same key as `file`. The key is copied: file_text() may reuse its memory. */
static perun_id find_same(struct perun_frames *frames, perun_id file)
{
	size_t length, other_length;
	const char *text = file_key(frames, file, &length), *other;
	char *key = perun_strndup(text, length);
	uint32_t slot;

	length = strlen(key);
	grow_texts(frames);
	slot = (uint32_t)perun_hash_bytes(key, length, perun_hash_secret) & frames->text_mask;
	for (; frames->texts[slot]; slot = (slot + 1) & frames->text_mask) {
		other = file_key(frames, frames->texts[slot] - 1, &other_length);
		if (other_length == length && memcmp(other, key, length) == 0)
			break;
	}
	if (!frames->texts[slot]) {
		frames->texts[slot] = file + 1;
		frames->text_count++;
	}
	perun_free(key);
	return frames->texts[slot] - 1;
}

static perun_id same_file(struct perun_frames *frames, perun_id file)
{
	if (!frames->options.file_text && frames->options.granularity != PERUN_BY_MODULE)
		return file;
	if (file == 0)
		return 0;
	if (!frames->files) {
		size_t strings = perun_profile_strings(frames->stacks->profile);

		frames->files = perun_alloc(strings * sizeof *frames->files);
		memset(frames->files, 0xff, strings * sizeof *frames->files);
	}
	if (frames->files[file] == PERUN_NO_ID)
		frames->files[file] = find_same(frames, file);
	return frames->files[file];
}

/* ---- frames ----------------------------------------------------------------------------------- */

static void make_module(struct perun_frames *frames, const struct perun_function *function,
			const struct perun_mapping *mapping, struct perun_frame *frame)
{
	if (mapping && mapping->file) {
		frame->object = mapping->file;
	} else if (function && function->file) {
		frame->file = same_file(frames, function->file);
		frame->folder = true;
	}
}

/* What a line is at the granularity; all bytes of *frame are set, for comparing. */
static void make_frame(struct perun_frames *frames, const struct perun_location *location,
		       const struct perun_line *line, struct perun_frame *frame)
{
	const struct perun_frames_options *options = &frames->options;
	const struct perun_profile *profile = frames->stacks->profile;
	const struct perun_function *function = perun_profile_function(profile, line->function);
	const struct perun_mapping *mapping = perun_profile_mapping(profile, location->mapping);
	enum perun_granularity by = options->granularity;

	memset(frame, 0, sizeof *frame);
	if (by == PERUN_BY_MODULE) {
		make_module(frames, function, mapping, frame);
		return;
	}
	if (by == PERUN_BY_ADDRESS)
		frame->address = location->address;
	if (function) {
		if (by != PERUN_BY_FILE)
			frame->name = function->name;
		if (by != PERUN_BY_FUNCTION)
			frame->file = same_file(frames, function->file);
		if (by == PERUN_BY_LINE || by == PERUN_BY_ADDRESS) {
			frame->line = line->line;
			frame->column = options->columns ? line->column : 0;
		}
		if (options->objects || (options->start_lines && !frame->name))
			frame->start_line = function->start_line;
	}
	if (mapping &&
	    (options->objects || !function ||
	     (!frame->name && (by != PERUN_BY_FILE || options->start_lines || !frame->file))))
		frame->object = mapping->file;
}

static void grow_slots(struct perun_frames *frames)
{
	if (((uint64_t)frames->count + 1) * 3 <= ((uint64_t)frames->mask + 1) * 2)
		return;
	frames->mask = frames->mask * 2 + 1;
	perun_free(frames->slots);
	frames->slots = perun_alloc_zero((size_t)frames->mask + 1, sizeof *frames->slots);
	for (uint32_t i = 0; i < frames->count; i++) {
		uint32_t slot =
			(uint32_t)perun_hash_bytes(&frames->frames[i], sizeof *frames->frames,
						   perun_hash_secret) &
			frames->mask;

		while (frames->slots[slot])
			slot = (slot + 1) & frames->mask;
		frames->slots[slot] = i + 1;
	}
}

static uint32_t number_frame(struct perun_frames *frames, const struct perun_frame *frame)
{
	uint32_t slot;

	grow_slots(frames);
	slot = (uint32_t)perun_hash_bytes(frame, sizeof *frame, perun_hash_secret) & frames->mask;
	for (; frames->slots[slot]; slot = (slot + 1) & frames->mask) {
		uint32_t i = frames->slots[slot] - 1;

		if (memcmp(&frames->frames[i], frame, sizeof *frame) == 0)
			return i;
	}
	PERUN_GROW(frames->frames, frames->count, frames->capacity);
	frames->frames[frames->count++] = *frame;
	frames->slots[slot] = frames->count;
	return frames->count - 1;
}

static void push(struct perun_frames *frames, uint32_t value)
{
	PERUN_GROW(frames->lists, frames->list_count, frames->list_capacity);
	frames->lists[frames->list_count++] = value;
}

uint32_t perun_frames_resolve(struct perun_frames *frames, perun_id id)
{
	struct perun_location_room room;
	const struct perun_location *location =
		perun_profile_location_in(frames->stacks->profile, id, &room);
	struct perun_frame frame;
	size_t count, at = frames->list_count;
	const struct perun_line *lines =
		perun_stacks_lines_of(frames->stacks, id, location, &count);
	uint32_t *result = &frames->of_location[id];

	if (count == 0)
		return *result = FRAMES_NONE;
	if (frames->options.no_inlines && count > 1) {
		lines += count - 1;
		count = 1;
	}
	if (count == 1) {
		make_frame(frames, location, lines, &frame);
		return *result = number_frame(frames, &frame);
	}
	push(frames, (uint32_t)count);
	for (size_t i = count; i-- > 0;) { /* numbered in the order of calls */
		make_frame(frames, location, &lines[i], &frame);
		number_frame(frames, &frame);
	}
	for (size_t i = 0; i < count; i++) {
		make_frame(frames, location, &lines[i], &frame);
		push(frames, number_frame(frames, &frame));
	}
	return *result = FRAMES_MANY + (uint32_t)at;
}
