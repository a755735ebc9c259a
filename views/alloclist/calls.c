/* SPDX-License-Identifier: BSD-3-Clause */
/* The small call tree of an allocation, or of all that a place makes: the place, and who called it. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "alloclist.h"

enum { MAX_CALLERS = 5 }; /* of one function; the others are put together */

/* Allocations of one stack. */
struct path {
	perun_id stack;
	const struct views_allocation *one;
	struct views_frame *frames; /* the place first; owned with `whole` */
	struct views_frame *whole;
	size_t count;
	double amount, times;
};

/* A caller of a node: paths [first, first + count). */
struct branch {
	size_t first, count;
	double amount, times;
};

static bool same_frame(const struct views_frame *a, const struct views_frame *b)
{
	return strcmp(a->function, b->function) == 0 && a->line == b->line &&
	       strcmp(a->file, b->file) == 0;
}

/* Frames of allocators before the place are left out. */
static void open_path(const struct alloclist *list, struct path *path)
{
	const struct views_frame *place = &path->one->place;

	path->whole = views_allocation_frames(&list->allocations, path->one, &path->count);
	path->frames = path->whole;
	for (size_t i = 0; i < path->count; i++) {
		if (strcmp(path->whole[i].function, place->function) == 0 &&
		    path->whole[i].line == place->line) {
			path->frames += i;
			path->count -= i;
			return;
		}
	}
	/* The place is not on the stack by this name: it represents the innermost frame. */
	path->whole[0] = *place;
}

static int compare_paths(const void *a, const void *b)
{
	const struct path *left = a, *right = b;

	for (size_t i = 0; i < left->count && i < right->count; i++) {
		const struct views_frame *x = &left->frames[i], *y = &right->frames[i];
		int order = strcmp(x->function, y->function);

		if (!order)
			order = strcmp(x->file, y->file);
		if (!order)
			order = x->line < y->line ? -1 : x->line > y->line;
		if (order)
			return order;
	}
	return left->count < right->count ? -1 : left->count > right->count;
}

static int compare_stacks(const void *a, const void *b)
{
	const struct path *left = a, *right = b;

	if (left->stack != right->stack)
		return left->stack < right->stack ? -1 : 1;
	return left->one < right->one ? -1 : left->one > right->one;
}

static int compare_branches(const void *a, const void *b)
{
	const struct branch *left = a, *right = b;

	if (left->amount != right->amount)
		return left->amount < right->amount ? 1 : -1;
	return left->first < right->first ? -1 : left->first > right->first;
}

/* A path for each stack of the entry's allocations, equal beginnings together. */
static struct path *open_paths(const struct alloclist *list, const struct alloclist_entry *entry,
			       size_t *count)
{
	struct path *paths = perun_alloc_zero(entry->member_count + 1, sizeof *paths);

	for (size_t i = 0; i < entry->member_count; i++) {
		paths[i].one = &list->allocations.items[entry->members[i]];
		paths[i].stack = paths[i].one->stack;
		paths[i].amount = paths[i].one->amount;
		paths[i].times = paths[i].one->count;
	}
	qsort(paths, entry->member_count, sizeof *paths, compare_stacks);
	*count = 0;
	for (size_t i = 0; i < entry->member_count; i++) {
		if (*count && paths[*count - 1].stack == paths[i].stack) {
			paths[*count - 1].amount += paths[i].amount;
			paths[*count - 1].times += paths[i].times;
		} else {
			paths[(*count)++] = paths[i];
		}
	}
	for (size_t i = 0; i < *count; i++)
		open_path(list, &paths[i]);
	qsort(paths, *count, sizeof *paths, compare_paths);
	return paths;
}

static struct alloclist_call *add_call(struct alloclist_entry *entry, unsigned depth,
				       const struct branch *branch)
{
	struct alloclist_call *call;

	PERUN_GROW(entry->calls, entry->call_count, entry->call_capacity);
	call = &entry->calls[entry->call_count++];
	*call = (struct alloclist_call){.frame = {"", "", 0},
					.depth = depth,
					.amount = branch->amount,
					.count = branch->times,
					.last = true};
	return call;
}

/* Paths of a node by their frame at `depth`; those that end before are left out. */
static struct branch *split(const struct path *paths, const struct branch *node, unsigned depth,
			    size_t *count)
{
	struct branch *branches = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = node->first; i < node->first + node->count; i++) {
		struct branch *branch = *count ? &branches[*count - 1] : NULL;

		if (paths[i].count <= depth)
			continue;
		if (!branch ||
		    !same_frame(&paths[branch->first].frames[depth], &paths[i].frames[depth])) {
			PERUN_GROW(branches, *count, capacity);
			branch = &branches[(*count)++];
			*branch = (struct branch){.first = i};
		}
		branch->count++;
		branch->amount += paths[i].amount;
		branch->times += paths[i].times;
	}
	if (*count)
		qsort(branches, *count, sizeof *branches, compare_branches);
	return branches;
}

/* What is not shown because it is too deep: the most frames there are. */
static size_t deepest(const struct path *paths, const struct branch *node)
{
	size_t most = 0;

	for (size_t i = node->first; i < node->first + node->count; i++)
		most = paths[i].count > most ? paths[i].count : most;
	return most;
}

static void add_rest(struct alloclist_entry *entry, const struct branch *branches, size_t count,
		     unsigned depth)
{
	struct branch rest = {0};

	for (size_t i = 0; i < count; i++) {
		rest.amount += branches[i].amount;
		rest.times += branches[i].times;
	}
	add_call(entry, depth, &rest)->merged = count;
	entry->calls[entry->call_count - 1].branches = true;
}

/* Recursion goes as deep as the option `depth` allows. */
static void add_callers(struct alloclist_entry *entry, const struct path *paths,
			const struct branch *node, unsigned depth, unsigned most)
{
	size_t count, shown;
	struct branch *branches;

	if (depth >= most) {
		size_t deep = deepest(paths, node);

		if (deep > depth)
			add_call(entry, depth, node)->deeper = deep - depth;
		return;
	}
	branches = split(paths, node, depth, &count);
	shown = count <= MAX_CALLERS + 1 ? count : MAX_CALLERS;
	for (size_t i = 0; i < shown; i++) {
		struct alloclist_call *call = add_call(entry, depth, &branches[i]);

		call->frame = paths[branches[i].first].frames[depth];
		call->last = i + 1 == count;
		call->branches = count > 1;
		add_callers(entry, paths, &branches[i], depth + 1, most);
	}
	if (shown < count)
		add_rest(entry, branches + shown, count - shown, depth);
	perun_free(branches);
}

void alloclist_add_calls(const struct alloclist *list, struct alloclist_entry *entry,
			 unsigned depth)
{
	struct branch root = {0};
	struct path *paths = open_paths(list, entry, &root.count);

	add_callers(entry, paths, &root, 0, depth);
	for (size_t i = 0; i < root.count; i++)
		perun_free(paths[i].whole);
	perun_free(paths);
}
