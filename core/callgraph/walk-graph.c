/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding up the values of nodes and edges, stack by stack. */
#include <string.h>

#include "core/callgraph/graph.h"
#include "core/context/context.h"
#include "core/context/hash.h"

/*
 * A node or an edge while it is summed: the number of the last stack that was counted, and all weights
 * side by side, of a node the cumulative ones: nearly all of the work is done on these few bytes. Flat
 * values, one for each stack, lie apart.
 */
struct node_sums {
	uint32_t stamp;
	int64_t values[];
};

struct edge_sums {
	struct perun_edge edge;
	uint32_t stamp;
	int64_t values[];
};

/* Room for records of equal size. */
struct records {
	char *data;
	size_t size, capacity;
};

/* An edge of a stack, noted to be counted. */
struct step {
	const int64_t *values;
	uint32_t caller, callee, hash, number;
	uint32_t stamp; /* of the stack */
	bool residual, inlined;
};
/* This many steps at least are counted together. */
enum { STEPS = 256 };

/* By the ends of an edge: a part of the hash, and its number + 1. */
struct edge_slot {
	uint32_t hash, number;
};

/*
 * The nodes of a location's one or two lines; `inner` is the one past all nodes when there is one line.
 * `outer` of NO_NODE: neither one line nor two.
 */
struct two_lines {
	uint32_t outer, inner;
};

struct walk {
	struct perun_callgraph *graph;
	struct perun_frames *frames;
	const struct two_lines *lines; /* of each location, or NULL */
	struct records nodes, edges, flat;
	struct edge_slot *slots;
	uint32_t mask, edge_count;
	struct step *steps;
	size_t step_count, step_capacity;
	uint32_t stamp;
};

static void grow_records(struct records *records, size_t count)
{
	size_t old = records->capacity;

	if (count <= old)
		return;
	records->capacity = old * 2 > count ? old * 2 : count + 64;
	records->data = perun_realloc_array(records->data, records->capacity, records->size);
	memset(records->data + old * records->size, 0, (records->capacity - old) * records->size);
}

static void grow_nodes(struct walk *walk, size_t count)
{
	grow_records(&walk->nodes, count);
	grow_records(&walk->flat, walk->nodes.capacity);
}

static inline struct node_sums *node_at(const struct walk *walk, uint32_t node)
{
	return (struct node_sums *)(walk->nodes.data + node * walk->nodes.size);
}

static inline struct edge_sums *edge_at(const struct walk *walk, uint32_t edge)
{
	return (struct edge_sums *)(walk->edges.data + edge * walk->edges.size);
}

static inline void add_weights(int64_t *to, const int64_t *values, size_t weights)
{
	for (size_t i = 0; i < weights; i++)
		to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)values[i]);
}

/* ---- edges ------------------------------------------------------------------------------------ */

static inline uint32_t hash_edge(uint32_t caller, uint32_t callee)
{
	return (uint32_t)(((uint64_t)caller << 32 | callee) * perun_hash_odd >> 32);
}

static void grow_edges(struct walk *walk)
{
	uint32_t mask = walk->mask, slot;
	struct edge_slot *old = walk->slots;

	if (old && ((uint64_t)walk->edge_count + 1) * 3 <= ((uint64_t)mask + 1) * 2)
		return;
	walk->mask = old ? mask * 2 + 1 : 1023;
	walk->slots = perun_alloc_zero((size_t)walk->mask + 1, sizeof *walk->slots);
	for (uint32_t i = 0; old && i <= mask; i++) {
		if (!old[i].number)
			continue;
		slot = old[i].hash & walk->mask;
		while (walk->slots[slot].number)
			slot = (slot + 1) & walk->mask;
		walk->slots[slot] = old[i];
	}
	perun_free(old);
}

/* The number of an edge whose first slot is not its own: found further on, or made. */
static uint32_t find_edge(struct walk *walk, const struct step *step)
{
	uint32_t slot = step->hash & walk->mask;
	struct edge_sums *sums;

	for (; walk->slots[slot].number; slot = (slot + 1) & walk->mask) {
		uint32_t number = walk->slots[slot].number - 1;

		if (walk->slots[slot].hash != step->hash)
			continue;
		sums = edge_at(walk, number);
		if (sums->edge.caller == step->caller && sums->edge.callee == step->callee)
			return number;
	}
	grow_records(&walk->edges, (size_t)walk->edge_count + 1);
	sums = edge_at(walk, walk->edge_count);
	sums->edge = (struct perun_edge){step->caller, step->callee, step->residual, step->inlined};
	walk->slots[slot] = (struct edge_slot){step->hash, ++walk->edge_count};
	grow_edges(walk);
	return walk->edge_count - 1;
}

