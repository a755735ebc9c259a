/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames: the lines of locations as nodes of a granularity; for the files of this folder. */
#ifndef PERUN_CORE_CALLGRAPH_FRAMES_H
#define PERUN_CORE_CALLGRAPH_FRAMES_H

#include "core/callgraph/stacks.h"

struct perun_frames_options {
	enum perun_granularity granularity;
	bool no_inlines, columns, objects, start_lines;
	const char *(*file_text)(void *data, const char *file);
	void *data;
};

/*
 * The frames of each location, numbered when they are first asked for. A location with one frame (most
 * have) has its number in `of_location`; with more, FRAMES_MANY + the place in `lists` where their
 * count is, followed by their numbers, innermost first.
 */
#define FRAMES_UNKNOWN UINT32_MAX
#define FRAMES_NONE    (UINT32_MAX - 1) /* hidden */
#define FRAMES_MANY    (UINT32_C(1) << 31)

struct perun_frames {
	const struct perun_stacks *stacks;
	struct perun_frames_options options;
	struct perun_frame *frames;
	uint32_t count, capacity;
	uint32_t *slots, mask; /* by contents: number + 1 */
	uint32_t *of_location;
	uint32_t *lists;
	size_t list_count, list_capacity;
	perun_id *files; /* of a file the first one that counts as the same; NULL: all differ */
	perun_id *texts; /* hash table for `files`: string + 1 */
	uint32_t text_count, text_mask;
};

void perun_frames_init(struct perun_frames *frames, const struct perun_stacks *stacks,
		       const struct perun_frames_options *options);
void perun_frames_clear(struct perun_frames *frames);
/* Number the frames of a location. */
uint32_t perun_frames_resolve(struct perun_frames *frames, perun_id location);

/* The frames of a location that has them, innermost first, in arrays that lie as those of frames. */
static inline const uint32_t *perun_frames_in(const uint32_t *of_location, const uint32_t *lists,
					      perun_id location, uint32_t *count)
{
	uint32_t at = of_location[location];

	if (at < FRAMES_MANY) {
		*count = 1;
		return &of_location[location];
	}
	if (at == FRAMES_NONE) {
		*count = 0;
		return NULL;
	}
	*count = lists[at - FRAMES_MANY];
	return &lists[at - FRAMES_MANY + 1];
}

/* The same of any location. */
static inline const uint32_t *perun_frames_of(struct perun_frames *frames, perun_id location,
					      uint32_t *count)
{
	if (frames->of_location[location] == FRAMES_UNKNOWN)
		perun_frames_resolve(frames, location);
	return perun_frames_in(frames->of_location, frames->lists, location, count);
}

#endif
