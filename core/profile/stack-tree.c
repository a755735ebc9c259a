/* SPDX-License-Identifier: BSD-3-Clause */
/* Many stacks that begin alike: a tree of their paths. */
#include <string.h>

#include "core/context/context.h"
#include "core/context/hash.h"
#include "core/context/compact-slots.h"
#include "core/profile/stack-tree.h"

/* Bytes of a large list. */
enum { LARGE = 1 << 23 };

/*
 * Stacks that were added lately, as arrays, each with PERUN_NO_ID after its root: most go on from one of these, and to compare
 * an array takes a fraction of the time that a walk through the tree takes.
 */
enum { RECENT = 1 << 20 };

/* Of a node. */
struct mark {
	uint32_t stack; /* the one that ends there + 1 */
	/* Where its path was written, as `recent_end` counts; 0: nowhere. */
	uint32_t recent;
};

/*
 * Nodes are found by the upper half of the hash of their path, where stacks come as arrays: most of a stack is found by
 * looking once or twice. Where each location comes with the path that calls it, by the hash of these two; a location that
 * no node has is not looked for, and meanwhile the table alone says what stacks there are.
 */
struct perun_stack_table {
	struct perun_slot *slots;
	struct perun_compact_slots steps;
	bool by_steps;
	uint32_t hashed;         /* nodes before this one have their slots in `steps` */
	uint32_t kept;           /* stacks before this one have their ends */
	uint64_t locations_used; /* one more than the highest */
	uint64_t first_used;     /* the same of those that paths begin with */
	uint32_t mask;
	struct mark *marks; /* NULL: `by_steps` */
	uint16_t *lengths;  /* of paths, by steps; as of stacks */
	uint32_t *
		stacks; /* of nodes, + 1, by steps; NULL: the first nodes have those of the same number */
	size_t capacity; /* of these */
	uint32_t empty;  /* the stack without locations + 1 */
	perun_id *recent;
	uint32_t recent_end; /* locations that were written, RECENT at first */
	uint64_t *hashes;    /* of the paths of some stacks */
	size_t hash_count, hash_capacity;
};

/* ---- owners ------------------------------------------------------------------------------------ */

uint32_t perun_stack_tree_long(const struct perun_stack_path *nodes, uint32_t node)
{
	uint32_t length = 0;

	for (; node != PERUN_NO_NODE; node = nodes[node].caller)
		length++;
	return length;
}

static inline uint16_t kept_length(uint32_t length)
{
	return length < PERUN_LONG_STACK ? (uint16_t)length : PERUN_LONG_STACK;
}

/* Room for these with a list of their ends; those before this keep theirs. */
static void resize_stacks(struct perun_stack_tree *tree, uint32_t capacity)
{
	const bool list = !tree->ends;

	tree->capacity = capacity;
	tree->ends = perun_realloc_array(tree->ends, capacity, sizeof *tree->ends);
	tree->lengths = perun_realloc_array(tree->lengths, capacity, sizeof *tree->lengths);
	for (uint32_t i = 0; list && i < tree->count && i < capacity; i++)
		tree->ends[i] = i;
}

/* Stacks of which only the table says where they end. */
static void end_stacks(struct perun_stack_tree *tree)
{
	struct perun_stack_table *table = tree->table;

	if (!table->stacks) {
		perun_free(tree->lengths);
		tree->lengths =
			perun_realloc_array(table->lengths, tree->count, sizeof *tree->lengths);
		tree->capacity = tree->count;
		table->lengths = NULL;
		return;
	}
	resize_stacks(tree, tree->count);
	if (table->empty > table->kept) {
		tree->ends[table->empty - 1] = PERUN_NO_NODE;
		tree->lengths[table->empty - 1] = 0;
	}
	for (uint32_t i = 0; i < tree->node_count; i++) {
		uint32_t stack = table->stacks[i];

		if (stack <= table->kept)
			continue;
		tree->ends[stack - 1] = i;
		tree->lengths[stack - 1] = table->lengths[i];
	}
}

void perun_stack_tree_forget(struct perun_stack_tree *tree)
{
	struct perun_stack_table *table = tree->table;

	if (!table)
		return;
	perun_free(table->slots);
	perun_free(table->steps.at);
	if (table->by_steps && tree->count > table->kept)
		end_stacks(tree);
	perun_free(table->marks);
	perun_free(table->lengths);
	perun_free(table->stacks);
	perun_free(table->recent);
	perun_free(table->hashes);
	perun_free(table);
	tree->table = NULL;
}

struct perun_stack_tree *perun_stack_tree_ref(struct perun_stack_tree *tree)
{
	if (tree)
		atomic_fetch_add_explicit(&tree->refs, 1, memory_order_relaxed);
	return tree;
}

void perun_stack_tree_unref(struct perun_stack_tree *tree)
{
	if (!tree || atomic_fetch_sub_explicit(&tree->refs, 1, memory_order_acq_rel) != 1)
		return;
	perun_stack_arrays_free(tree);
	perun_stack_tree_forget(tree);
	perun_free(tree->nodes);
	perun_free(tree->ends);
	perun_free(tree->lengths);
	perun_free(tree);
}

