/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding up the values of nodes and edges, path by path. */
#include <stdlib.h>
#include <string.h>

#include "core/callgraph/graph.h"
#include "core/context/context.h"
#include "core/context/hash.h"
#include "core/profile/slots.h"

/*
 * Paths come one below the other, so that one path is at hand at a time, each of its steps with its node and the edge that
 * leads to it. What a path weighs counts for a node or an edge that is not above it already: as a stack counts once,
 * however often it meets them.
 */

/* An edge while it is summed. */
struct edge_sums {
	struct perun_edge edge;
	uint32_t on_path; /* how often */
	uint64_t met;     /* where the stacks meet it first */
	int64_t values[];
};

/* A node while it is summed: what is asked and what is added lie together. */
struct node_sums {
	uint64_t on_path; /* how often */
	int64_t cumulative[];
};

#define NO_EDGE UINT32_MAX

/* A frame of the path at hand whose node is kept. */
struct step {
	uint32_t node, edge;
};

/* An edge of a stack whose turn comes soon: what is known of it is fetched from memory meanwhile. */
struct next_edge {
	struct perun_edge edge;
	uint32_t stamp;
	const int64_t *values;
};
enum { EDGES_AT_ONCE = 64 };

/* How the path at hand ends, above a location. */
struct level {
	size_t steps;
	uint32_t node; /* the innermost, or NO_NODE */
	bool residual; /* frames follow it that are not kept */
};

struct walk {
	struct perun_callgraph *graph;
	struct perun_frames *frames;
	char *nodes;
	size_t node_size, node_count;
	int64_t *flat; /* of nodes, all weights side by side */
	char *edges;
	size_t edge_size, edge_capacity;
	uint32_t edge_count;
	struct perun_slot *slots; /* of the edges, by their ends */
	uint32_t mask;
	uint64_t paths_before; /* of earlier parts of the stacks */
	struct step *steps;
	size_t step_count, step_capacity;
	struct level *levels; /* by depth */
	size_t level_capacity;
	struct next_edge next_edges[EDGES_AT_ONCE];
	size_t next_edge_count;
};

static inline struct edge_sums *edge_at(const struct walk *walk, uint32_t edge)
{
	return (struct edge_sums *)(walk->edges + edge * walk->edge_size);
}

static inline struct node_sums *node_at(const struct walk *walk, uint32_t node)
{
	return (struct node_sums *)(walk->nodes + node * walk->node_size);
}

static inline void take_weights(int64_t *from, const int64_t *values, size_t weights)
{
	for (size_t i = 0; i < weights; i++)
		from[i] = (int64_t)((uint64_t)from[i] - (uint64_t)values[i]);
}

/* ---- edges ------------------------------------------------------------------------------------ */

static inline uint32_t hash_edge(uint32_t caller, uint32_t callee)
{
	return (uint32_t)(((uint64_t)caller << 32 | callee) * perun_hash_odd >> 32);
}

static void grow_slots(struct walk *walk)
{
	perun_slots_reserve(&walk->slots, &walk->mask, (uint64_t)walk->edge_count + 1);
}

static uint32_t add_edge(struct walk *walk, const struct perun_edge *edge, uint32_t hash)
{
	grow_slots(walk);
	if (walk->edge_count == walk->edge_capacity) {
		walk->edge_capacity = walk->edge_capacity ? walk->edge_capacity * 2 : 64;
		walk->edges =
			perun_realloc_array(walk->edges, walk->edge_capacity, walk->edge_size);
	}
	memset(edge_at(walk, walk->edge_count), 0, walk->edge_size);
	edge_at(walk, walk->edge_count)->edge = *edge;
	edge_at(walk, walk->edge_count)->met = UINT64_MAX;
	perun_slots_occupy(walk->slots, walk->mask,
			   (struct perun_slot){hash, walk->edge_count + 1});
	return walk->edge_count++;
}

/* The number of the edge with the same ends. */
static inline uint32_t find_edge(struct walk *walk, const struct perun_edge *edge)
{
	uint32_t hash = hash_edge(edge->caller, edge->callee), slot = hash & walk->mask;

	for (; walk->slots[slot].number; slot = (slot + 1) & walk->mask) {
		uint32_t number = walk->slots[slot].number - 1;
		const struct edge_sums *sums = edge_at(walk, number);

		if (walk->slots[slot].hash == hash && sums->edge.caller == edge->caller &&
		    sums->edge.callee == edge->callee)
			return number;
	}
	return add_edge(walk, edge, hash);
}