/*
 * The edges of some stacks, each once a stack. In rounds, so that the processor waits for many places
 * in memory at once: the slots were asked for when the steps were noted, now the records are.
 */
static inline void count_edges(struct walk *walk, size_t weights)
{
	for (size_t i = 0; i < walk->step_count; i++) {
		struct step *step = &walk->steps[i];
		const struct edge_slot *slot = &walk->slots[step->hash & walk->mask];

		step->number = slot->hash == step->hash && slot->number ? slot->number - 1 : 0;
		__builtin_prefetch(edge_at(walk, step->number), 1);
	}
	for (size_t i = 0; i < walk->step_count; i++) {
		const struct step *step = &walk->steps[i];
		uint32_t number = step->number;
		struct edge_sums *sums = edge_at(walk, number);

		if (number >= walk->edge_count || sums->edge.caller != step->caller ||
		    sums->edge.callee != step->callee)
			sums = edge_at(walk, find_edge(walk, step));
		if (sums->stamp == step->stamp)
			continue;
		sums->stamp = step->stamp;
		sums->edge.residual |= step->residual;
		sums->edge.inlined &= step->inlined;
		add_weights(sums->values, step->values, weights);
	}
	walk->step_count = 0;
}

static inline void note_edge(struct walk *walk, const int64_t *values, uint32_t caller,
			     uint32_t callee, bool residual, bool inlined)
{
	uint32_t hash = hash_edge(caller, callee);

	__builtin_prefetch(&walk->slots[hash & walk->mask]);
	PERUN_GROW(walk->steps, walk->step_count, walk->step_capacity);
	walk->steps[walk->step_count++] =
		(struct step){values, caller, callee, hash, 0, walk->stamp, residual, inlined};
}

/* ---- stacks ----------------------------------------------------------------------------------- */

/* From the root to the leaf. Inlined for one weight and for any number of them. */
static inline __attribute__((always_inline)) void
count_stack(struct walk *walk, const perun_id *locations, size_t first, size_t end,
	    const int64_t *values, size_t weights, bool edges)
{
	const uint32_t *node_of_frame = walk->graph->node_of_frame;
	const uint64_t *callees = walk->graph->callees_counted;
	uint32_t parent = NO_NODE, count;
	bool residual = false;

	for (size_t i = end; i-- > first;) {
		const uint32_t *frames = perun_frames_of(walk->frames, locations[i], &count);

		if (walk->frames->count > walk->nodes.capacity)
			grow_nodes(walk, walk->frames->count);
		for (uint32_t k = count; k-- > 0;) {
			uint32_t node = node_of_frame ? node_of_frame[frames[k]] : frames[k];
			struct node_sums *sums;

			if (node == NO_NODE) {
				residual = true;
				continue;
			}
			sums = node_at(walk, node);
			if (sums->stamp != walk->stamp) {
				sums->stamp = walk->stamp;
				add_weights(sums->values, values, weights);
			}
			if (edges && parent != NO_NODE && node != parent &&
			    (!callees || perun_bit(callees, node)))
				note_edge(walk, values, parent, node, residual, k != count - 1);
			parent = node;
			residual = false;
		}
	}
	if (parent != NO_NODE && !(residual && walk->graph->lose_leaves))
		add_weights((int64_t *)walk->flat.data + parent * weights, values, weights);
	if (edges && walk->step_count >= STEPS)
		count_edges(walk, weights);
}

static inline void count_node(struct walk *walk, uint32_t node, int64_t value)
{
	struct node_sums *sums = node_at(walk, node);
	uint64_t more = sums->stamp == walk->stamp ? 0 : (uint64_t)value;

	sums->stamp = walk->stamp;
	sums->values[0] = (int64_t)((uint64_t)sums->values[0] + more);
}