/* Make the tree ours alone, for changes. */
static struct perun_stack_tree *own(struct perun_stack_tree **shared)
{
	struct perun_stack_tree *from = *shared, *tree;

	if (atomic_load_explicit(&from->refs, memory_order_acquire) == 1) {
		if (from->blocks) /* for each path that is added */
			perun_stack_arrays_free(from);
		return from;
	}
	tree = perun_alloc_zero(1, sizeof *tree);
	atomic_init(&tree->refs, 1);
	tree->from_leaf = from->from_leaf;
	tree->nodes = perun_memdup(from->nodes, from->node_count * sizeof *from->nodes);
	tree->node_count = tree->node_capacity = from->node_count;
	if (from->ends)
		tree->ends = perun_memdup(from->ends, from->count * sizeof *from->ends);
	tree->lengths = perun_memdup(from->lengths, from->count * sizeof *from->lengths);
	tree->count = tree->capacity = from->count;
	tree->checked = from->checked;
	tree->seed = from->seed;
	perun_stack_tree_unref(from);
	*shared = tree;
	return tree;
}

/* ---- paths by their hash ------------------------------------------------------------------------ */

/* What a location adds to the hash of a path at its place, so that none waits for the one before it. */
static inline uint64_t hash_of(uint64_t place, perun_id location)
{
	return perun_hash_mix(place ^ location, PERUN_HASH_1);
}

/* Of all nodes, into the table. */
static void hash_nodes(const struct perun_stack_tree *tree, struct perun_stack_table *table)
{
	uint64_t *hashes = perun_alloc(((size_t)tree->node_count + 1) * sizeof *hashes);
	uint32_t *depths = perun_alloc(((size_t)tree->node_count + 1) * sizeof *depths);

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct perun_stack_path *node = &tree->nodes[i];
		bool root = node->caller == PERUN_NO_NODE;

		depths[i] = root ? 0 : depths[node->caller] + 1;
		hashes[i] = (root ? 0 : hashes[node->caller]) +
			    hash_of(tree->seed + depths[i] * PERUN_HASH_2, node->location);
		perun_slots_occupy(table->slots, table->mask,
				   (struct perun_slot){(uint32_t)(hashes[i] >> 32), i + 1});
	}
	perun_free(depths);
	perun_free(hashes);
}

static inline uint32_t hash_of_step(const struct perun_stack_tree *tree,
				    struct perun_stack_path step)
{
	uint64_t both = (uint64_t)step.caller << 32 | step.location;

	return (uint32_t)(perun_hash_mix(both ^ tree->seed, PERUN_HASH_1) >>
			  (64 - PERUN_COMPACT_HASH));
}

static uint32_t hash_of_number(const void *data, uint32_t number)
{
	const struct perun_stack_tree *tree = data;

	return hash_of_step(tree, tree->nodes[number - 1]);
}

/* All nodes get their slots, which are fetched from memory meanwhile. */
static void put_steps(const struct perun_stack_tree *tree)
{
	enum { AT_ONCE = 16 };
	struct perun_stack_table *table = tree->table;
	uint32_t hashes[AT_ONCE];

	perun_compact_slots_reserve(&table->steps, tree->node_count, hash_of_number, tree);
	while (table->hashed < tree->node_count) {
		uint32_t left = tree->node_count - table->hashed;
		uint32_t count = left < AT_ONCE ? left : AT_ONCE;

		for (uint32_t i = 0; i < count; i++) {
			hashes[i] = hash_of_step(tree, tree->nodes[table->hashed + i]);
			__builtin_prefetch(
				&table->steps.at[perun_compact_first(table->steps, hashes[i])], 1);
		}
		for (uint32_t i = 0; i < count; i++)
			perun_compact_put(table->steps, ++table->hashed, hashes[i]);
	}
}

static void note_step(struct perun_stack_table *table, struct perun_stack_path step)
{
	const uint64_t end = (uint64_t)step.location + 1;

	if (end > table->locations_used)
		table->locations_used = end;
	if (step.caller == PERUN_NO_NODE && end > table->first_used)
		table->first_used = end;
}

/* Whether no node can be that: its location is a new one, or it goes on from the last node, from which nothing does yet. */
static bool is_new(const struct perun_stack_tree *tree, struct perun_stack_path step)
{
	if (step.caller == PERUN_NO_NODE)
		return step.location >= tree->table->first_used;
	return step.location >= tree->table->locations_used || step.caller == tree->node_count - 1;
}

/* The length of what a path calls. */
static uint16_t next_length(const struct perun_stack_table *table, uint32_t caller)
{
	return caller == PERUN_NO_NODE ? 1 : kept_length(table->lengths[caller] + UINT32_C(1));
}

