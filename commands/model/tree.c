/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model: the tree that call paths make. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "model.h"

/* The beginning of a call path up to some arrow, or all of it. */
struct prefix {
	const char *text;
	size_t length, parent; /* length of the prefix before the last arrow; 0 = none */
	uint32_t callpath;     /* where it is */
	bool whole;
	uint32_t node;
};

static int compare_texts(const void *a, const void *b)
{
	const struct prefix *x = a, *y = b;
	size_t shorter = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->text, y->text, shorter);

	if (order)
		return order;
	return x->length < y->length ? -1 : x->length > y->length;
}

static int compare_prefixes(const void *a, const void *b)
{
	const struct prefix *x = a, *y = b;
	int order = compare_texts(a, b);

	return order ? order : x->callpath < y->callpath ? -1 : x->callpath > y->callpath;
}

struct prefixes {
	struct prefix *items;
	size_t count, room;
};

static void add_prefixes(struct prefixes *prefixes, const char *path, uint32_t callpath)
{
	const char *end = path;
	size_t parent = 0;

	do {
		const char *arrow = strstr(end, "->");

		PERUN_GROW(prefixes->items, prefixes->count, prefixes->room);
		end = arrow ? arrow : end + strlen(end);
		prefixes->items[prefixes->count++] = (struct prefix){
			path, (size_t)(end - path), parent, callpath, !arrow, MODEL_NONE};
		parent = (size_t)(end - path) + 2;
		end += arrow ? 2 : 0;
		if (!arrow)
			break;
	} while (true);
}

/* Equal prefixes are one, which is where it was first; the call path is the first whole one. */
static void unite(struct prefixes *prefixes)
{
	size_t used = 0;

	qsort(prefixes->items, prefixes->count, sizeof *prefixes->items, compare_prefixes);
	for (size_t i = 0; i < prefixes->count; i++) {
		struct prefix *item = &prefixes->items[i];
		struct prefix *last = used ? &prefixes->items[used - 1] : NULL;
		uint32_t self = item->whole ? item->callpath : MODEL_NONE;

		if (last && compare_texts(last, item) == 0) {
			if (last->node == MODEL_NONE)
				last->node = self;
			continue;
		}
		item->node = self; /* the call path, until the nodes are numbered */
		prefixes->items[used++] = *item;
	}
	prefixes->count = used;
}

static int compare_places(const void *a, const void *b)
{
	const struct prefix *x = *(struct prefix *const *)a, *y = *(struct prefix *const *)b;

	if (x->callpath != y->callpath)
		return x->callpath < y->callpath ? -1 : 1;
	return x->length < y->length ? -1 : x->length > y->length;
}

/* Hang node `number` below its parent, whose node has a smaller number. */
static void hang(struct model_tree *tree, const struct prefixes *prefixes,
		 const struct prefix *prefix, uint32_t number, uint32_t *last_root)
{
	struct model_node *node = &tree->nodes[number], *parent;
	uint32_t *last = last_root;

	if (prefix->parent) {
		struct prefix key = {.text = prefix->text, .length = prefix->parent - 2};
		const struct prefix *found =
			bsearch(&key, prefixes->items, prefixes->count, sizeof key, compare_texts);

		node->parent = found->node;
		parent = &tree->nodes[node->parent];
		node->depth = parent->depth + 1;
		last = &parent->last_child;
		if (parent->first_child == MODEL_NONE)
			parent->first_child = number;
	}
	if (*last != MODEL_NONE)
		tree->nodes[*last].next = number;
	*last = number;
}

static void make_nodes(struct model_tree *tree, struct prefixes *prefixes)
{
	struct prefix **places = perun_alloc_zero(prefixes->count, sizeof *places);
	uint32_t last_root = MODEL_NONE;

	tree->count = prefixes->count;
	tree->nodes = perun_alloc_zero(tree->count, sizeof *tree->nodes);
	for (size_t i = 0; i < prefixes->count; i++)
		places[i] = &prefixes->items[i];
	qsort(places, prefixes->count, sizeof *places, compare_places);
	for (uint32_t i = 0; i < prefixes->count; i++) {
		struct prefix *prefix = places[i];

		tree->nodes[i] =
			(struct model_node){.name = perun_strndup(prefix->text + prefix->parent,
								  prefix->length - prefix->parent),
					    .callpath = prefix->node,
					    .parent = MODEL_NONE,
					    .first_child = MODEL_NONE,
					    .last_child = MODEL_NONE,
					    .next = MODEL_NONE};
		prefix->node = i;
		hang(tree, prefixes, prefix, i, &last_root);
	}
	perun_free(places);
}

static void order_nodes(struct model_tree *tree)
{
	uint32_t node = tree->count ? 0 : MODEL_NONE;
	size_t used = 0;

	tree->order = perun_alloc_zero(tree->count, sizeof *tree->order);
	while (node != MODEL_NONE) {
		tree->order[used++] = node;
		if (tree->nodes[node].first_child != MODEL_NONE) {
			node = tree->nodes[node].first_child;
			continue;
		}
		while (node != MODEL_NONE && tree->nodes[node].next == MODEL_NONE)
			node = tree->nodes[node].parent;
		if (node != MODEL_NONE)
			node = tree->nodes[node].next;
	}
}

void model_tree_init(struct model_tree *tree, const struct perun_experiment *experiment)
{
	size_t metrics = experiment->metric_count, cells = experiment->callpaths * metrics;
	struct prefixes prefixes = {0};

	tree->series = perun_alloc_zero(cells, sizeof *tree->series);
	memset(tree->series, 0xff, cells * sizeof *tree->series);
	for (uint32_t i = 0; i < experiment->series_count; i++) {
		const struct perun_experiment_series *series = &experiment->series[i];

		tree->series[series->callpath * metrics + series->metric] = i;
	}
	for (uint32_t i = 0; i < experiment->callpaths; i++)
		for (size_t m = 0; m < metrics; m++)
			if (tree->series[i * metrics + m] != MODEL_NONE) {
				add_prefixes(&prefixes, experiment->callpath_names[i], i);
				break;
			}
	unite(&prefixes);
	make_nodes(tree, &prefixes);
	order_nodes(tree);
	perun_free(prefixes.items);
}

void model_tree_clear(struct model_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		perun_free(tree->nodes[i].name);
	perun_free(tree->nodes);
	perun_free(tree->order);
	perun_free(tree->series);
}