/* The same without edges for one weight: without a branch that is hard to foretell. */
static void count_nodes(struct walk *walk, const perun_id *locations, size_t first, size_t end,
			int64_t value)
{
	uint32_t none = walk->frames->count, leaf = none, count;

	for (size_t i = end; i-- > first;) {
		const struct two_lines *lines = &walk->lines[locations[i]];
		const uint32_t *frames;

		if (lines->outer != NO_NODE) {
			count_node(walk, lines->outer, value);
			count_node(walk, lines->inner, value);
			leaf = lines->inner != none ? lines->inner : lines->outer;
			continue;
		}
		frames = perun_frames_of(walk->frames, locations[i], &count);
		for (uint32_t k = count; k-- > 0;)
			count_node(walk, frames[k], value);
		leaf = count ? frames[0] : leaf;
	}
	add_weights((int64_t *)walk->flat.data + leaf, &value, 1);
}

/* The edges alone, of a part of a graph whose nodes' values are known. */
static void note_stack(struct walk *walk, const perun_id *locations, size_t first, size_t end,
		       const int64_t *values)
{
	const uint32_t *node_of_frame = walk->graph->node_of_frame;
	const uint64_t *callees = walk->graph->callees_counted;
	uint32_t parent = NO_NODE, count;
	bool residual = false;

	for (size_t i = end; i-- > first;) {
		const uint32_t *frames = perun_frames_of(walk->frames, locations[i], &count);

		for (uint32_t k = count; k-- > 0;) {
			uint32_t node = node_of_frame[frames[k]];

			if (node == NO_NODE) {
				residual = true;
				continue;
			}
			if ((!callees || perun_bit(callees, node)) && parent != NO_NODE &&
			    node != parent)
				note_edge(walk, values, parent, node, residual, k != count - 1);
			parent = node;
			residual = false;
		}
	}
}

/* Of some nodes alone: the locations that lead to them, so that other stacks are passed over quickly. */
static uint64_t *find_locations(const struct walk *walk)
{
	const struct perun_callgraph *graph = walk->graph;
	size_t locations = graph->stacks->location_count;
	uint64_t *found;
	uint32_t count;

	if (!graph->callees_counted)
		return NULL;
	found = perun_alloc_zero(locations / 64 + 1, sizeof *found);
	for (size_t i = 0; i < locations; i++) {
		const uint32_t *frames;

		if (walk->frames->of_location[i] == FRAMES_UNKNOWN)
			continue;
		frames = perun_frames_of(walk->frames, (perun_id)i, &count);
		for (uint32_t k = 0; k < count; k++) {
			uint32_t node = graph->node_of_frame[frames[k]];

			if (node != NO_NODE && perun_bit(graph->callees_counted, node))
				found[i / 64] |= UINT64_C(1) << i % 64;
		}
	}
	return found;
}

static bool passes_any(const perun_id *locations, size_t first, size_t end, const uint64_t *found)
{
	for (size_t i = first; i < end; i++) {
		if (perun_bit(found, locations[i]))
			return true;
	}
	return false;
}

static void note_range(struct walk *walk, size_t from, size_t to)
{
	uint64_t *found = find_locations(walk);
	const struct perun_stacks *stacks = walk->graph->stacks;
	size_t first, end, weights = walk->graph->weights;

	for (size_t i = from; i < to; i++) {
		const perun_id *locations;

		if (!perun_stacks_live(stacks, i, &first, &end))
			continue;
		locations = perun_stacks_locations(stacks, (perun_id)i);
		if (found && !passes_any(locations, first, end, found))
			continue;
		walk->stamp++;
		note_stack(walk, locations, first, end, stacks->sums + i * weights);
		if (walk->step_count < STEPS)
			continue;
		if (weights == 1)
			count_edges(walk, 1);
		else
			count_edges(walk, weights);
	}
	perun_free(found);
}

static void count_range(struct walk *walk, size_t from, size_t to)
{
	const struct perun_stacks *stacks = walk->graph->stacks;
	bool edges = !walk->graph->options.no_edges || walk->graph->whole;
	size_t first, end, weights = walk->graph->weights;

	for (size_t i = from; i < to; i++) {
		const perun_id *locations;
		const int64_t *values = stacks->sums + i * weights;

		if (!perun_stacks_live(stacks, i, &first, &end))
			continue;
		walk->stamp++;
		locations = perun_stacks_locations(stacks, (perun_id)i);
		if (walk->lines)
			count_nodes(walk, locations, first, end, *values);
		else if (weights == 1 && !edges)
			count_stack(walk, locations, first, end, values, 1, false);
		else if (weights == 1)
			count_stack(walk, locations, first, end, values, 1, true);
		else
			count_stack(walk, locations, first, end, values, weights, edges);
	}
}