/* An edge of the path at hand; `met`: where that is, in the order of the stacks. Returns its number. */
static inline uint32_t enter_edge(struct walk *walk, const struct perun_edge *edge, uint64_t met,
				  const int64_t *values, size_t weights)
{
	uint32_t number = find_edge(walk, edge);
	struct edge_sums *sums = edge_at(walk, number);

	if (met < sums->met)
		sums->met = met;
	if (sums->on_path++)
		return number;
	sums->edge.residual |= edge->residual;
	sums->edge.inlined &= edge->inlined;
	perun_add_weights(sums->values, values, weights);
	return number;
}

/* ---- nodes ------------------------------------------------------------------------------------ */

static void grow_nodes(struct walk *walk, size_t count)
{
	size_t old = walk->node_count, weights = walk->graph->weights;

	if (walk->nodes && count <= old)
		return;
	walk->nodes = perun_realloc_array(walk->nodes, count + 1, walk->node_size);
	walk->flat = perun_realloc_array(walk->flat, count * weights + 1, sizeof(int64_t));
	memset(walk->nodes + old * walk->node_size, 0, (count + 1 - old) * walk->node_size);
	memset(walk->flat + old * weights, 0, ((count - old) * weights + 1) * sizeof(int64_t));
	walk->node_count = count;
}

/* ---- a walk ------------------------------------------------------------------------------------ */

static void begin_walk(struct perun_callgraph *graph, struct walk *walk)
{
	*walk = (struct walk){.graph = graph};
	walk->frames = graph->whole ? (struct perun_frames *)&graph->whole->frames : &graph->frames;
	walk->node_size = sizeof(struct node_sums) + graph->weights * sizeof(int64_t);
	walk->edge_size = sizeof(struct edge_sums) + graph->weights * sizeof(int64_t);
	walk->level_capacity = 64;
	walk->levels = perun_alloc(walk->level_capacity * sizeof *walk->levels);
	walk->levels[0] = (struct level){.node = NO_NODE};
	grow_slots(walk);
}

/* All but the graph has it. */
static void end_walk(struct walk *walk)
{
	perun_free(walk->edges);
	perun_free(walk->slots);
	perun_free(walk->nodes);
	perun_free(walk->steps);
	perun_free(walk->levels);
}

/* ---- paths ------------------------------------------------------------------------------------ */

/* Take back the steps of the path at hand that are not above this depth. */
static inline const struct level *leave(struct walk *walk, uint32_t depth)
{
	const struct level *level = &walk->levels[depth];

	while (walk->step_count > level->steps) {
		const struct step *step = &walk->steps[--walk->step_count];

		node_at(walk, step->node)->on_path--;
		if (step->edge != NO_EDGE)
			edge_at(walk, step->edge)->on_path--;
	}
	return level;
}

static inline void push_step(struct walk *walk, uint32_t node, uint32_t edge)
{
	node_at(walk, node)->on_path++;
	PERUN_GROW(walk->steps, walk->step_count, walk->step_capacity);
	walk->steps[walk->step_count++] = (struct step){node, edge};
}

static inline bool loses(const struct walk *walk, const struct level *level)
{
	return level->node == NO_NODE || (level->residual && walk->graph->lose_leaves);
}

/* What goes on from the end of a path belongs to the frame that it goes on with. */
static inline void move_flat(struct walk *walk, const struct level *above,
			     const struct level *below, const int64_t *values, size_t weights)
{
	if (!loses(walk, above))
		take_weights(walk->flat + above->node * weights, values, weights);
	if (!loses(walk, below))
		perun_add_weights(walk->flat + below->node * weights, values, weights);
}

