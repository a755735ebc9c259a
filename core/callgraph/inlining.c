/* SPDX-License-Identifier: BSD-3-Clause */
/* What is inlined: known from a few calls of a node where these are enough, else from all of them. */
#include <string.h>

#include "core/callgraph/inlining.h"
#include "core/context/context.h"
#include "core/context/hash.h"

/*
 * A node is inlined only into what is before it in some location: few pairs, known beforehand, whose
 * weights are found without a search. Calls from one location to the next are many; of these one caller
 * of each node, its witness, is weighed, and those that happen to be pairs: such edges are not inlined
 * in every sample. Where that does not decide, all edges of the node are counted.
 */

/* That pays off from this many stacks on; one in this many, from all over, is searched for witnesses. */
enum { MANY_STACKS = 65536, CHOICE = 32 };

#define NO_PAIR UINT32_MAX

struct pair {
	uint32_t caller, node;
};

/* What an edge weighs so far; `stamp` of the last stack that was counted, 0: none. */
struct weight {
	uint32_t stamp;
	int64_t value;
};

/*
 * What a location with one or two lines comes to, so that stacks are taken without a branch that is hard
 * to foretell: the node that is called in it and the innermost one, both kept. `pair`: of these two, or
 * the one past the last, which counts for nothing; NO_PAIR: this is not such a location.
 */
struct shortcut {
	uint32_t callee, pair, last;
};

/* What is asked of each call of a node. */
struct callee {
	uint64_t pairs;   /* a bit for the hash of each caller in a pair, to rule out most others */
	uint32_t witness; /* a caller, or NO_NODE */
};

struct search {
	struct perun_inlining_search *common;
	const struct perun_callgraph *graph;
	struct perun_frames *frames;
	uint64_t *inlined;
	uint64_t *open_ended; /* nodes that may be inlined into what is before their location */
	struct pair *pairs;
	size_t pair_count, pair_room;
	uint32_t *pair_of_line;     /* of each place in the frames' lists */
	uint32_t *slots, mask;      /* pairs by their hash: number + 1 */
	struct callee *callees;     /* of each node */
	struct shortcut *shortcuts; /* of each location */
};

/* One thread's. */
struct search_part {
	const struct search *search;
	struct weight *pairs, *nodes; /* of pairs, of witnesses */
	uint8_t *called;              /* pairs that some stack holds uninlined */
	uint8_t *others;              /* nodes with other callers */
	uint32_t stamp;
};