/* The stacks of nodes as a list. */
static void list_stacks(const struct perun_stack_tree *tree, struct perun_stack_table *table)
{
	table->stacks = perun_alloc_zero(table->capacity, sizeof *table->stacks);
	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t node = perun_stack_tree_node(tree, i);

		if (node == PERUN_NO_NODE)
			table->empty = i + 1;
		else
			table->stacks[node] = i + 1;
	}
}

static void note_steps(const struct perun_stack_tree *tree, struct perun_stack_table *table)
{
	table->lengths = perun_alloc(table->capacity * sizeof *table->lengths);
	table->kept = tree->count;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct perun_stack_path *node = &tree->nodes[i];

		table->lengths[i] = next_length(table, node->caller);
		note_step(table, *node);
	}
}

static void new_table(struct perun_stack_tree *tree, bool by_steps)
{
	struct perun_stack_table *table = tree->table = perun_alloc_zero(1, sizeof *table);

	table->by_steps = by_steps;
	table->capacity = (size_t)tree->node_count + 64;
	if (by_steps) {
		note_steps(tree, table);
		if (tree->ends)
			list_stacks(tree, table);
		return;
	}
	table->marks = perun_alloc_large_zero(table->capacity, sizeof *table->marks);
	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t node = perun_stack_tree_node(tree, i);

		if (node == PERUN_NO_NODE)
			table->empty = i + 1;
		else
			table->marks[node].stack = i + 1;
	}
	perun_slots_reserve(&table->slots, &table->mask, tree->node_count);
	hash_nodes(tree, table);
	table->recent = perun_alloc_large(RECENT * sizeof *table->recent);
	table->recent_end = RECENT;
}

static struct perun_stack_table *make_table(struct perun_stack_tree *tree, bool by_steps)
{
	if (tree->table && tree->table->by_steps != by_steps)
		perun_stack_tree_forget(tree);
	if (!tree->table)
		new_table(tree, by_steps);
	return tree->table;
}

/* ---- what was added lately ----------------------------------------------------------------------- */

/* Where the path of a node is written; NULL: other stacks were written there since. */
static const perun_id *recent_path(const struct perun_stack_table *table, uint32_t node)
{
	uint32_t at = table->marks[node].recent;

	return at && table->recent_end - at <= RECENT ? &table->recent[at % RECENT] : NULL;
}

/* Counting begins again before it is at its end. */
static void begin_recent(struct perun_stack_table *table)
{
	for (size_t i = 0; i < table->capacity; i++)
		table->marks[i].recent = 0;
	table->recent_end = RECENT;
}

/* Write a stack; returns where, or 0 when it is too long. */
static uint32_t write_recent(struct perun_stack_table *table, const perun_id *locations,
			     uint32_t length)
{
	uint32_t at, left = RECENT - table->recent_end % RECENT;

	if (length >= RECENT / 64)
		return 0;
	if (table->recent_end > UINT32_MAX - 2 * RECENT)
		begin_recent(table);
	if (left <= length) /* in one piece */
		table->recent_end += left;
	at = table->recent_end;
	memcpy(&table->recent[at % RECENT], locations, length * sizeof *locations);
	table->recent[at % RECENT + length] = PERUN_NO_ID;
	table->recent_end += length + 1;
	return at;
}

/* Whether a path is these locations, the last one first; `*walked`: the tree had to say so. */
static bool is_path(const struct perun_stack_tree *tree, uint32_t node, const perun_id *locations,
		    uint32_t length, bool *walked)
{
	const perun_id *path = recent_path(tree->table, node);

	if (path) /* where the array ends before these do, it holds another path */
		return (size_t)(path - tree->table->recent) + length < RECENT &&
		       memcmp(path, locations, length * sizeof *path) == 0 &&
		       path[length] == PERUN_NO_ID;
	for (uint32_t i = 0; i < length; i++) {
		if (node == PERUN_NO_NODE || tree->nodes[node].location != locations[i])
			return false;
		node = tree->nodes[node].caller;
	}
	*walked = node == PERUN_NO_NODE;
	return *walked;
}

/* ---- adding ------------------------------------------------------------------------------------- */

/* A stack that is added: `hashes` of its paths, the shortest first. */
struct new_stack {
	const perun_id *locations; /* the leaf first */
	uint32_t length;
	size_t hashes;
};

static inline uint32_t hash_at(const struct perun_stack_table *table, const struct new_stack *stack,
			       uint32_t length)
{
	return (uint32_t)(table->hashes[stack->hashes + length - 1] >> 32);
}

/* The node of the first `length` locations of a stack, from the root. */
static uint32_t find(const struct perun_stack_tree *tree, const struct new_stack *stack,
		     uint32_t length, bool *walked)
{
	const struct perun_stack_table *table = tree->table;
	uint32_t hash = hash_at(table, stack, length);

	for (uint32_t at = hash & table->mask; table->slots[at].number;
	     at = (at + 1) & table->mask) {
		if (table->slots[at].hash == hash &&
		    is_path(tree, table->slots[at].number - 1,
			    stack->locations + stack->length - length, length, walked))
			return table->slots[at].number - 1;
	}
	return PERUN_NO_NODE;
}