/* Inlined for one weight and for any number of them, with and without edges. */
static inline __attribute__((always_inline)) void enter_path(struct walk *walk,
							     const struct perun_path *path,
							     const int64_t *values, size_t weights,
							     bool nodes, bool edges)
{
	const uint32_t *node_of_frame = walk->graph->node_of_frame;
	const uint64_t *callees = walk->graph->callees_counted;
	const struct level *above = leave(walk, path->depth);
	struct level below = *above;
	uint64_t met = (walk->paths_before + path->met) << 24;
	uint32_t count;
	const uint32_t *frames = perun_frames_of(walk->frames, path->location, &count);

	for (uint32_t k = count; k-- > 0; met++) {
		uint32_t node = node_of_frame ? node_of_frame[frames[k]] : frames[k];
		uint32_t edge = NO_EDGE;

		if (node == NO_NODE) {
			below.residual = true;
			continue;
		}
		if (nodes && !node_at(walk, node)->on_path)
			perun_add_weights(node_at(walk, node)->cumulative, values, weights);
		if (edges && below.node != NO_NODE && node != below.node &&
		    (!callees || perun_bit(callees, node)))
			edge = enter_edge(walk,
					  &(struct perun_edge){below.node, node, below.residual,
							       k != count - 1},
					  met, values, weights);
		push_step(walk, node, edge);
		below.node = node;
		below.residual = false;
	}
	if (nodes)
		move_flat(walk, above, &below, values, weights);
	if (path->depth + (size_t)2 > walk->level_capacity) {
		walk->level_capacity = 2 * (path->depth + (size_t)2);
		walk->levels = perun_realloc_array(walk->levels, walk->level_capacity,
						   sizeof *walk->levels);
	}
	walk->levels[path->depth + 1] = below;
	walk->levels[path->depth + 1].steps = walk->step_count;
}

static void enter_paths(struct walk *walk, const struct perun_paths *paths)
{
	size_t weights = walk->graph->weights;
	bool edges = !walk->graph->options.no_edges || walk->graph->whole;

	for (uint32_t i = 0; i < paths->count; i++) {
		const struct perun_path *path = &paths->items[i];
		const int64_t *values = paths->sums + i * weights;

		if (walk->graph->edges_alone && weights == 1)
			enter_path(walk, path, values, 1, false, true);
		else if (walk->graph->edges_alone)
			enter_path(walk, path, values, weights, false, true);
		else if (weights == 1 && !edges)
			enter_path(walk, path, values, 1, true, false);
		else if (weights == 1)
			enter_path(walk, path, values, 1, true, true);
		else
			enter_path(walk, path, values, weights, true, edges);
	}
	leave(walk, 0);
	walk->paths_before += paths->count;
}

/* ---- stacks that have little in common --------------------------------------------------------- */

/* `on_path` of a node or an edge is the number + 1 of the last stack that was counted for it. */
static void meet_edge(struct walk *walk, const struct next_edge *next, size_t weights)
{
	struct edge_sums *sums = edge_at(walk, find_edge(walk, &next->edge));

	if (sums->met == UINT64_MAX)
		sums->met = walk->edge_count;
	if (sums->on_path == next->stamp)
		return;
	sums->on_path = next->stamp;
	sums->edge.residual |= next->edge.residual;
	sums->edge.inlined &= next->edge.inlined;
	perun_add_weights(sums->values, next->values, weights);
}

static inline const struct perun_slot *slot_of(const struct walk *walk,
					       const struct perun_edge *edge)
{
	return &walk->slots[hash_edge(edge->caller, edge->callee) & walk->mask];
}

static void meet_edges(struct walk *walk)
{
	for (size_t i = 0; i < walk->next_edge_count; i++) {
		uint32_t number = slot_of(walk, &walk->next_edges[i].edge)->number;

		if (number)
			__builtin_prefetch(edge_at(walk, number - 1));
	}
	for (size_t i = 0; i < walk->next_edge_count; i++)
		meet_edge(walk, &walk->next_edges[i], walk->graph->weights);
	walk->next_edge_count = 0;
}

static inline void add_next_edge(struct walk *walk, const struct perun_edge *edge, uint32_t stamp,
				 const int64_t *values)
{
	if (walk->next_edge_count == EDGES_AT_ONCE)
		meet_edges(walk);
	__builtin_prefetch(slot_of(walk, edge));
	walk->next_edges[walk->next_edge_count++] = (struct next_edge){*edge, stamp, values};
}

/*
 * The frames of all locations, as those of struct perun_frames lie, with nodes in place of frames: what a stack meets
 * is one look away.
 */
struct lines {
	const uint32_t *of_location, *lists;
	uint32_t *own_of_location, *own_lists; /* NULL: nodes are frames */
};
#define LINE_UNCOUNTED (UINT32_C(1) << 30)  /* nobody asks for edges to it */
#define LINE_NONE      (LINE_UNCOUNTED - 1) /* not kept */