static void set_bit(uint64_t *bits, size_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static inline uint32_t kept_node(const struct search *search, uint32_t frame)
{
	return perun_kept_node(search->common, frame);
}

/* ---- pairs ------------------------------------------------------------------------------------- */

static inline uint32_t hash_pair(uint32_t caller, uint32_t node)
{
	return (uint32_t)(((uint64_t)caller << 32 | node) * perun_hash_odd >> 32);
}

static uint32_t find_pair(const struct search *search, uint32_t caller, uint32_t node)
{
	uint32_t slot = hash_pair(caller, node) & search->mask;

	for (; search->slots[slot]; slot = (slot + 1) & search->mask) {
		const struct pair *pair = &search->pairs[search->slots[slot] - 1];

		if (pair->caller == caller && pair->node == node)
			return search->slots[slot] - 1;
	}
	return NO_PAIR;
}

static inline uint64_t caller_bit(uint32_t caller)
{
	return UINT64_C(1) << (uint32_t)(caller * (uint32_t)PERUN_HASH_1) / (UINT32_MAX / 64 + 1);
}

static uint32_t add_pair(struct search *search, uint32_t caller, uint32_t node)
{
	uint32_t number = find_pair(search, caller, node), hash = hash_pair(caller, node), slot;

	if (number != NO_PAIR)
		return number;
	PERUN_GROW(search->pairs, search->pair_count, search->pair_room);
	search->pairs[search->pair_count++] = (struct pair){caller, node};
	slot = hash & search->mask;
	while (search->slots[slot])
		slot = (slot + 1) & search->mask;
	search->slots[slot] = (uint32_t)search->pair_count;
	search->callees[node].pairs |= caller_bit(caller);
	return (uint32_t)search->pair_count - 1;
}

static void find_pairs(struct search *search)
{
	const struct perun_frames *frames = search->frames;

	search->mask = 1023;
	while (search->mask < 2 * frames->list_count)
		search->mask = search->mask * 2 + 1;
	search->slots = perun_alloc_zero((size_t)search->mask + 1, sizeof *search->slots);
	search->callees = perun_alloc(((size_t)search->graph->count + 1) * sizeof *search->callees);
	for (size_t i = 0; i < search->graph->count; i++)
		search->callees[i] = (struct callee){0, NO_NODE};
	search->open_ended =
		perun_alloc_zero(search->graph->count / 64 + 1, sizeof *search->open_ended);
	search->pair_of_line = perun_alloc((frames->list_count + 1) * sizeof(uint32_t));
	memset(search->pair_of_line, 0xff, (frames->list_count + 1) * sizeof(uint32_t));
	for (size_t at = 0, count; at < frames->list_count; at += count) {
		uint32_t parent = NO_NODE;

		count = frames->lists[at++];
		for (size_t k = count; k-- > 0;) {
			uint32_t node = kept_node(search, frames->lists[at + k]);

			if (node == NO_NODE)
				continue;
			if (k + 1 < count && parent == NO_NODE)
				set_bit(search->open_ended, node);
			else if (k + 1 < count && parent != node)
				search->pair_of_line[at + k] = add_pair(search, parent, node);
			parent = node;
		}
	}
}

static struct shortcut shortcut_of(const struct search *search, perun_id location)
{
	static const struct shortcut none = {NO_NODE, NO_PAIR, NO_NODE};
	struct shortcut shortcut = {.pair = (uint32_t)search->pair_count};
	const uint32_t *frames;
	uint32_t count;

	if (search->frames->of_location[location] == FRAMES_UNKNOWN)
		return none;
	frames = perun_frames_of(search->frames, location, &count);
	if (count == 0 || count > 2)
		return none;
	shortcut.last = kept_node(search, frames[0]);
	shortcut.callee = kept_node(search, frames[count - 1]);
	if (shortcut.last == NO_NODE || shortcut.callee == NO_NODE)
		return none;
	if (shortcut.last != shortcut.callee)
		shortcut.pair = search->pair_of_line[frames - search->frames->lists];
	return shortcut;
}

static void make_shortcuts(struct search *search)
{
	size_t locations = search->graph->stacks->location_count;

	search->shortcuts = perun_alloc((locations + 1) * sizeof *search->shortcuts);
	for (size_t i = 0; i < locations; i++)
		search->shortcuts[i] = shortcut_of(search, (perun_id)i);
}

/* ---- stacks ------------------------------------------------------------------------------------ */

static inline void add_weight(struct weight *weight, uint32_t stamp, int64_t value)
{
	uint64_t more = weight->stamp == stamp ? 0 : (uint64_t)value;

	weight->stamp = stamp;
	weight->value = (int64_t)((uint64_t)weight->value + more);
}

/* A step from one location to another. */
static inline void count_call(struct search_part *part, uint32_t caller, uint32_t node,
			      int64_t value)
{
	const struct search *search = part->search;
	uint32_t pair;

	if (search->callees[node].pairs & caller_bit(caller)) {
		pair = find_pair(search, caller, node);
		if (pair != NO_PAIR) {
			part->called[pair] = 1;
			add_weight(&part->pairs[pair], part->stamp, value);
			return;
		}
	}
	if (search->callees[node].witness == caller)
		add_weight(&part->nodes[node], part->stamp, value);
	else
		part->others[node] = 1;
}

/* The frames of a location with several; returns the innermost that is kept, or `parent`. */
static uint32_t take_lines(struct search_part *part, const uint32_t *frames, uint32_t count,
			   uint32_t parent, int64_t value)
{
	const struct search *search = part->search;
	const uint32_t *pairs = search->pair_of_line + (frames - search->frames->lists);

	for (uint32_t k = count; k-- > 0;) {
		uint32_t node = kept_node(search, frames[k]);

		if (node == NO_NODE)
			continue;
		if (pairs[k] != NO_PAIR)
			add_weight(&part->pairs[pairs[k]], part->stamp, value);
		else if (k == count - 1 && parent != NO_NODE && parent != node &&
			 perun_bit(search->inlined, node))
			count_call(part, parent, node, value);
		parent = node;
	}
	return parent;
}

static void take_stack(struct search_part *part, const perun_id *locations, size_t first,
		       size_t end, int64_t value)
{
	const struct search *search = part->search;
	uint32_t parent = NO_NODE, count;

	for (size_t i = end; i-- > first;) {
		const struct shortcut *to = &search->shortcuts[locations[i]];

		if (to->pair == NO_PAIR) {
			const uint32_t *frames =
				perun_frames_of(search->frames, locations[i], &count);

			if (count > 1) /* else there is nothing that is kept */
				parent = take_lines(part, frames, count, parent, value);
			continue;
		}
		/* Also of nodes that are never inlined, which nobody asks for. */
		if (parent != NO_NODE && parent != to->callee)
			count_call(part, parent, to->callee, value);
		add_weight(&part->pairs[to->pair], part->stamp, value);
		parent = to->last;
	}
}

static void take_stacks(struct search_part *part, size_t from, size_t to)
{
	const struct perun_callgraph *graph = part->search->graph;
	const struct perun_stacks *stacks = graph->stacks;
	size_t first, end;

	for (size_t i = from; i < to; i++) {
		if (!perun_stacks_live(stacks, i, &first, &end))
			continue;
		part->stamp++;
		take_stack(part, perun_stacks_locations(stacks, (perun_id)i), first, end,
			   stacks->sums[i * graph->weights]);
	}
}

/* ---- witnesses --------------------------------------------------------------------------------- */

/* The first caller of each node that is not a pair. */
static void choose_in_stack(struct search *search, const perun_id *locations, size_t first,
			    size_t end)
{
	uint32_t parent = NO_NODE, count;

	for (size_t i = end; i-- > first;) {
		const uint32_t *frames = perun_frames_of(search->frames, locations[i], &count);

		for (uint32_t k = count; k-- > 0;) {
			uint32_t node = kept_node(search, frames[k]);

			if (node == NO_NODE)
				continue;
			if (k == count - 1 && parent != NO_NODE && parent != node &&
			    search->callees[node].witness == NO_NODE &&
			    (!(search->callees[node].pairs & caller_bit(parent)) ||
			     find_pair(search, parent, node) == NO_PAIR))
				search->callees[node].witness = parent;
			parent = node;
		}
	}
}

static void choose_witnesses(struct search *search)
{
	const struct perun_stacks *stacks = search->graph->stacks;
	size_t first, end;

	for (size_t i = 0; i < stacks->stack_count; i += CHOICE) {
		if (perun_stacks_live(stacks, i, &first, &end))
			choose_in_stack(search, perun_stacks_locations(stacks, (perun_id)i), first,
					end);
	}
}

static void open_part(const struct search *search, struct search_part *part)
{
	size_t nodes = search->graph->count;

	*part = (struct search_part){.search = search};
	part->pairs = perun_alloc_zero(search->pair_count + 1, sizeof *part->pairs);
	part->called = perun_alloc_zero(search->pair_count + 1, sizeof *part->called);
	part->nodes = perun_alloc_zero(nodes + 1, sizeof *part->nodes);
	part->others = perun_alloc_zero(nodes + 1, sizeof *part->others);
}

static void close_part(struct search_part *part)
{
	perun_free(part->pairs);
	perun_free(part->called);
	perun_free(part->nodes);
	perun_free(part->others);
}

static void join_weights(struct weight *to, const struct weight *more, uint8_t *flags,
			 const uint8_t *more_flags, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		to[i].stamp |= more[i].stamp;
		to[i].value = (int64_t)((uint64_t)to[i].value + (uint64_t)more[i].value);
		flags[i] |= more_flags[i];
	}
}

