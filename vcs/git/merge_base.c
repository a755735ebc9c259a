/* SPDX-License-Identifier: BSD-3-Clause */
/* The best common ancestor of two commits, also in shallow clones. */
#include <string.h>

#include "gitvcs.h"

/* Give a node further marks; queue it (again) when that is news. */
static int paint(struct gitvcs_graph *graph, struct perun_ctx *ctx, struct gitvcs_node *node,
		 uint32_t marks, size_t *fresh)
{
	int status;

	if ((node->marks & marks) == marks)
		return PERUN_OK;
	status = gitvcs_graph_parse(graph, ctx, node);
	if (status != PERUN_OK)
		return status;
	if (node->marks & GITVCS_QUEUED) {
		if (!(node->marks & GITVCS_STALE) && (marks & GITVCS_STALE))
			(*fresh)--;
		node->marks |= marks;
		return PERUN_OK;
	}
	node->marks |= marks;
	gitvcs_graph_push(graph, node);
	*fresh += !(node->marks & GITVCS_STALE);
	return PERUN_OK;
}

/*
 * Mark what either side reaches, the youngest first, until all that is queued lies after a common
 * ancestor (git's paint_down_to_common(), commit-reach.c). The results, youngest first, some of them
 * maybe reachable from others, are the caller's.
 */
static int common_ancestors(struct gitvcs *vcs, struct perun_ctx *ctx, const git_oid *one,
			    const git_oid *other, git_oid **ids, size_t *count)
{
	struct gitvcs_node **results = NULL, *node;
	size_t result_count = 0, capacity = 0, fresh = 0;
	struct gitvcs_graph graph;
	int status;

	gitvcs_graph_init(&graph, vcs, false);
	status = paint(&graph, ctx, gitvcs_graph_node(&graph, one), GITVCS_ONE, &fresh);
	if (status == PERUN_OK)
		status = paint(&graph, ctx, gitvcs_graph_node(&graph, other), GITVCS_OTHER, &fresh);
	while (status == PERUN_OK && fresh && (node = gitvcs_graph_pop(&graph))) {
		uint32_t marks = node->marks & (GITVCS_ONE | GITVCS_OTHER | GITVCS_STALE);

		fresh -= !(marks & GITVCS_STALE);
		if (marks == (GITVCS_ONE | GITVCS_OTHER)) {
			if (!(node->marks & GITVCS_RESULT)) {
				node->marks |= GITVCS_RESULT;
				PERUN_GROW(results, result_count, capacity);
				results[result_count++] = node;
			}
			marks |= GITVCS_STALE;
		}
		for (size_t i = 0; status == PERUN_OK && i < node->parent_count; i++)
			status = paint(&graph, ctx, node->parents[i], marks, &fresh);
		if (perun_cancelled(ctx))
			status = PERUN_CANCELLED;
	}
	*ids = perun_alloc((result_count + 1) * sizeof(**ids));
	*count = 0;
	for (size_t i = 0; i < result_count; i++)
		if (!(results[i]->marks & GITVCS_STALE))
			git_oid_cpy(&(*ids)[(*count)++], &results[i]->id);
	perun_free(results);
	gitvcs_graph_free(&graph);
	return status;
}

/* Whether `ancestor` is reachable from `id`. */
static int is_ancestor(struct gitvcs *vcs, struct perun_ctx *ctx, const git_oid *ancestor,
		       const git_oid *id, bool *is)
{
	git_oid *ids;
	size_t count;
	int status = common_ancestors(vcs, ctx, ancestor, id, &ids, &count);

	*is = false;
	for (size_t i = 0; i < count; i++)
		*is |= git_oid_equal(&ids[i], ancestor) != 0;
	perun_free(ids);
	return status;
}

int gitvcs_merge_base(void *instance, struct perun_ctx *ctx, const char *one, const char *other,
		      char **checksum)
{
	struct gitvcs *vcs = instance;
	git_oid one_id, other_id, *ids;
	size_t count, best = 0;
	int status = gitvcs_resolve(vcs, ctx, one, &one_id);

	*checksum = NULL;
	if (status == PERUN_OK)
		status = gitvcs_resolve(vcs, ctx, other, &other_id);
	if (status == PERUN_OK)
		status = gitvcs_read_grafts(vcs, ctx);
	if (status != PERUN_OK)
		return status;
	status = common_ancestors(vcs, ctx, &one_id, &other_id, &ids, &count);
	/* Skewed dates: take the first that no other one reaches. */
	for (size_t i = 1; status == PERUN_OK && i < count; i++) {
		bool is = false;

		status = is_ancestor(vcs, ctx, &ids[best], &ids[i], &is);
		if (is)
			best = i;
	}
	if (status == PERUN_OK && count) {
		*checksum = perun_alloc(GIT_OID_HEXSZ + 1);
		git_oid_tostr(*checksum, GIT_OID_HEXSZ + 1, &ids[best]);
	}
	perun_free(ids);
	return status;
}
