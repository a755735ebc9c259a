/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over history in the order in which git log shows it. */
#include "gitvcs.h"

/*
 * The order is that of git log without options: of the commits whose child was shown, the one with
 * the youngest committer date, of equal ones the one met first. So a commit is read only when its
 * child was visited, and a walk that stops early has read little. (libgit2's walk gives the same
 * order, but reads every commit twice and fails at the boundary of a shallow clone.)
 */
int gitvcs_walk_minor_versions(void *instance, struct perun_ctx *ctx, const char *head,
			       perun_minor_version_visit *visit, void *data)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_words words = {0};
	struct gitvcs_graph graph;
	struct gitvcs_node *node;
	git_oid id;
	int visited, status = gitvcs_resolve(vcs, ctx, head, &id);

	if (status == PERUN_OK)
		status = gitvcs_read_grafts(vcs, ctx);
	if (status != PERUN_OK)
		return status;
	gitvcs_graph_init(&graph, vcs, true);
	node = gitvcs_graph_node(&graph, &id);
	node->marks |= GITVCS_SEEN;
	status = gitvcs_graph_parse(&graph, ctx, node);
	if (status == PERUN_OK)
		gitvcs_graph_push(&graph, node);
	while (status == PERUN_OK && (node = gitvcs_graph_pop(&graph))) {
		for (size_t i = 0; status == PERUN_OK && i < node->parent_count; i++) {
			struct gitvcs_node *parent = node->parents[i];

			if (parent->marks & GITVCS_SEEN)
				continue;
			parent->marks |= GITVCS_SEEN;
			status = gitvcs_graph_parse(&graph, ctx, parent);
			if (status == PERUN_OK)
				gitvcs_graph_push(&graph, parent);
		}
		/* A missing parent is reported after what is there was shown. */
		visited = gitvcs_commit_visit(&words, &node->id, &node->commit, visit, data);
		if (visited != PERUN_OK)
			status = visited;
		gitvcs_commit_free(&node->commit);
		if (status == PERUN_OK && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
	}
	gitvcs_graph_free(&graph);
	gitvcs_words_free(&words);
	return status == PERUN_STOP ? PERUN_OK : status;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

struct range {
	struct gitvcs_graph graph;
	struct gitvcs_node **found, **stack;
	size_t found_count, found_capacity, stack_count, stack_capacity;
	size_t wanted; /* queued commits that are not excluded */
};

/* Exclude what is known to be reachable from `node` already. */
static void exclude(struct range *range, struct gitvcs_node *node)
{
	range->stack_count = 0;
	for (;;) {
		if (!(node->marks & GITVCS_EXCLUDED)) {
			node->marks |= GITVCS_EXCLUDED;
			if (node->marks & GITVCS_QUEUED)
				range->wanted--;
			for (size_t i = 0; i < node->parent_count; i++) {
				PERUN_GROW(range->stack, range->stack_count, range->stack_capacity);
				range->stack[range->stack_count++] = node->parents[i];
			}
		}
		if (!range->stack_count)
			break;
		node = range->stack[--range->stack_count];
	}
}

static int enqueue(struct range *range, struct perun_ctx *ctx, struct gitvcs_node *node)
{
	int status;

	if (node->marks & GITVCS_SEEN)
		return PERUN_OK;
	node->marks |= GITVCS_SEEN;
	status = gitvcs_graph_parse(&range->graph, ctx, node);
	if (status != PERUN_OK)
		return status;
	gitvcs_graph_push(&range->graph, node);
	if (node->marks & GITVCS_EXCLUDED)
		for (size_t i = 0; i < node->parent_count; i++)
			exclude(range, node->parents[i]);
	else
		range->wanted++;
	return PERUN_OK;
}

/*
 * Collect the commits that are not excluded. As in git's limit_list() (revision.c), once only
 * excluded ones are queued, a few more are looked at, because dates are not always in order.
 */
static int collect_range(struct range *range, struct perun_ctx *ctx)
{
	enum { SLACK = 5 };
	struct gitvcs_node *node;
	int64_t last = INT64_MAX;
	int slack = SLACK;

	while ((node = gitvcs_graph_pop(&range->graph))) {
		bool excluded = node->marks & GITVCS_EXCLUDED;

		range->wanted -= !excluded;
		for (size_t i = 0; i < node->parent_count; i++) {
			int status;

			if (excluded)
				exclude(range, node->parents[i]);
			status = enqueue(range, ctx, node->parents[i]);
			if (status != PERUN_OK)
				return status;
		}
		if (!excluded) {
			PERUN_GROW(range->found, range->found_count, range->found_capacity);
			range->found[range->found_count++] = node;
			last = node->date;
			continue;
		}
		if (!range->graph.queue_count)
			break;
		if (range->wanted || last <= range->graph.queue[0]->date)
			slack = SLACK;
		else if (--slack == 0)
			break;
		if (perun_cancelled(ctx))
			return PERUN_CANCELLED;
	}
	return PERUN_OK;
}

static int visit_range(struct range *range, struct perun_ctx *ctx, perun_minor_version_visit *visit,
		       void *data)
{
	struct gitvcs_words words = {0};
	int status = PERUN_OK;

	for (size_t i = 0; status == PERUN_OK && i < range->found_count; i++) {
		struct gitvcs_node *node = range->found[i];
		struct gitvcs_commit commit;

		if (node->marks & GITVCS_EXCLUDED)
			continue; /* found out later */
		status = gitvcs_commit_read(range->graph.vcs, ctx, &node->id, &commit);
		if (status == PERUN_OK) {
			status = gitvcs_commit_visit(&words, &node->id, &commit, visit, data);
			gitvcs_commit_free(&commit);
		}
	}
	gitvcs_words_free(&words);
	return status;
}

int gitvcs_walk_range(void *instance, struct perun_ctx *ctx, const char *exclude_name,
		      const char *head, perun_minor_version_visit *visit, void *data)
{
	struct gitvcs *vcs = instance;
	struct range range = {0};
	struct gitvcs_node *node;
	git_oid head_id, exclude_id;
	int status = gitvcs_resolve(vcs, ctx, head, &head_id);

	if (status == PERUN_OK)
		status = gitvcs_resolve(vcs, ctx, exclude_name, &exclude_id);
	if (status == PERUN_OK)
		status = gitvcs_read_grafts(vcs, ctx);
	if (status != PERUN_OK)
		return status;
	gitvcs_graph_init(&range.graph, vcs, false);
	node = gitvcs_graph_node(&range.graph, &exclude_id);
	node->marks |= GITVCS_EXCLUDED;
	status = enqueue(&range, ctx, node);
	if (status == PERUN_OK)
		status = enqueue(&range, ctx, gitvcs_graph_node(&range.graph, &head_id));
	if (status == PERUN_OK)
		status = collect_range(&range, ctx);
	if (status == PERUN_OK)
		status = visit_range(&range, ctx, visit, data);
	gitvcs_graph_free(&range.graph);
	perun_free(range.found);
	perun_free(range.stack);
	return status == PERUN_STOP ? PERUN_OK : status;
}