struct search_parts {
	struct search_part *items;
	size_t count;
};

static int search_part(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct search_parts *parts = data;
	struct search_part *part = &parts->items[i];
	size_t stacks = part->search->graph->stacks->stack_count;

	(void)ctx;
	take_stacks(part, stacks * i / parts->count, stacks * (i + 1) / parts->count);
	return PERUN_OK;
}

static bool weighs_enough(const struct search *search, const struct weight *weight)
{
	return weight->stamp && perun_magnitude(weight->value) >= (uint64_t)search->common->least;
}

/* Fill in `how` where it is known now, and leave in `inlined` the nodes all of whose edges are needed. */
static void judge(struct search *search, const struct search_part *part)
{
	size_t count = search->graph->count;
	uint8_t *inlined = perun_alloc_zero(count + 1, 1), *called = perun_alloc_zero(count + 1, 1);

	for (size_t i = 0; i < search->pair_count; i++) {
		if (weighs_enough(search, &part->pairs[i]))
			(part->called[i] ? called : inlined)[search->pairs[i].node] = 1;
	}
	for (size_t i = 0; i < count; i++) {
		if (!perun_bit(search->inlined, i))
			continue;
		called[i] |= weighs_enough(search, &part->nodes[i]);
		if ((!called[i] && part->others[i]) ||
		    (!inlined[i] && perun_bit(search->open_ended, i)))
			continue;
		search->common->how[i] = perun_inlining_of(inlined[i], called[i]);
		search->inlined[i / 64] &= ~(UINT64_C(1) << i % 64);
	}
	perun_free(inlined);
	perun_free(called);
}