/* Much memory is of large pages, in which nodes are found faster; little is moved without a copy, or not at all. */
static void *grow_large(void *memory, size_t size, size_t room)
{
	void *larger;

	if (room < LARGE)
		return perun_realloc(memory, room);
	larger = perun_alloc_large(room);
	if (size)
		memcpy(larger, memory, size);
	perun_free(memory);
	return larger;
}

static void grow_table(struct perun_stack_table *table, uint32_t nodes)
{
	table->capacity *= 2;
	if (!table->by_steps)
		table->marks = grow_large(table->marks, nodes * sizeof *table->marks,
					  table->capacity * sizeof *table->marks);
	else
		table->lengths = perun_realloc_array(table->lengths, table->capacity,
						     sizeof *table->lengths);
	if (table->stacks)
		table->stacks =
			perun_realloc_array(table->stacks, table->capacity, sizeof *table->stacks);
}

/* A node that is not in the table. Steps are looked up less than arrays: large lists of them grow without a copy. */
static uint32_t append_node(struct perun_stack_tree *tree, struct perun_stack_path path)
{
	struct perun_stack_table *table = tree->table;
	uint32_t node = tree->node_count;

	if (node == tree->node_capacity) {
		tree->node_capacity = node ? node * 2 : 64;
		tree->nodes = table->by_steps
				      ? perun_realloc_array(tree->nodes, tree->node_capacity,
							    sizeof *tree->nodes)
				      : grow_large(tree->nodes, node * sizeof *tree->nodes,
						   tree->node_capacity * sizeof *tree->nodes);
	}
	if (node == table->capacity)
		grow_table(table, node);
	tree->nodes[node] = path;
	if (table->marks)
		table->marks[node] = (struct mark){0};
	else
		table->lengths[node] = next_length(table, path.caller);
	if (table->stacks)
		table->stacks[node] = 0;
	return tree->node_count++;
}

static uint32_t add_node(struct perun_stack_tree *tree, struct perun_stack_path path, uint32_t hash)
{
	struct perun_stack_table *table = tree->table;
	uint32_t node = append_node(tree, path);

	perun_slots_reserve(&table->slots, &table->mask, (uint64_t)node + 1);
	perun_slots_occupy(table->slots, table->mask, (struct perun_slot){hash, node + 1});
	return node;
}

/* A stack of which the tree has the first `length` locations, `node`; returns its leaf. */
static uint32_t add_nodes(struct perun_stack_tree *tree, const struct new_stack *stack,
			  uint32_t length, uint32_t node)
{
	uint32_t written = write_recent(tree->table, stack->locations, stack->length);

	if (written && node != PERUN_NO_NODE)
		tree->table->marks[node].recent = written + stack->length - length;
	while (length < stack->length) {
		perun_id location = stack->locations[stack->length - ++length];

		node = add_node(tree, (struct perun_stack_path){node, location},
				hash_at(tree->table, stack, length));
		if (written)
			tree->table->marks[node].recent = written + stack->length - length;
	}
	return node;
}

/* The number of the stack that ends with a node, by steps, where the table has no list of these yet; the next one makes that. */
static bool number_in_order(struct perun_stack_tree *tree, uint32_t node, perun_id *number)
{
	struct perun_stack_table *table = tree->table;

	if (table->stacks)
		return false;
	if (node > tree->count || node == PERUN_NO_NODE) {
		list_stacks(tree, table);
		return false;
	}
	*number = node;
	tree->count += node == tree->count;
	return true;
}

/* The place of the number of the stack that ends with a node. */
static uint32_t *number_of(struct perun_stack_table *table, uint32_t node)
{
	if (node == PERUN_NO_NODE)
		return &table->empty;
	return table->by_steps ? &table->stacks[node] : &table->marks[node].stack;
}

/* The number of the stack that ends with a node, a new one if need be; PERUN_NO_ID: there are too many. */
static perun_id number_stack(struct perun_stack_tree *tree, uint32_t node, uint32_t length)
{
	struct perun_stack_table *table = tree->table;
	perun_id in_order;
	uint32_t *number;

	if (table->by_steps && number_in_order(tree, node, &in_order))
		return in_order;
	number = number_of(table, node);
	if (*number)
		return *number - 1;
	if (tree->count >= INT32_MAX)
		return PERUN_NO_ID;
	*number = ++tree->count;
	if (table->by_steps)
		return tree->count - 1;
	if (tree->count > tree->capacity || !tree->ends)
		resize_stacks(tree, tree->count > 32 ? tree->count * 2 : 64);
	tree->ends[tree->count - 1] = node;
	tree->lengths[tree->count - 1] = kept_length(length);
	return tree->count - 1;
}

