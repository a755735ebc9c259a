/* SPDX-License-Identifier: BSD-3-Clause */
/* A drawing while it is made. */
#ifndef PERUN_COMMAND_PPROF_DOT_H
#define PERUN_COMMAND_PPROF_DOT_H

#include "graph.h"
#include "shorten.h"

struct pprof_dot {
	struct pprof_graph graph;
	struct pprof_shortener shortener;
	size_t *numbers; /* of nodes, from 1; 0: not shown */
	bool *has_tags;
	double most_flat;
	struct perun_buffer out;
};

/* The boxes for the labels of a node's samples; whether there are any. */
bool pprof_dot_tags(struct pprof_dot *dot, uint32_t node);

#endif
