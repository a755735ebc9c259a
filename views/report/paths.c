/* SPDX-License-Identifier: BSD-3-Clause */
/* Through which calls the own value of a function changed: from the leaf towards the root. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/report/report.h"

/*
 * Inverted trees of both profiles, side by side: below the root are the functions with their own
 * values, below each the callers through which these came. What is smaller than this share of
 * everything is not followed.
 */
#define SMALLEST 0.0002

struct side {
	const struct views_data *data;
	struct perun_calltree *tree;
};

struct trees {
	struct side sides[2];
	const long double *factors;
};

static int open_side(struct perun_ctx *ctx, size_t i, void *context)
{
	struct side *side = &((struct trees *)context)->sides[i];
	const struct perun_tree_options options = {.struct_size = sizeof options,
						   .granularity = side->data->by,
						   .no_inlines = side->data->no_inlines,
						   .inverted = true,
						   .minimum_share = SMALLEST,
						   .on_demand = true};
	int status = perun_calltree_new(ctx, side->data->stacks, &options, &side->tree);

	if (!status)
		perun_calltree_open(side->tree, 0);
	return status;
}

/* The children of a node (SIZE_MAX = not there) as rows. */
static void add_children(const struct side *side, size_t node, struct views_rows *rows)
{
	struct perun_buffer name = {0};
	const struct perun_tree_node *nodes;
	const struct perun_frame *frames;
	const int64_t *total;

	if (node == SIZE_MAX)
		return;
	perun_calltree_open(side->tree, (uint32_t)node);
	nodes = perun_calltree_nodes(side->tree, NULL);
	frames = perun_calltree_frames(side->tree, NULL);
	total = perun_calltree_total(side->tree, 0);
	for (uint32_t child = nodes[node].first_child; child; child = nodes[child].next_sibling) {
		const struct perun_frame *frame = &frames[nodes[child].frame];
		struct views_row *row;

		if (nodes[child].rest)
			continue;
		perun_buffer_clear(&name);
		perun_frame_name(side->data->profile, frame, &name);
		PERUN_GROW(rows->items, rows->count, rows->capacity);
		row = &rows->items[rows->count++];
		*row = (struct views_row){.source = {child, SIZE_MAX}};
		row->name = perun_strdup(name.length ? name.data : "");
		row->file =
			perun_strdup(perun_profile_string(side->data->profile, frame->file, NULL));
		row->total[0] = (long double)total[child] * side->data->scale;
	}
	perun_buffer_free(&name);
}

/* The children of a pair of nodes, the largest change first. */
static void join_children(const struct trees *trees, const size_t nodes[2], struct views_rows *rows)
{
	struct views_rows sides[2] = {{0}, {0}};

	for (size_t i = 0; i < 2; i++)
		add_children(&trees->sides[i], nodes[i], &sides[i]);
	views_rows_join(sides, trees->factors, rows);
	views_rows_sort(rows, VIEWS_BY_TOTAL_DELTA);
}

/* What came from stacks that begin here, as it was and is. */
static void ended_here(const struct trees *trees, const size_t nodes[2], long double ended[2])
{
	for (size_t i = 0; i < 2; i++) {
		const struct side *side = &trees->sides[i];

		ended[i] = 0;
		if (nodes[i] != SIZE_MAX)
			ended[i] = (long double)perun_calltree_self(side->tree, 0)[nodes[i]] *
				   side->data->scale * trees->factors[i];
	}
}

static void add_caller(struct report_function *function, const char *name, long double base,
		       long double new)
{
	struct report_caller *caller;
	size_t i;

	PERUN_GROW(function->callers, function->caller_count, function->caller_capacity);
	for (i = function->caller_count++; i > 0; i--) {
		caller = &function->callers[i - 1];
		if (fabsl(caller->new - caller->base) >= fabsl(new - base))
			break;
		function->callers[i] = *caller;
	}
	function->callers[i] =
		(struct report_caller){.name = perun_strdup(name), .base = base, .new = new};
}

static void add_to_path(struct report_function *function, const char *name)
{
	PERUN_GROW(function->path, function->path_count, function->path_capacity);
	function->path[function->path_count++] = perun_strdup(name);
}

/* From the function on always to the caller through which most of the change came. */
static void follow(const struct trees *trees, struct report_function *function, size_t nodes[2])
{
	/* Each step looks at all stacks that come through here: deeper recursions would take longer than reading them. */
	enum { DEEPEST = 512 };
	bool first = true;

	add_to_path(function, function->row->name);
	for (;;) {
		struct views_rows rows;
		long double ended[2], most = 0;

		join_children(trees, nodes, &rows);
		ended_here(trees, nodes, ended);
		for (size_t i = 0; first && i < rows.count; i++)
			add_caller(function, rows.items[i].name, rows.items[i].total[0],
				   rows.items[i].total[1]);
		if (first && (ended[0] != 0 || ended[1] != 0))
			add_caller(function, NULL, ended[0], ended[1]);
		first = false;
		if (rows.count)
			most = fabsl(rows.items[0].total[1] - rows.items[0].total[0]);
		function->path_is_cut = most != 0 && most >= fabsl(ended[1] - ended[0]);
		if (!function->path_is_cut || function->path_count == DEEPEST) {
			views_rows_free(&rows);
			break;
		}
		nodes[0] = rows.items[0].source[0];
		nodes[1] = rows.items[0].source[1];
		add_to_path(function, rows.items[0].name);
		views_rows_free(&rows);
	}
	for (size_t i = 0; i < function->path_count / 2; i++) {
		char *name = function->path[i];

		function->path[i] = function->path[function->path_count - 1 - i];
		function->path[function->path_count - 1 - i] = name;
	}
}

static void find_path(const struct trees *trees, const struct views_rows *leaves,
		      struct report_function *function)
{
	for (size_t i = 0; i < leaves->count; i++) {
		const struct views_row *leaf = &leaves->items[i];
		size_t nodes[2] = {leaf->source[0], leaf->source[1]};

		if (strcmp(leaf->name, function->row->name) == 0 &&
		    strcmp(leaf->file, function->row->file) == 0) {
			follow(trees, function, nodes);
			return;
		}
	}
}

bool report_knows_callers(const struct report *report)
{
	for (size_t i = 0; i < 2; i++) {
		const struct views_data *data = &report->pair.data[i];

		if (!data->stacks || views_has_only_calls(data))
			return false;
	}
	return true;
}

int report_find_paths(struct report *report)
{
	struct trees trees = {.factors = report->pair.factor};
	struct views_rows leaves = {0};
	const size_t roots[2] = {0, 0};
	int status;

	if (!report_knows_callers(report))
		return PERUN_OK;
	for (size_t i = 0; i < 2; i++)
		trees.sides[i].data = &report->pair.data[i];
	status = perun_parallel_for(report->ctx, 2, open_side, &trees);
	if (!status)
		join_children(&trees, roots, &leaves);
	for (size_t i = 0; i < report->function_count && !status; i++)
		find_path(&trees, &leaves, &report->functions[i]);
	views_rows_free(&leaves);
	perun_calltree_free(trees.sides[0].tree);
	perun_calltree_free(trees.sides[1].tree);
	return status;
}