/* What the tree has of a stack is searched for from the leaf on, which is where most stacks differ. */
static perun_id add_stack(struct perun_stack_tree *tree, const struct new_stack *stack)
{
	uint32_t length = stack->length, node = PERUN_NO_NODE;
	bool walked = false;

	for (; length > 0; length--) {
		node = find(tree, stack, length, &walked);
		if (node != PERUN_NO_NODE)
			break;
	}
	if ((uint64_t)tree->node_count + (stack->length - length) >= INT32_MAX)
		return PERUN_NO_ID;
	if (walked || length < stack->length)
		node = add_nodes(tree, stack, length, node);
	return number_stack(tree, node, stack->length);
}

static void note_stack(const struct perun_stack_tree *tree, struct new_stack *stack,
		       const struct perun_pool_entry *entry)
{
	struct perun_stack_table *table = tree->table;
	const perun_id *locations = entry->data;
	uint64_t hash = 0, place = tree->seed, *hashes;

	*stack = (struct new_stack){locations, (uint32_t)(entry->size / sizeof *locations),
				    table->hash_count};
	if (!table->hashes || table->hash_capacity - table->hash_count < stack->length) {
		table->hash_capacity = (table->hash_capacity + stack->length + 1) * 2;
		table->hashes = perun_realloc_array(table->hashes, table->hash_capacity,
						    sizeof *table->hashes);
	}
	hashes = table->hashes + table->hash_count;
	for (uint32_t i = stack->length; i-- > 0; place += PERUN_HASH_2)
		*hashes++ = hash += hash_of(place, locations[i]);
	table->hash_count += stack->length;
	for (uint32_t i = 0; i < 2 && i < stack->length; i++)
		__builtin_prefetch(
			&table->slots[hash_at(table, stack, stack->length - i) & table->mask]);
}

/* The node that a stack may go on from, or end with: most go on from all of another but its leaf. */
static uint32_t likely_node(const struct perun_stack_table *table, const struct new_stack *stack)
{
	for (uint32_t i = 0; i < 2 && i < stack->length; i++) {
		uint32_t hash = hash_at(table, stack, stack->length - i);

		for (uint32_t at = hash & table->mask; table->slots[at].number;
		     at = (at + 1) & table->mask) {
			if (table->slots[at].hash == hash)
				return table->slots[at].number - 1;
		}
	}
	return 0;
}

/* What is known of stacks whose turn comes soon is fetched from memory meanwhile. */
static void fetch(const struct perun_stack_tree *tree, const struct new_stack *stacks, size_t count)
{
	const struct perun_stack_table *table = tree->table;
	uint32_t nodes[PERUN_STACKS_AT_ONCE];

	for (size_t i = 0; i < count; i++) {
		nodes[i] = likely_node(table, &stacks[i]);
		__builtin_prefetch(&table->marks[nodes[i]]);
	}
	for (size_t i = 0; i < count; i++) {
		const perun_id *path = recent_path(table, nodes[i]);

		__builtin_prefetch(path);
		__builtin_prefetch(path ? path + 16 : NULL);
	}
}

/* ---- step by step -------------------------------------------------------------------------------- */

static uint32_t find_step(const struct perun_stack_tree *tree, struct perun_stack_path step)
{
	const struct perun_compact_slots slots = tree->table->steps;
	uint32_t hash = hash_of_step(tree, step), mark = perun_compact_mark(slots, hash), slot;

	for (uint32_t at = perun_compact_first(slots, hash); slots.at && (slot = slots.at[at]);
	     at = perun_compact_next(slots, at)) {
		uint32_t node = perun_compact_number(slots, slot) - 1;

		if (perun_compact_is_marked(slots, slot, mark) &&
		    tree->nodes[node].caller == step.caller &&
		    tree->nodes[node].location == step.location)
			return node;
	}
	return PERUN_NO_NODE;
}

/* The table is one of steps. */
static uint32_t add_step(struct perun_stack_tree *tree, struct perun_stack_path step)
{
	struct perun_stack_table *table = tree->table;
	uint32_t node = PERUN_NO_NODE;

	if (!is_new(tree, step)) {
		if (table->hashed < tree->node_count)
			put_steps(tree);
		node = find_step(tree, step);
	}
	if (node != PERUN_NO_NODE || tree->node_count >= INT32_MAX)
		return node;
	node = append_node(tree, step);
	note_step(table, step);
	return node;
}

/* The last node of a stack, the leaf first; `*node` is PERUN_NO_NODE of an empty one. False: there are too many. */
static bool add_steps(struct perun_stack_tree *tree, const perun_id *locations, uint32_t length,
		      uint32_t *node)
{
	*node = PERUN_NO_NODE;
	for (uint32_t i = 0; i < length; i++) {
		perun_id location = locations[tree->from_leaf ? i : length - 1 - i];

		*node = add_step(tree, (struct perun_stack_path){*node, location});
		if (*node == PERUN_NO_NODE)
			return false;
	}
	return true;
}

static perun_id add_by_steps(struct perun_stack_tree *tree, const struct perun_pool_entry *entry)
{
	uint32_t length = (uint32_t)(entry->size / sizeof(perun_id)), node;

	return add_steps(tree, entry->data, length, &node) ? number_stack(tree, node, length)
							   : PERUN_NO_ID;
}