/* All weights of records, from byte `offset` of each on, as one array a weight. */
static int64_t *by_weight(const struct records *records, size_t offset, size_t count,
			  size_t weights)
{
	int64_t *result = perun_alloc_zero(count * weights + 1, sizeof *result);

	for (size_t i = 0; records->data && i < count; i++) {
		const char *record = records->data + i * records->size + offset;

		for (size_t w = 0; w < weights; w++)
			memcpy(&result[w * count + i], record + w * sizeof *result, sizeof *result);
	}
	return result;
}

static void finish(struct walk *walk)
{
	struct perun_callgraph *graph = walk->graph;
	size_t weights = graph->weights, values = offsetof(struct node_sums, values);

	if (!graph->node_of_frame) {
		graph->nodes = walk->frames->frames;
		graph->count = walk->frames->count;
	}
	if (!graph->edges_alone)
		grow_nodes(walk, graph->count);
	graph->cumulative = by_weight(&walk->nodes, values, graph->count, weights);
	graph->flat = by_weight(&walk->flat, 0, graph->count, weights);
	perun_free(walk->nodes.data);
	perun_free(walk->flat.data);
	perun_free(walk->slots);
	perun_free(walk->steps);
	graph->edge_count = walk->edge_count;
	graph->edges = perun_alloc(((size_t)walk->edge_count + 1) * sizeof *graph->edges);
	for (uint32_t i = 0; i < walk->edge_count; i++)
		graph->edges[i] = edge_at(walk, i)->edge;
	graph->edge_values = by_weight(&walk->edges, offsetof(struct edge_sums, values),
				       walk->edge_count, weights);
	perun_free(walk->edges.data);
}

static void add_call(void *data, uint32_t caller, uint32_t callee, const int64_t *values)
{
	struct walk *walk = data;

	walk->stamp++;
	if (caller == callee)
		return;
	note_edge(walk, values, caller, callee, false, false);
	count_edges(walk, walk->graph->weights);
}

/* ---- on several threads ------------------------------------------------------------------------ */

/* From this many stacks on. */
enum { PARALLEL_STACKS = 65536 };

static void open_walk(struct walk *walk, struct perun_callgraph *graph)
{
	size_t weights = graph->weights;

	*walk = (struct walk){.graph = graph};
	walk->frames = graph->whole ? (struct perun_frames *)&graph->whole->frames : &graph->frames;
	walk->nodes.size = sizeof(struct node_sums) + weights * sizeof(int64_t);
	walk->flat.size = weights * sizeof(int64_t);
	walk->edges.size = sizeof(struct edge_sums) + weights * sizeof(int64_t);
	grow_records(&walk->edges, 64);
	grow_edges(walk);
}

static void walk_range(struct walk *walk, size_t from, size_t to)
{
	if (walk->graph->edges_alone)
		note_range(walk, from, to);
	else
		count_range(walk, from, to);
	count_edges(walk, walk->graph->weights);
}

/* The locations that a range of stacks meets, in the order of their first time. */
struct met {
	perun_id *locations;
	size_t count, room;
};

struct parts {
	struct perun_callgraph *graph;
	struct walk *walks;
	struct met *met;
	size_t count;
};

static void meet(const struct perun_stacks *stacks, size_t from, size_t to, struct met *met)
{
	uint64_t *known = perun_alloc_zero(stacks->location_count / 64 + 1, sizeof *known);
	size_t first, end;

	for (size_t i = from; i < to; i++) {
		const perun_id *locations;

		if (!perun_stacks_live(stacks, i, &first, &end))
			continue;
		locations = perun_stacks_locations(stacks, (perun_id)i);
		while (end-- > first) {
			perun_id location = locations[end];

			if (perun_bit(known, location))
				continue;
			known[location / 64] |= UINT64_C(1) << location % 64;
			PERUN_GROW(met->locations, met->count, met->room);
			met->locations[met->count++] = location;
		}
	}
	perun_free(known);
}

static int meet_part(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct parts *parts = data;
	size_t stacks = parts->graph->stacks->stack_count;

	(void)ctx;
	meet(parts->graph->stacks, stacks * i / parts->count, stacks * (i + 1) / parts->count,
	     &parts->met[i]);
	return PERUN_OK;
}

