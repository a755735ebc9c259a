/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of a report: built, trimmed and sorted as pprof does it. */
#ifndef PERUN_COMMAND_PPROF_GRAPH_H
#define PERUN_COMMAND_PPROF_GRAPH_H

#include "report.h"
#include "node-tags.h"

/* Which report it is: that decides how the graph is trimmed. */
enum pprof_form { PPROF_TOP, PPROF_TREE, PPROF_DOT, PPROF_CALLGRIND, PPROF_TOPPROTO };

struct pprof_graph {
	struct pprof_report *report;
	enum pprof_form form;
	struct perun_callgraph *whole;                    /* before anything was cut */
	struct perun_callgraph *graph;                    /* what is left */
	uint32_t *origins;                                /* of its nodes: those of the whole */
	const struct perun_frame *frames;                 /* of its nodes */
	size_t all;                                       /* its nodes */
	const int64_t *flat, *cumulative;                 /* raw: with -mean not divided yet */
	const int64_t *flat_divisor, *cumulative_divisor; /* -mean; else NULL */
	const struct perun_edge *edges;
	size_t edge_count;
	const int64_t *weights, *weight_divisors; /* of the edges */
	bool *edge_dropped;
	uint8_t *inlining; /* PPROF_TOP: of all nodes; NULL: none is */
	uint32_t *nodes; /* those shown, in order */
	size_t count;
	char **names;            /* of all nodes, made when asked for */
	struct pprof_tags *tags; /* -dot; else NULL */
	struct pprof_paths *paths;
	/* What the legend says: nodes before -nodecount, those below -nodefraction, edges. */
	size_t original, dropped_nodes, dropped_edges;
};

/* Weighs the stacks; chooses the unit of the report. Clear it afterwards, whatever it returned. */
int pprof_graph_make(struct pprof_report *report, enum pprof_form form, struct pprof_graph *graph);
void pprof_graph_clear(struct pprof_graph *graph);

/* What is printed: divided with -mean. */
int64_t pprof_flat(const struct pprof_graph *graph, uint32_t node);
int64_t pprof_cumulative(const struct pprof_graph *graph, uint32_t node);
int64_t pprof_edge_value(const struct pprof_graph *graph, uint32_t edge);
/* "ADDRESS FUNCTION FILE:LINE:COLUMN"; owned by the graph. */
const char *pprof_node_name(struct pprof_graph *graph, uint32_t node);
/* The cleaned path of a node's file; "" for none. Owned by the graph, valid until the next call. */
const char *pprof_node_file(struct pprof_graph *graph, uint32_t node);

/* Edges to a node (`in`) or from it, the heaviest first, without those dropped; free the array. */
uint32_t *pprof_sorted_edges(struct pprof_graph *graph, uint32_t node, bool in, size_t *count);
/* All edges of the nodes shown, in the same order. */
uint32_t *pprof_all_edges(struct pprof_graph *graph, size_t *count);

/* A percentage without the blanks before it. */
void pprof_add_share(int64_t value, int64_t total, struct perun_buffer *out);
/* The lines above a report: what the profile is and what is shown; without a newline at the end. */
void pprof_add_legend(struct pprof_graph *graph, struct perun_buffer *out, bool full);

/* ---- names: names.c ---- */

struct pprof_paths {
	const char *trim, *source;
	struct perun_buffer text;
};
/* The part of a path that -trim_path and -source_path leave; a part of `file`. */
const char *pprof_trim_path(const struct pprof_paths *paths, const char *file);
/* For perun_graph_options.file_text; `paths` is a struct pprof_paths. */
const char *pprof_clean_path(void *paths, const char *file);
/* The parts of the name, joined by `glue`; `name` and `file` replace the frame's. */
void pprof_add_node_name(const struct perun_profile *profile, const struct perun_frame *frame,
			 const char *name, const char *file, const char *glue,
			 struct perun_buffer *out);

#endif