static uint32_t line_of_frame(const struct perun_callgraph *graph, uint32_t frame)
{
	uint32_t node = graph->node_of_frame[frame];

	if (node == NO_NODE)
		return LINE_NONE;
	return graph->callees_counted && !perun_bit(graph->callees_counted, node)
		       ? node | LINE_UNCOUNTED
		       : node;
}

/* Once all locations have their frames. */
static void make_lines(struct lines *lines, const struct walk *walk)
{
	const struct perun_frames *frames = walk->frames;
	const struct perun_callgraph *graph = walk->graph;
	size_t locations = graph->stacks->location_count;

	*lines = (struct lines){frames->of_location, frames->lists, NULL, NULL};
	if (!graph->node_of_frame)
		return;
	lines->own_of_location = perun_alloc((locations + 1) * sizeof(uint32_t));
	lines->own_lists = perun_alloc((frames->list_count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < locations; i++) {
		uint32_t at = frames->of_location[i];

		lines->own_of_location[i] = at < FRAMES_MANY ? line_of_frame(graph, at) : at;
	}
	for (size_t at = 0, count; at < frames->list_count; at += count) {
		count = lines->own_lists[at] = frames->lists[at];
		at++;
		for (size_t k = 0; k < count; k++)
			lines->own_lists[at + k] = line_of_frame(graph, frames->lists[at + k]);
	}
	lines->of_location = lines->own_of_location;
	lines->lists = lines->own_lists;
}

static void free_lines(struct lines *lines)
{
	perun_free(lines->own_of_location);
	perun_free(lines->own_lists);
}

static inline void meet_node(struct walk *walk, uint32_t node, uint32_t stamp,
			     const int64_t *values, size_t weights)
{
	struct node_sums *sums = node_at(walk, node);

	if (sums->on_path == stamp)
		return;
	sums->on_path = stamp;
	perun_add_weights(sums->cumulative, values, weights);
}

/* Locations [0, length), the leaf first. As enter_path() is inlined. */
static inline __attribute__((always_inline)) void
enter_stack(struct walk *walk, const struct lines *lines, const perun_id *locations, size_t length,
	    uint32_t stamp, const int64_t *values, size_t weights, bool nodes, bool edges)
{
	struct level end = {.node = NO_NODE};
	uint32_t count;

	while (length-- > 0) {
		const uint32_t *line = perun_frames_in(lines->of_location, lines->lists,
						       locations[length], &count);

		for (uint32_t k = count; k-- > 0;) {
			uint32_t node = line[k] & ~LINE_UNCOUNTED;

			if (node == LINE_NONE) {
				end.residual = true;
				continue;
			}
			if (nodes)
				meet_node(walk, node, stamp, values, weights);
			if (edges && !(line[k] & LINE_UNCOUNTED) && end.node != NO_NODE &&
			    node != end.node)
				add_next_edge(walk,
					      &(struct perun_edge){end.node, node, end.residual,
								   k != count - 1},
					      stamp, values);
			end = (struct level){.node = node};
		}
	}
	if (nodes && !loses(walk, &end))
		perun_add_weights(walk->flat + end.node * weights, values, weights);
}

/* The stacks [from, to). */
static void enter_some(struct walk *walk, const struct lines *lines, uint32_t from, uint32_t to)
{
	const struct perun_stacks *stacks = walk->graph->stacks;
	size_t weights = walk->graph->weights, length;
	bool edges = !walk->graph->options.no_edges || walk->graph->whole;
	bool nodes = !walk->graph->edges_alone;

	grow_nodes(walk, walk->graph->node_of_frame ? walk->graph->count : walk->frames->count);
	for (uint32_t i = from; i < to; i++) {
		const perun_id *locations = perun_stacks_live_locations(stacks, i, &length);
		const int64_t *values = stacks->sums + i * weights;

		if (!locations)
			continue;
		if (weights == 1 && nodes && !edges)
			enter_stack(walk, lines, locations, length, i + 1, values, 1, true, false);
		else if (weights == 1 && nodes)
			enter_stack(walk, lines, locations, length, i + 1, values, 1, true, true);
		else
			enter_stack(walk, lines, locations, length, i + 1, values, weights, nodes,
				    edges);
	}
	meet_edges(walk);
}

/* Threads that share the stacks, each with sums of its own. */
enum { STACK_PARTS = 2 };

struct stack_part {
	struct walk *walk;
	const struct lines *lines; /* all of them; NULL while they are made */
	uint32_t from, to;
	perun_id *locations; /* without frames yet, in the order in which its stacks meet them */
	size_t count, capacity;
};

static int enter_part(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct stack_part *part = (struct stack_part *)data + i;

	(void)ctx;
	enter_some(part->walk, part->lines, part->from, part->to);
	return PERUN_OK;
}

static void list_new(struct stack_part *part, uint64_t *listed, const perun_id *locations,
		     size_t count)
{
	const struct perun_frames *frames = part->walk->frames;

	while (count-- > 0) {
		perun_id location = locations[count];

		if (perun_bit(listed, location))
			continue;
		listed[location / 64] |= UINT64_C(1) << location % 64;
		if (frames->of_location[location] != FRAMES_UNKNOWN)
			continue;
		PERUN_GROW(part->locations, part->count, part->capacity);
		part->locations[part->count++] = location;
	}
}

static int list_locations(struct perun_ctx *ctx, size_t i, void *data)
{
	struct stack_part *part = (struct stack_part *)data + i;
	const struct perun_stacks *stacks = part->walk->graph->stacks;
	uint64_t *listed = perun_alloc_zero(stacks->location_count / 64 + 1, sizeof *listed);
	size_t length;

	(void)ctx;
	for (uint32_t k = part->from; k < part->to; k++) {
		const perun_id *locations = perun_stacks_live_locations(stacks, k, &length);

		if (locations)
			list_new(part, listed, locations, length);
	}
	perun_free(listed);
	return PERUN_OK;
}

/* Frames are numbered in the order in which all stacks meet them. */
static void number_frames(struct stack_part *parts, size_t count)
{
	struct perun_frames *frames = parts->walk->frames;

	perun_parallel_for(NULL, count, list_locations, parts);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < parts[i].count; k++) {
			if (frames->of_location[parts[i].locations[k]] == FRAMES_UNKNOWN)
				perun_frames_resolve(frames, parts[i].locations[k]);
		}
		perun_free(parts[i].locations);
	}
}