uint32_t perun_stack_tree_step(struct perun_stack_tree **shared, uint32_t caller, perun_id location)
{
	struct perun_stack_tree *tree = own(shared);

	make_table(tree, true);
	return add_step(tree, (struct perun_stack_path){caller, location});
}

uint32_t perun_stack_tree_length(const struct perun_stack_tree *tree, uint32_t path)
{
	uint32_t length;

	if (path == PERUN_NO_NODE || !tree->table || !tree->table->by_steps)
		return 0;
	length = tree->table->lengths[path];
	return length < PERUN_LONG_STACK ? length : perun_stack_tree_long(tree->nodes, path);
}

perun_id perun_stack_tree_end(struct perun_stack_tree **shared, uint32_t path)
{
	struct perun_stack_tree *tree = own(shared);

	make_table(tree, true);
	return number_stack(tree, path, perun_stack_tree_length(tree, path));
}

void perun_stack_tree_add(struct perun_stack_tree **shared, struct perun_pool_entry *entries,
			  size_t count)
{
	struct perun_stack_tree *tree = own(shared);
	struct new_stack stacks[PERUN_STACKS_AT_ONCE];

	if (tree->from_leaf)
		make_table(tree, true);
	if (tree->table && tree->table->by_steps) {
		for (size_t i = 0; i < count; i++)
			entries[i].id = add_by_steps(tree, &entries[i]);
		return;
	}
	make_table(tree, false)->hash_count = 0;
	for (size_t i = 0; i < count; i++)
		note_stack(tree, &stacks[i], &entries[i]);
	fetch(tree, stacks, count);
	for (size_t i = 0; i < count; i++)
		entries[i].id = add_stack(tree, &stacks[i]);
}

static struct perun_stack_tree *new_tree(bool from_leaf)
{
	struct perun_stack_tree *tree = perun_alloc_zero(1, sizeof *tree);

	atomic_init(&tree->refs, 1);
	tree->from_leaf = from_leaf;
	tree->seed = perun_hash_word((uintptr_t)tree, perun_hash_secret);
	return tree;
}

/*
 * Trees whose stacks keep their numbers, even where one is there twice, as in a pool that was appended to another: they are
 * ended here, not by the table.
 */
static struct perun_stack_tree *begin_numbered(uint32_t count, bool from_leaf)
{
	struct perun_stack_tree *tree = new_tree(from_leaf);

	make_table(tree, true);
	resize_stacks(tree, count);
	return tree;
}

static void set_numbered(struct perun_stack_tree *tree, uint32_t stack, const perun_id *locations,
			 uint32_t length)
{
	add_steps(tree, locations, length, &tree->ends[stack]);
	tree->lengths[stack] = kept_length(length);
}

static struct perun_stack_tree *end_numbered(struct perun_stack_tree *tree, uint32_t count)
{
	tree->table->kept = tree->count = count;
	perun_stack_tree_forget(tree);
	return tree;
}

static struct perun_stack_tree *new_numbered(const struct perun_pool *pool, uint32_t first,
					     uint32_t end, bool from_leaf)
{
	struct perun_stack_tree *tree = begin_numbered(end - first, from_leaf);

	for (uint32_t i = first; i < end; i++) {
		size_t size;
		const perun_id *locations = perun_pool_at(pool, i, &size);

		set_numbered(tree, i - first, locations, (uint32_t)(size / sizeof *locations));
	}
	return end_numbered(tree, end - first);
}

struct perun_stack_tree *perun_stack_tree_new(const struct perun_pool *pool, uint32_t first,
					      uint32_t end, bool from_leaf)
{
	struct perun_stack_tree *tree = new_tree(from_leaf);
	bool numbered = true;

	for (uint32_t i = first; i < end && numbered;) {
		struct perun_pool_entry entries[PERUN_STACKS_AT_ONCE];
		uint32_t count = 0;

		for (; i + count < end && count < PERUN_STACKS_AT_ONCE; count++) {
			size_t size;
			const void *stack = perun_pool_at(pool, i + count, &size);

			entries[count] = (struct perun_pool_entry){.data = stack, .size = size};
		}
		perun_stack_tree_add(&tree, entries, count);
		i += count;
		numbered = entries[count - 1].id == i - 1 - first;
	}
	if (numbered)
		return tree;
	perun_stack_tree_unref(tree);
	return new_numbered(pool, first, end, from_leaf);
}

struct perun_stack_tree *perun_stack_tree_turned(const struct perun_stack_tree *from)
{
	struct perun_stack_tree *tree = begin_numbered(from->count, !from->from_leaf);
	perun_id *locations = NULL;
	uint32_t room = 0;

	for (perun_id i = 0; i < from->count; i++) {
		uint32_t length = perun_stack_tree_stack_length(from, i);
		perun_id *to;

		if (length > room) {
			room = length * 2;
			locations = perun_realloc_array(locations, room, sizeof *locations);
		}
		to = locations;
		perun_stack_tree_unfold(from, &i, 1, &to);
		set_numbered(tree, i, locations, length);
	}
	perun_free(locations);
	return end_numbered(tree, from->count);
}