/* Number all frames before, in the order in which one thread would meet them. */
static void resolve_frames(struct parts *parts, struct perun_frames *frames)
{
	parts->met = perun_alloc_zero(parts->count, sizeof *parts->met);
	perun_parallel_for(NULL, parts->count, meet_part, parts);
	for (size_t i = 0; i < parts->count; i++) {
		for (size_t k = 0; k < parts->met[i].count; k++) {
			perun_id location = parts->met[i].locations[k];

			if (frames->of_location[location] == FRAMES_UNKNOWN)
				perun_frames_resolve(frames, location);
		}
		perun_free(parts->met[i].locations);
	}
	perun_free(parts->met);
}

static struct two_lines *find_lines(struct perun_frames *frames)
{
	size_t locations = frames->stacks->location_count;
	struct two_lines *lines = perun_alloc((locations + 1) * sizeof *lines);

	for (size_t i = 0; i < locations; i++) {
		const uint32_t *list;
		uint32_t count;

		lines[i] = (struct two_lines){NO_NODE, frames->count};
		if (frames->of_location[i] == FRAMES_UNKNOWN)
			continue;
		list = perun_frames_of(frames, (perun_id)i, &count);
		if (count == 0 || count > 2)
			continue;
		lines[i].outer = list[count - 1];
		if (count == 2)
			lines[i].inner = list[0];
	}
	return lines;
}

static int walk_part(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct parts *parts = data;
	size_t stacks = parts->walks[i].graph->stacks->stack_count;

	(void)ctx;
	walk_range(&parts->walks[i], stacks * i / parts->count, stacks * (i + 1) / parts->count);
	return PERUN_OK;
}

/* Add a part to those before it, so that edges are in the order of one thread; frees it. */
static void join_walk(struct walk *to, struct walk *part)
{
	size_t weights = to->graph->weights;

	grow_nodes(to, part->nodes.capacity);
	for (uint32_t i = 0; i < part->nodes.capacity; i++) {
		add_weights(node_at(to, i)->values, node_at(part, i)->values, weights);
		add_weights((int64_t *)to->flat.data + i * weights,
			    (int64_t *)part->flat.data + i * weights, weights);
	}
	for (uint32_t i = 0; i < part->edge_count; i++) {
		const struct edge_sums *from = edge_at(part, i);
		struct step step = {.caller = from->edge.caller,
				    .callee = from->edge.callee,
				    .hash = hash_edge(from->edge.caller, from->edge.callee),
				    .residual = from->edge.residual,
				    .inlined = from->edge.inlined};
		struct edge_sums *sums = edge_at(to, find_edge(to, &step));

		sums->edge.residual |= step.residual;
		sums->edge.inlined &= step.inlined;
		add_weights(sums->values, from->values, weights);
	}
	perun_free(part->nodes.data);
	perun_free(part->flat.data);
	perun_free(part->edges.data);
	perun_free(part->slots);
	perun_free(part->steps);
}

static void walk_in_parts(struct walk *walk, size_t count)
{
	struct perun_callgraph *graph = walk->graph;
	struct parts parts = {.graph = graph, .count = count};
	struct two_lines *lines = NULL;

	if (!graph->whole)
		resolve_frames(&parts, walk->frames);
	if (!graph->whole && graph->options.no_edges && graph->weights == 1)
		lines = find_lines(walk->frames);
	parts.walks = perun_alloc(count * sizeof *parts.walks);
	for (size_t i = 0; i < count; i++) {
		if (i == 0)
			parts.walks[i] = *walk;
		else
			open_walk(&parts.walks[i], graph);
		parts.walks[i].lines = lines;
		if (lines)
			grow_nodes(&parts.walks[i], (size_t)walk->frames->count + 1);
	}
	perun_parallel_for(NULL, count, walk_part, &parts);
	*walk = parts.walks[0];
	for (size_t i = 1; i < count; i++)
		join_walk(walk, &parts.walks[i]);
	perun_free(lines);
	perun_free(parts.walks);
}

void perun_callgraph_walk(struct perun_callgraph *graph)
{
	const struct perun_stacks *stacks = graph->stacks;
	size_t threads = perun_thread_count(8);
	struct walk walk;

	open_walk(&walk, graph);
	if (threads > 1 && stacks->stack_count >= PARALLEL_STACKS)
		walk_in_parts(&walk, threads);
	else
		walk_range(&walk, 0, stacks->stack_count);
	if (stacks->calls) /* their edges are needed for cumulative values */
		perun_callgraph_each_call(graph, walk.frames, add_call, &walk);
	finish(&walk);
}
