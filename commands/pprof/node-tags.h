/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels of samples as boxes beside the nodes of -dot. */
#ifndef PERUN_COMMAND_PPROF_NODE_TAGS_H
#define PERUN_COMMAND_PPROF_NODE_TAGS_H

#include "report.h"

/* The samples of a node that have the same text labels, or the same number besides. */
struct pprof_tag {
	uint32_t node;    /* of the whole graph */
	perun_id labels;  /* all text labels of a sample as one text */
	perun_id name;    /* of the number: as it is printed; PERUN_NO_ID: the labels themselves */
	const char *unit; /* of the number */
	int64_t value;    /* the number */
	int64_t flat, cumulative, flat_divisor, cumulative_divisor;
	bool low; /* below the cut: counts no more */
};

struct pprof_tags {
	struct perun_builder *strings; /* only its strings are used */
	struct pprof_tag *tags;        /* grouped by node at last */
	size_t count, capacity;
	uint32_t *slots, mask;
	size_t *starts; /* of node n: tags [starts[n], starts[n + 1]) */
};

/* The tags of the nodes of a whole graph that have a bit in `wanted`; NULL when no sample has labels. */
struct pprof_tags *pprof_tags_make(const struct pprof_report *report,
				   const struct perun_callgraph *graph, const uint64_t *wanted);
void pprof_tags_free(struct pprof_tags *tags); /* NULL is fine */
/* Mark the tags of which neither value reaches the cut. */
void pprof_tags_cut(struct pprof_tags *tags, int64_t cut);
/* Those of a node with a flat value. */
size_t pprof_tags_count(const struct pprof_tags *tags, uint32_t node);
const char *pprof_tag_text(const struct pprof_tags *tags, perun_id id);

#endif
