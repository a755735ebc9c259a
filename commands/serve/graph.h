/* SPDX-License-Identifier: BSD-3-Clause */
/* A call graph as boxes and arrows with places. */
#ifndef PERUN_COMMANDS_SERVE_GRAPH_H
#define PERUN_COMMANDS_SERVE_GRAPH_H

#include <perun/lib/callgraph.h>

#include "serve.h"

enum { GRAPH_LINES = 4 };

struct box {
	char *lines[GRAPH_LINES]; /* of the name */
	size_t line_count;
	double letter, x, y, width,
		height; /* points; x and y: of its middle, from the left and the top */
};

struct arrow {
	uint32_t edge;  /* of the graph */
	double share;   /* of the total */
	double *points; /* x and y alternate: where the curves begin, and three for each curve */
	size_t count;
	double x, y; /* of its amount */
};

struct drawing {
	struct perun_callgraph *graph;
	const struct perun_frame *frames;
	const struct perun_edge *edges;
	size_t box_count, arrow_count;
	struct box *boxes; /* of each node */
	struct arrow *arrows;
	double width, height;
};

/* Have dot place the boxes, whose sizes are known, and the arrows. PERUN_MISSING: there is no dot. */
int serve_place_graph(struct serve_question *question, struct drawing *drawing);

#endif