/* ---- from another tree --------------------------------------------------------------------------- */

/* Of a node of the other tree: that of the same path here + 1, 0: it was not met yet; and the hash of that path. */
struct moved {
	uint64_t hash;
	uint32_t node;
};

struct perun_stack_move {
	const struct perun_stack_tree *from;
	struct moved *nodes;
	uint32_t *new; /* of a stack: what was not met yet, the leaf first */
	uint32_t new_capacity;
};

struct perun_stack_move *perun_stack_move_new(const struct perun_stack_tree *from)
{
	struct perun_stack_move *move = perun_alloc_zero(1, sizeof *move);

	move->from = from;
	move->nodes = perun_alloc_large_zero((size_t)from->node_count + 1, sizeof *move->nodes);
	return move;
}

void perun_stack_move_free(struct perun_stack_move *move)
{
	if (!move)
		return;
	perun_free(move->nodes);
	perun_free(move->new);
	perun_free(move);
}

/* The node of a path that goes on from another one, a new one if need be. */
static uint32_t go_on(struct perun_stack_tree *tree, struct perun_stack_path path, uint32_t hash)
{
	const struct perun_stack_table *table = tree->table;

	for (uint32_t at = hash & table->mask; table->slots[at].number;
	     at = (at + 1) & table->mask) {
		uint32_t number = table->slots[at].number - 1;

		if (table->slots[at].hash == hash && tree->nodes[number].caller == path.caller &&
		    tree->nodes[number].location == path.location)
			return number;
	}
	return add_node(tree, path, hash);
}

/* The path of a stack from its leaf up to what was met before, whose node it returns. */
static uint32_t list_new(struct perun_stack_move *move, perun_id stack, uint32_t *count)
{
	uint32_t node = perun_stack_tree_node(move->from, stack);

	*count = 0;
	for (; node != PERUN_NO_NODE && !move->nodes[node].node;
	     node = move->from->nodes[node].caller) {
		PERUN_GROW(move->new, *count, move->new_capacity);
		move->new[(*count)++] = node;
	}
	return node;
}

static perun_id move_stack(struct perun_stack_tree *tree, struct perun_stack_move *move,
			   perun_id stack, perun_id (*renumber)(void *data, perun_id location),
			   void *data)
{
	const struct perun_stack_tree *from = move->from;
	const uint32_t length = perun_stack_tree_stack_length(from, stack);
	uint32_t count, known = list_new(move, stack, &count), node = PERUN_NO_NODE;
	uint64_t hash = 0, place = tree->seed + (length - count) * PERUN_HASH_2;

	if ((uint64_t)tree->node_count + count >= INT32_MAX)
		return PERUN_NO_ID;
	if (known != PERUN_NO_NODE) {
		hash = move->nodes[known].hash;
		node = move->nodes[known].node - 1;
	}
	for (uint32_t i = 0; i < count; i++) /* numbers rise from the leaf on */
		renumber(data, from->nodes[move->new[i]].location);
	for (; count-- > 0; place += PERUN_HASH_2) {
		struct moved *moved = &move->nodes[move->new[count]];
		perun_id location = renumber(data, from->nodes[move->new[count]].location);

		hash += hash_of(place, location);
		node = go_on(tree, (struct perun_stack_path){node, location},
			     (uint32_t)(hash >> 32));
		*moved = (struct moved){hash, node + 1};
	}
	return number_stack(tree, node, length);
}

/* What is known of stacks whose turn comes soon is fetched from memory meanwhile: most are all of another but their leaf. */
static void fetch_moved(const struct perun_stack_move *move, const perun_id *stacks, size_t count)
{
	const struct perun_stack_tree *from = move->from;

	for (size_t i = 0; from->ends && i < count; i++)
		__builtin_prefetch(&from->ends[stacks[i]]);
	for (size_t i = 0; i < count; i++) {
		uint32_t leaf = perun_stack_tree_node(from, stacks[i]);

		if (leaf == PERUN_NO_NODE)
			continue;
		__builtin_prefetch(&from->nodes[leaf]);
		__builtin_prefetch(&move->nodes[leaf]);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t leaf = perun_stack_tree_node(from, stacks[i]);

		if (leaf != PERUN_NO_NODE && from->nodes[leaf].caller != PERUN_NO_NODE)
			__builtin_prefetch(&move->nodes[from->nodes[leaf].caller]);
	}
}

void perun_stack_tree_move(struct perun_stack_tree **shared, struct perun_stack_move *move,
			   const perun_id *stacks, size_t count,
			   perun_id (*renumber)(void *data, perun_id location), void *data,
			   perun_id *moved)
{
	struct perun_stack_tree *tree = own(shared);

	make_table(tree, false);
	fetch_moved(move, stacks, count);
	for (size_t i = 0; i < count; i++)
		moved[i] = move_stack(tree, move, stacks[i], renumber, data);
}

