/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes at their places: what SVG and the static picture of a page draw. */
#ifndef PERUN_VIEWS_FLAMEGRAPH_PICTURE_H
#define PERUN_VIEWS_FLAMEGRAPH_PICTURE_H

#include "flame.h"

struct flame_box {
	uint32_t node;
	unsigned row;       /* from above */
	double left, width; /* of 1 */
};
struct flame_boxes {
	struct flame_box *boxes;
	size_t count, capacity;
	unsigned rows;
};
/*
 * The boxes of a tree that are at least `least` (of 1) wide and at least `first` deep, `depth` rows at
 * most (0: all). Those of depth `first` are in the top row, or (upwards) in the bottom one.
 */
void flame_lay_out(const struct flame *flame, const struct flame_tree *tree, double least,
		   unsigned first, unsigned depth, bool upwards, struct flame_boxes *boxes);
/* A picture without scripts, for browsers that run none. */
void flame_add_static_picture(struct perun_buffer *out, struct flame *flame);

#endif
