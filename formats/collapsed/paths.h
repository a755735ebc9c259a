/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a file as a tree of their frames: what many of them begin with is kept once. */
#ifndef COLLAPSED_PATHS_H
#define COLLAPSED_PATHS_H

#include <perun/profile.h>

#define COLLAPSED_NO_LINE UINT32_MAX

/* A path from the root: that of its parent, which comes before it, and the text of one frame more. The first is the root. */
struct collapsed_node {
	uint32_t parent;
	perun_id text;
	uint32_t line; /* of this path, or COLLAPSED_NO_LINE */
};

struct collapsed_paths {
	struct perun_builder *texts; /* owned: their strings are the texts of frames */
	uint32_t text_count;         /* one more than the highest number of a text */
	struct collapsed_node *nodes;
	uint32_t count, capacity;
	uint32_t *slots, mask; /* by parent and text: number + 1, 0 = free */
};

void collapsed_paths_init(struct collapsed_paths *paths);
void collapsed_paths_clear(struct collapsed_paths *paths);
/* The path that goes on from `parent` with this frame; PERUN_NO_ID when there are too many. */
uint32_t collapsed_paths_add(struct collapsed_paths *paths, uint32_t parent, perun_id text);
/* The frames of a path, the root first, with `;` between them; replaces what is in `text`. */
void collapsed_paths_print(const struct collapsed_paths *paths, uint32_t node,
			   struct perun_buffer *text);
/*
 * Visit the nodes that have a line in the order of their texts, as strcmp() has it. `text` is borrowed. Ends with the first
 * status that is not PERUN_OK.
 */
int collapsed_paths_walk(const struct collapsed_paths *paths,
			 int (*visit)(void *data, uint32_t line, const char *text), void *data);

#endif