static void hear_witnesses(struct search *search)
{
	struct search_parts parts = {.count = perun_thread_count(8)};

	parts.items = perun_alloc(parts.count * sizeof *parts.items);
	for (size_t i = 0; i < parts.count; i++)
		open_part(search, &parts.items[i]);
	perun_parallel_for(NULL, parts.count, search_part, &parts);
	for (size_t i = 1; i < parts.count; i++) {
		struct search_part *to = &parts.items[0], *more = &parts.items[i];

		join_weights(to->pairs, more->pairs, to->called, more->called, search->pair_count);
		join_weights(to->nodes, more->nodes, to->others, more->others,
			     search->graph->count);
		close_part(more);
	}
	judge(search, &parts.items[0]);
	close_part(&parts.items[0]);
	perun_free(parts.items);
}

static void try_witnesses(struct perun_inlining_search *common)
{
	struct search search = {.common = common,
				.graph = common->graph,
				.frames = common->frames,
				.inlined = common->inlined};

	find_pairs(&search);
	make_shortcuts(&search);
	choose_witnesses(&search);
	hear_witnesses(&search);
	perun_free(search.shortcuts);
	perun_free(search.pairs);
	perun_free(search.slots);
	perun_free(search.callees);
	perun_free(search.pair_of_line);
	perun_free(search.open_ended);
}

/* ---- all edges --------------------------------------------------------------------------------- */

/* Of the nodes in `inlined`. */
static int look_at_edges(struct perun_ctx *ctx, struct perun_inlining_search *search)
{
	struct perun_callgraph *part;
	const struct perun_edge *edges;
	const int64_t *values;
	uint32_t node = 0;
	size_t count;
	int status = perun_callgraph_keep_edges_to(ctx, search->graph, search->keep,
						   search->inlined, &part);

	if (status)
		return status;
	edges = perun_callgraph_edges(part, &count);
	values = perun_callgraph_edge_values(part, 0);
	for (uint32_t i = 0; i < search->graph->count; i++) {
		bool inlined = false, called = false;
		const uint32_t *callers;

		if (!perun_bit(search->keep, i))
			continue;
		callers = perun_callgraph_callers(part, node++, &count);
		for (size_t k = 0; k < count; k++) {
			if (perun_magnitude(values[callers[k]]) < (uint64_t)search->least)
				continue;
			inlined |= edges[callers[k]].inlined;
			called |= !edges[callers[k]].inlined;
		}
		if (perun_bit(search->inlined, i))
			search->how[i] = perun_inlining_of(inlined, called);
	}
	perun_callgraph_free(part);
	return PERUN_OK;
}

/* Nodes that are not the outermost line of some location; only these can be inlined. */
static bool find_inlined(struct perun_inlining_search *search)
{
	const struct perun_frames *frames = search->frames;
	bool any = false;

	for (size_t at = 0, count; at < frames->list_count; at += count) {
		count = frames->lists[at++];
		for (size_t i = 0; i + 1 < count; i++) {
			uint32_t node = perun_kept_node(search, frames->lists[at + i]);

			if (node == NO_NODE)
				continue;
			set_bit(search->inlined, node);
			any = true;
		}
	}
	return any;
}

/* Whether pairs and witnesses will probably do: not where only few edges weigh enough. */
static bool is_promising(const struct perun_inlining_search *search)
{
	const struct perun_stacks *stacks = search->graph->stacks;

	return stacks->stack_count >= MANY_STACKS && !stacks->calls &&
	       (uint64_t)search->least < (uint64_t)stacks->absolute[0] / stacks->stack_count;
}

int perun_callgraph_inlining(struct perun_ctx *ctx, const struct perun_callgraph *graph,
			     const uint64_t *keep, int64_t least, uint8_t *how)
{
	struct perun_inlining_search search = {.graph = graph, .keep = keep, .how = how};
	int status = PERUN_OK;
	bool any;

	if (graph->options.by_path)
		return perun_fail(ctx, PERUN_USAGE, "the nodes of a graph by path are paths");
	search.least = least < 0 ? 0 : least;
	search.frames = (struct perun_frames *)&(graph->whole ? graph->whole : graph)->frames;
	search.inlined = perun_alloc_zero(graph->count / 64 + 1, sizeof *search.inlined);
	memset(how, PERUN_NOT_INLINED, graph->count);
	any = find_inlined(&search);
	if (any && is_promising(&search))
		try_witnesses(&search);
	any = false;
	for (size_t i = 0; i < graph->count / 64 + 1; i++)
		any |= search.inlined[i] != 0;
	if (any && !perun_inlining_by_matrix(&search))
		status = look_at_edges(ctx, &search);
	perun_free(search.inlined);
	return status;
}