/* What stacks after all others have met. */
static void take_part(struct walk *walk, const struct walk *part)
{
	size_t weights = walk->graph->weights;

	for (uint32_t i = 0; i < part->node_count; i++)
		perun_add_weights(node_at(walk, i)->cumulative, node_at(part, i)->cumulative,
				  weights);
	perun_add_weights(walk->flat, part->flat, part->node_count * weights);
	for (uint32_t i = 0; i < part->edge_count; i++) {
		const struct edge_sums *from = edge_at(part, i);
		struct edge_sums *sums = edge_at(walk, find_edge(walk, &from->edge));

		if (sums->met == UINT64_MAX)
			sums->met = walk->edge_count;
		sums->edge.residual |= from->edge.residual;
		sums->edge.inlined &= from->edge.inlined;
		perun_add_weights(sums->values, from->values, weights);
	}
}

static void enter_stacks(struct walk *walk)
{
	uint64_t stacks = walk->graph->stacks->stack_count;
	struct stack_part parts[STACK_PARTS] = {{.walk = walk}};
	struct walk others[STACK_PARTS];
	struct lines lines;
	size_t count = perun_thread_count(STACK_PARTS);

	for (size_t i = 0; i < count; i++) {
		parts[i].from = (uint32_t)(stacks * i / count);
		parts[i].to = (uint32_t)(stacks * (i + 1) / count);
		if (i == 0)
			continue;
		begin_walk(walk->graph, &others[i]);
		parts[i].walk = &others[i];
	}
	number_frames(parts, count);
	make_lines(&lines, walk);
	for (size_t i = 0; i < count; i++)
		parts[i].lines = &lines;
	perun_parallel_for(NULL, count, enter_part, parts);
	free_lines(&lines);
	for (size_t i = 1; i < count; i++) {
		take_part(walk, parts[i].walk);
		perun_free(parts[i].walk->flat);
		end_walk(parts[i].walk);
	}
	for (uint32_t i = 0; i < walk->node_count; i++)
		node_at(walk, i)->on_path = 0;
	for (uint32_t i = 0; i < walk->edge_count; i++)
		edge_at(walk, i)->on_path = 0;
	walk->paths_before = walk->edge_count; /* what is met from now on comes later */
}

/* ---- the graph -------------------------------------------------------------------------------- */