/* ---- many at once ------------------------------------------------------------------------------- */

bool perun_stack_tree_append(struct perun_stack_tree **shared, const struct perun_stack_tree *from,
			     const perun_id *locations)
{
	struct perun_stack_tree *tree;
	uint32_t nodes = (*shared)->node_count, count = (*shared)->count;

	if ((uint64_t)nodes + from->node_count > INT32_MAX ||
	    (uint64_t)count + from->count > INT32_MAX)
		return false;
	tree = own(shared);
	perun_stack_tree_forget(tree);
	tree->node_count = tree->node_capacity = nodes + from->node_count;
	tree->nodes = perun_realloc_array(tree->nodes, tree->node_count, sizeof *tree->nodes);
	for (uint32_t i = 0; i < from->node_count; i++) {
		const struct perun_stack_path *node = &from->nodes[i];

		tree->nodes[nodes + i] = (struct perun_stack_path){
			node->caller == PERUN_NO_NODE ? PERUN_NO_NODE : node->caller + nodes,
			locations[node->location]};
	}
	tree->count = count + from->count;
	resize_stacks(tree, tree->count);
	memcpy(tree->lengths + count, from->lengths, from->count * sizeof *from->lengths);
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t node = perun_stack_tree_node(from, i);

		tree->ends[count + i] = node == PERUN_NO_NODE ? PERUN_NO_NODE : node + nodes;
	}
	return true;
}

void perun_stack_tree_renumber(struct perun_stack_tree **shared,
			       perun_id (*renumber)(void *data, perun_id location), void *data)
{
	struct perun_stack_tree *tree = own(shared);

	perun_stack_tree_forget(tree);
	for (uint32_t i = 0; i < tree->node_count; i++)
		tree->nodes[i].location = renumber(data, tree->nodes[i].location);
}

/* The path of a stack down to what was met before gets numbers from `count` on, those that are called first. */
static uint32_t number_path(const struct perun_stack_tree *tree, uint32_t leaf, uint32_t *numbers,
			    uint32_t count)
{
	uint32_t new = 0;

	for (uint32_t node = leaf; node != PERUN_NO_NODE && numbers[node] == PERUN_NO_NODE;
	     node = tree->nodes[node].caller)
		numbers[node] = new ++;
	for (uint32_t node = leaf, i = new; i-- > 0; node = tree->nodes[node].caller)
		numbers[node] = count + i;
	return count + new;
}

/* Whether nodes are as stacks meet them: those that one is the first to pass follow each other, down to its leaf. */
static bool are_ordered(const struct perun_stack_tree *tree)
{
	uint32_t met = 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		uint32_t leaf = perun_stack_tree_node(tree, i), node = leaf;

		if (leaf == PERUN_NO_NODE || leaf < met) /* as are all that call it */
			continue;
		for (; node > met; node--)
			if (tree->nodes[node].caller != node - 1)
				return false;
		if (tree->nodes[met].caller != PERUN_NO_NODE && tree->nodes[met].caller >= met)
			return false;
		met = leaf + 1;
	}
	return met == tree->node_count;
}

/* Nodes as stacks meet them, as if these had come as arrays, without those that no stack passes. */
static void order_nodes(struct perun_stack_tree *tree)
{
	uint32_t *numbers = perun_alloc_large(((size_t)tree->node_count + 1) * sizeof *numbers);
	uint32_t count = 0;
	struct perun_stack_path *ordered;

	memset(numbers, 0xff, ((size_t)tree->node_count + 1) * sizeof *numbers);
	for (uint32_t i = 0; i < tree->count; i++)
		count = number_path(tree, perun_stack_tree_node(tree, i), numbers, count);
	ordered = perun_alloc(((size_t)count + 1) * sizeof *ordered);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct perun_stack_path node = tree->nodes[i];

		if (numbers[i] == PERUN_NO_NODE)
			continue;
		if (node.caller != PERUN_NO_NODE)
			node.caller = numbers[node.caller];
		ordered[numbers[i]] = node;
	}
	/* Where each ends with the node of its number that stays so. */
	for (uint32_t i = 0; tree->ends && i < tree->count; i++) {
		if (tree->ends[i] != PERUN_NO_NODE)
			tree->ends[i] = numbers[tree->ends[i]];
	}
	perun_free(numbers);
	perun_free(tree->nodes);
	tree->nodes = ordered;
	tree->checked = tree->checked == tree->node_count ? count : 0;
	tree->node_count = count;
}

void perun_stack_tree_finish(struct perun_stack_tree *tree)
{
	bool by_steps = tree->table && tree->table->by_steps;

	if (tree->blocks)
		return;
	perun_stack_tree_forget(tree);
	if (by_steps && !are_ordered(tree))
		order_nodes(tree);
	tree->nodes = perun_realloc_array(tree->nodes, tree->node_count, sizeof *tree->nodes);
	tree->node_capacity = tree->node_count;
	if (tree->ends)
		resize_stacks(tree, tree->count);
	perun_stack_arrays_reserve(tree);
}
