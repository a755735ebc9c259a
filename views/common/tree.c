/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees as rows: in depth first order, with the lines that lead to each. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/text.h"
#include "views/common/tree.h"

void views_tree_free(struct views_tree *tree)
{
	views_rows_free(&tree->rows);
	*tree = (struct views_tree){0};
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* What is before a name: of a call among several, of the last one, of an only one. */
struct strokes {
	const char *fork, *last, *only;   /* before the call itself */
	const char *pass, *blank, *below; /* before what it calls */
};

static const struct strokes unicode_strokes = {"\u251c\u2500 ", "\u2514\u2500 ", "\u21b3 ",
					       "\u2502  ",      "   ",           ""};
static const struct strokes ascii_strokes = {"|- ", "`- ", "> ", "|  ", "   ", ""};

/* The beginning of the lines of what a call calls; NULL = nothing. */
static char *lead_of(const struct views_tree_request *request, const char *lead, bool root,
		     bool only, bool last)
{
	const struct strokes *strokes = request->ascii ? &ascii_strokes : &unicode_strokes;
	const char *next = root || only ? strokes->below : last ? strokes->blank : strokes->pass;

	/* What is deeper than there is room for is written one below the other. */
	if (views_width(lead) + 3 > request->indent)
		next = "";
	return perun_format("%s%s", lead, next);
}

static char *prefix_of(const struct views_tree_request *request, const char *lead, bool root,
		       bool only, bool last)
{
	const struct strokes *strokes = request->ascii ? &ascii_strokes : &unicode_strokes;

	if (root)
		return NULL;
	return perun_format("%s%s", lead,
			    only   ? strokes->only
			    : last ? strokes->last
				   : strokes->fork);
}

char *views_tree_prefix(const struct views_tree_request *request, bool only, bool last)
{
	return prefix_of(request, "", false, only, last);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A node that waits for its turn. */
struct waiting {
	uint32_t node;
	size_t parent; /* row */
	unsigned depth;
	bool only, last;
	char *lead; /* of its parent's calls */
};

struct reading {
	const struct views_data *data;
	const struct views_tree_request *request;
	struct perun_calltree *tree;
	const struct perun_tree_node *nodes;
	const struct perun_frame *frames;
	const int64_t *self, *total;
	struct waiting *stack;
	size_t waiting, capacity;
	struct views_tree *result;
	struct perun_buffer name;
};

static int64_t magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

static const char *name_of(struct reading *reading, uint32_t node)
{
	perun_buffer_clear(&reading->name);
	perun_frame_name(reading->data->profile, &reading->frames[reading->nodes[node].frame],
			 &reading->name);
	return reading->name.length ? reading->name.data : "";
}

static int compare_children(const void *one, const void *other, void *context)
{
	struct reading *reading = context;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	int64_t x = magnitude(reading->total[a]), y = magnitude(reading->total[b]);
	int order = 0;

	/* What represents several comes last. */
	if (reading->nodes[a].rest != reading->nodes[b].rest)
		return reading->nodes[a].rest ? 1 : -1;
	if (reading->request->order == VIEWS_TREE_BY_SELF) {
		x = magnitude(reading->self[a]);
		y = magnitude(reading->self[b]);
	}
	if (reading->request->order == VIEWS_TREE_BY_TOTAL ||
	    reading->request->order == VIEWS_TREE_BY_SELF)
		order = (x < y) - (x > y);
	if (order == 0 && reading->request->order != VIEWS_TREE_AS_RECORDED &&
	    !reading->nodes[a].rest) {
		char *name = perun_strdup(name_of(reading, a));

		order = strcmp(name, name_of(reading, b));
		perun_free(name);
	}
	return order ? order : (a > b) - (a < b);
}

/* Let the children of a node wait, the first one on top. */
static void push_children(struct reading *reading, uint32_t node, size_t parent, unsigned depth,
			  const char *lead)
{
	uint32_t *children = NULL;
	size_t count = 0, capacity = 0;

	for (uint32_t child = reading->nodes[node].first_child; child;
	     child = reading->nodes[child].next_sibling) {
		PERUN_GROW(children, count, capacity);
		children[count++] = child;
	}
	if (count > 1)
		qsort_r(children, count, sizeof *children, compare_children, reading);
	for (size_t i = count; i-- > 0;) {
		PERUN_GROW(reading->stack, reading->waiting, reading->capacity);
		reading->stack[reading->waiting++] = (struct waiting){.node = children[i],
								      .parent = parent,
								      .depth = depth,
								      .only = count == 1,
								      .last = i + 1 == count,
								      .lead = perun_strdup(lead)};
	}
	perun_free(children);
}

/* How many nodes lie below one. */
static size_t count_below(const struct reading *reading, uint32_t top)
{
	uint32_t node = top;
	size_t count = 0;

	for (;;) {
		if (reading->nodes[node].first_child) {
			node = reading->nodes[node].first_child;
			count++;
			continue;
		}
		while (node != top && !reading->nodes[node].next_sibling)
			node = reading->nodes[node].parent;
		if (node == top)
			return count;
		node = reading->nodes[node].next_sibling;
		count++;
	}
}

static void add_row(struct reading *reading, const struct waiting *item)
{
	const struct perun_tree_node *node = &reading->nodes[item->node];
	struct views_rows *rows = &reading->result->rows;
	struct views_row *row;

	PERUN_GROW(rows->items, rows->count, rows->capacity);
	row = &rows->items[rows->count++];
	*row = (struct views_row){.depth = item->depth,
				  .parent = item->parent,
				  .source = {item->node, SIZE_MAX},
				  .inlined = node->inlined,
				  .aside = node->rest,
				  .merged = node->merged};
	row->self[0] = (long double)reading->self[item->node] * reading->data->scale;
	row->total[0] = (long double)reading->total[item->node] * reading->data->scale;
	row->prefix =
		prefix_of(reading->request, item->lead, item->depth == 0, item->only, item->last);
	if (node->rest) {
		row->name = perun_format("%u smaller", node->merged);
	} else {
		const struct perun_frame *frame = &reading->frames[node->frame];

		row->name = perun_strdup(name_of(reading, item->node));
		row->file = perun_strdup(
			perun_profile_string(reading->data->profile, frame->file, NULL));
		row->line = frame->line;
		row->address = frame->address;
	}
}

static void read_nodes(struct reading *reading)
{
	const struct views_tree_request *request = reading->request;
	struct views_rows *rows = &reading->result->rows;

	push_children(reading, 0, SIZE_MAX, 0, "");
	while (reading->waiting > 0) {
		struct waiting item = reading->stack[--reading->waiting];
		char *lead = NULL;

		if (request->brief && item.only && reading->nodes[item.node].rest) {
			perun_free(item.lead);
			continue;
		}
		if (request->limit && rows->count >= request->limit) {
			reading->result->more += 1 + count_below(reading, item.node);
		} else {
			add_row(reading, &item);
			if (request->depth && item.depth + 1 >= request->depth) {
				reading->result->deep += count_below(reading, item.node);
			} else {
				lead = lead_of(request, item.lead, item.depth == 0, item.only,
					       item.last);
				push_children(reading, item.node, rows->count - 1, item.depth + 1,
					      lead);
			}
		}
		perun_free(lead);
		perun_free(item.lead);
	}
}

/* ---- together -------------------------------------------------------------------------------- */

int views_tree_read(const struct views_data *data, const struct views_tree_request *request,
		    struct views_tree *tree)
{
	const struct perun_tree_options options = {.struct_size = sizeof options,
						   .granularity = data->by,
						   .no_inlines = data->no_inlines,
						   .inverted = request->inverted,
						   .function = request->function,
						   .minimum_share = request->minimum};
	struct reading reading = {.data = data, .request = request, .result = tree};
	size_t count;
	int status;

	*tree = (struct views_tree){0};
	if (!data->stacks)
		return perun_fail(data->ctx, PERUN_INPUT,
				  "%s has no stacks to make a tree of; the view top shows it",
				  data->name);
	if (views_has_only_calls(data))
		return views_tree_of_calls(data, request, tree);
	status = perun_calltree_new(data->ctx, data->stacks, &options, &reading.tree);
	if (status)
		return status;
	reading.nodes = perun_calltree_nodes(reading.tree, &count);
	reading.frames = perun_calltree_frames(reading.tree, &count);
	reading.self = perun_calltree_self(reading.tree, 0);
	reading.total = perun_calltree_total(reading.tree, 0);
	tree->whole = (long double)reading.total[0] * data->scale;
	read_nodes(&reading);
	perun_free(reading.stack);
	perun_buffer_free(&reading.name);
	perun_calltree_free(reading.tree);
	return PERUN_OK;
}