/* Frames have their numbers in the order in which the stacks meet them. */
static void walk_paths(struct walk *walk, const struct perun_paths *paths)
{
	for (size_t i = 0; i < paths->location_count; i++) {
		if (walk->frames->of_location[paths->locations[i]] == FRAMES_UNKNOWN)
			perun_frames_resolve(walk->frames, paths->locations[i]);
	}
	grow_nodes(walk, walk->graph->node_of_frame ? walk->graph->count : walk->frames->count);
	enter_paths(walk, paths);
}

static void walk_stacks(struct walk *walk)
{
	const struct perun_stacks *stacks = walk->graph->stacks;
	const struct perun_paths *all;
	struct perun_paths parts[PERUN_PATH_PARTS];
	size_t first = 0;

	if (perun_stacks_are_apart(stacks)) {
		enter_stacks(walk);
		return;
	}
	all = perun_paths_of(stacks);
	for (size_t i = 0; i < PERUN_PATH_PARTS && all; i++)
		walk_paths(walk, &all[i]);
	while (!all && first < stacks->stack_count) {
		first = perun_paths_gather_parts(parts, stacks, first);
		for (size_t i = 0; i < PERUN_PATH_PARTS; i++) {
			walk_paths(walk, &parts[i]);
			perun_paths_clear(&parts[i]);
		}
	}
}

/* An edge by the place where it is met. */
struct met_edge {
	uint64_t met;
	uint32_t number;
};

static int compare_met(const void *a, const void *b)
{
	const struct met_edge *x = a, *y = b;

	return x->met < y->met ? -1 : x->met > y->met;
}

/* One array a weight: of what nodes have themselves, and of all. */
static void finish_nodes(struct walk *walk)
{
	struct perun_callgraph *graph = walk->graph;
	size_t weights = graph->weights, count = graph->count;

	graph->cumulative = perun_alloc_zero(count * weights + 1, sizeof(int64_t));
	graph->flat = perun_alloc_zero(count * weights + 1, sizeof(int64_t));
	for (uint32_t i = 0; i < count; i++) {
		for (size_t w = 0; w < weights; w++) {
			graph->cumulative[w * count + i] = node_at(walk, i)->cumulative[w];
			graph->flat[w * count + i] = walk->flat[i * weights + w];
		}
	}
	perun_free(walk->flat);
}

/* In the order in which the stacks meet them, unless only sums of some are asked for. */
static void finish_edges(struct walk *walk)
{
	struct perun_callgraph *graph = walk->graph;
	size_t weights = graph->weights, count = walk->edge_count;
	struct met_edge *order = perun_alloc((count + 1) * sizeof *order);

	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct met_edge){edge_at(walk, i)->met, i};
	if (!graph->callees_counted)
		qsort(order, count, sizeof *order, compare_met);
	graph->edge_count = walk->edge_count;
	graph->edges = perun_alloc((count + 1) * sizeof *graph->edges);
	graph->edge_values = perun_alloc_zero(count * weights + 1, sizeof(int64_t));
	for (size_t i = 0; i < count; i++) {
		const struct edge_sums *sums = edge_at(walk, order[i].number);

		graph->edges[i] = sums->edge;
		for (size_t w = 0; w < weights; w++)
			graph->edge_values[w * count + i] = sums->values[w];
	}
	perun_free(order);
}

static void finish(struct walk *walk)
{
	struct perun_callgraph *graph = walk->graph;

	if (!graph->node_of_frame) {
		graph->nodes = walk->frames->frames;
		graph->count = walk->frames->count;
	}
	grow_nodes(walk, graph->count);
	finish_nodes(walk);
	finish_edges(walk);
	end_walk(walk);
}

static void add_call(void *data, uint32_t caller, uint32_t callee, const int64_t *values)
{
	struct walk *walk = data;
	struct perun_edge edge = {.caller = caller, .callee = callee};

	if (caller == callee)
		return;
	edge_at(walk,
		enter_edge(walk, &edge, walk->paths_before++ << 24, values, walk->graph->weights))
		->on_path--;
}

void perun_callgraph_walk(struct perun_callgraph *graph)
{
	struct walk walk;

	begin_walk(graph, &walk);
	walk_stacks(&walk);
	if (graph->stacks->calls) /* their edges are needed for cumulative values */
		perun_callgraph_each_call(graph, walk.frames, add_call, &walk);
	finish(&walk);
}
