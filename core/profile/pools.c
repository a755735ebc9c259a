/* SPDX-License-Identifier: BSD-3-Clause */
/* The pools of a profile together, and adding to them. */
#include <string.h>

#include "core/profile/model.h"

static bool is_packed(enum perun_pool_kind kind)
{
	return (kind >= PERUN_POOL_FUNCTIONS && kind <= PERUN_POOL_LOCATIONS) ||
	       kind == PERUN_POOL_LABELS;
}

void perun_pools_init(struct perun_pools *pools)
{
	*pools = (struct perun_pools){0};
	for (int kind = 0; kind < PERUN_POOL_COUNT; kind++)
		pools->pool[kind] = is_packed(kind) ? perun_pool_new_packed()
				    : kind == PERUN_POOL_STACKS
					    ? perun_pool_new_ids()
					    : perun_pool_new(kind == PERUN_POOL_STRINGS);
	perun_pool_add(&pools->pool[PERUN_POOL_STRINGS], "", 0);
}

void perun_pools_share(struct perun_pools *to, const struct perun_pools *from)
{
	*to = *from;
	for (int kind = 0; kind < PERUN_POOL_COUNT; kind++)
		perun_pool_ref(to->pool[kind]);
	perun_plain_stacks_ref(to->plain);
	perun_stack_tree_ref(to->tree);
	to->parameters =
		perun_memdup(from->parameters, from->parameter_count * sizeof *from->parameters);
	to->parameter_capacity = from->parameter_count;
}

void perun_pools_free(struct perun_pools *pools)
{
	for (int kind = 0; kind < PERUN_POOL_COUNT; kind++)
		perun_pool_unref(pools->pool[kind]);
	perun_plain_stacks_unref(pools->plain);
	perun_stack_tree_unref(pools->tree);
	perun_free(pools->parameters);
}

static const struct perun_pool *pool_of(const struct perun_pools *pools, enum perun_type type)
{
	switch (type) {
	case PERUN_TYPE_STRING:
	case PERUN_TYPE_JSON:
		return pools->pool[PERUN_POOL_STRINGS];
	case PERUN_TYPE_LABELS:
		return pools->pool[PERUN_POOL_LABELS];
	case PERUN_TYPE_POINT:
		return pools->pool[PERUN_POOL_POINTS];
	default:
		return NULL;
	}
}

size_t perun_pools_count(const struct perun_pools *pools, enum perun_type type)
{
	const struct perun_pool *pool = pool_of(pools, type);

	if (type == PERUN_TYPE_STACK)
		return perun_pools_stack_count(pools);
	return pool ? pool->count : SIZE_MAX;
}

static perun_id added(struct perun_builder *builder, enum perun_pool_kind kind, perun_id id)
{
	static const char *const words[] = {"strings", "functions",  "mappings", "locations",
					    "stacks",  "label sets", "points"};

	if (id == PERUN_NO_ID)
		perun_builder_broken(builder, "too many %s, or one of more than 4 GiB",
				     words[kind]);
	return id;
}

static perun_id add(struct perun_builder *builder, enum perun_pool_kind kind, const void *data,
		    size_t size)
{
	return added(builder, kind, perun_pool_add(&builder->pools.pool[kind], data, size));
}

perun_id perun_builder_string(struct perun_builder *builder, const char *text, size_t length)
{
	return add(builder, PERUN_POOL_STRINGS, text, length);
}

perun_id perun_builder_text(struct perun_builder *builder, const char *text)
{
	return perun_builder_string(builder, text, strlen(text));
}

const char *perun_builder_string_at(const struct perun_builder *builder, perun_id id,
				    size_t *length)
{
	return perun_pools_text(&builder->pools, id, length);
}

perun_id perun_builder_function(struct perun_builder *builder,
				const struct perun_function *function)
{
	return added(builder, PERUN_POOL_FUNCTIONS,
		     perun_pools_add_function(&builder->pools, function));
}

perun_id perun_builder_mapping(struct perun_builder *builder, const struct perun_mapping *mapping)
{
	return added(builder, PERUN_POOL_MAPPINGS,
		     perun_pools_add_mapping(&builder->pools, mapping));
}

void perun_builder_set_mapping(struct perun_builder *builder, perun_id id,
			       const struct perun_mapping *mapping)
{
	if (id < builder->pools.pool[PERUN_POOL_MAPPINGS]->count)
		perun_pools_set_mapping(&builder->pools, id, mapping);
	else
		perun_builder_broken(builder, "there is no mapping %u", id);
}

void perun_builder_map_locations(struct perun_builder *builder, perun_id mapping)
{
	perun_pools_map_locations(&builder->pools, mapping);
}

perun_id perun_builder_location(struct perun_builder *builder,
				const struct perun_location *location)
{
	return added(builder, PERUN_POOL_LOCATIONS,
		     perun_pools_add_location(&builder->pools, location));
}

/* Deeper ones no program has: each frame takes several times what it has in most files. */
enum { MAX_FRAMES = 1 << 20 };

static bool is_too_deep(struct perun_builder *builder, size_t count)
{
	if (count > MAX_FRAMES)
		perun_builder_broken(builder, "a stack of %zu frames, more than the limit of %d",
				     count, MAX_FRAMES);
	return count > MAX_FRAMES;
}

static perun_id added_stack(struct perun_builder *builder, const struct perun_pool_entry *entry)
{
	if (entry->id == PERUN_NO_ID)
		perun_builder_broken(builder, "too many stacks");
	return entry->id;
}

static bool is_new_stack(struct perun_pools *pools, const perun_id *locations, size_t count)
{
	return count && perun_pools_first_use(&pools->leaves_used, locations[0]);
}

perun_id perun_builder_stack(struct perun_builder *builder, const perun_id *locations, size_t count)
{
	size_t size = count * sizeof *locations;
	struct perun_pool_entry entry = {.data = locations, .size = (uint32_t)size};

	if (is_too_deep(builder, count))
		return PERUN_NO_ID;
	entry.is_new = is_new_stack(&builder->pools, locations, count);
	perun_pools_add_stacks(&builder->pools, &entry, 1);
	return added_stack(builder, &entry);
}

void perun_builder_stacks(struct perun_builder *builder, const perun_id *locations,
			  const size_t *counts, size_t count, perun_id *stacks)
{
	struct perun_pool_entry entries[PERUN_STACKS_AT_ONCE];

	for (size_t done = 0, part; done < count; done += part) {
		part = count - done < PERUN_STACKS_AT_ONCE ? count - done : PERUN_STACKS_AT_ONCE;
		for (size_t i = 0; i < part; i++) {
			size_t size = counts[done + i] * sizeof *locations;

			entries[i].data = locations;
			entries[i].size = (uint32_t)size;
			entries[i].is_new =
				is_new_stack(&builder->pools, locations, counts[done + i]);
			if (size) /* all of them may be empty, and there is no array at all */
				locations += counts[done + i];
			if (is_too_deep(builder, counts[done + i]))
				entries[i].size = 0;
		}
		perun_pools_add_stacks(&builder->pools, entries, part);
		for (size_t i = 0; i < part; i++)
			stacks[done + i] = added_stack(builder, &entries[i]);
	}
}

static perun_id add_path(struct perun_builder *builder, perun_id before, perun_id location,
			 bool from_leaf)
{
	const struct perun_stack_tree *tree = builder->pools.tree;
	uint32_t path;

	if (before != PERUN_NO_ID &&
	    (!tree || before >= tree->node_count || tree->from_leaf != from_leaf)) {
		perun_builder_broken(builder, "there is no path %u", before);
		return PERUN_NO_ID;
	}
	path = perun_pools_add_path(&builder->pools, before, location, from_leaf);
	if (path == PERUN_NO_NODE)
		perun_builder_broken(builder, "too many stacks");
	return path;
}

perun_id perun_builder_path(struct perun_builder *builder, perun_id caller, perun_id location)
{
	return add_path(builder, caller, location, false);
}

perun_id perun_builder_inverted_path(struct perun_builder *builder, perun_id callee,
				     perun_id location)
{
	return add_path(builder, callee, location, true);
}

size_t perun_builder_path_length(const struct perun_builder *builder, perun_id path)
{
	const struct perun_stack_tree *tree = builder->pools.tree;

	return tree && path < tree->node_count ? perun_stack_tree_length(tree, path) : 0;
}

perun_id perun_builder_path_stack(struct perun_builder *builder, perun_id path)
{
	struct perun_pool_entry entry = {.id = PERUN_NO_ID};

	if (path == PERUN_NO_ID)
		return perun_builder_stack(builder, NULL, 0);
	if (builder->pools.tree && path < builder->pools.tree->node_count)
		entry.id = perun_stack_tree_end(&builder->pools.tree, path);
	return added_stack(builder, &entry);
}

void perun_builder_move_stacks(struct perun_builder *builder, struct perun_stack_move *move,
			       const perun_id *stacks, size_t count,
			       perun_id (*renumber)(void *data, perun_id location), void *data,
			       perun_id *moved)
{
	perun_pools_move_stacks(&builder->pools, move, stacks, count, renumber, data, moved);
	for (size_t i = 0; i < count; i++) {
		if (moved[i] == PERUN_NO_ID)
			perun_builder_broken(builder, "too many stacks");
	}
}

void perun_builder_renumber_stacks(struct perun_builder *builder,
				   perun_id (*renumber)(void *data, perun_id location), void *data)
{
	perun_pools_renumber_stacks(&builder->pools, renumber, data);
}

perun_id perun_builder_stack_of_names(struct perun_builder *builder, const char *const *names,
				      size_t count)
{
	perun_id few[64] = {0}, *ids = count > 64 ? perun_alloc(count * sizeof *ids) : few, stack;

	for (size_t i = 0; i < count; i++) {
		struct perun_function function = {.name = perun_builder_text(builder, names[i])};
		struct perun_line line = {.function = perun_builder_function(builder, &function)};
		struct perun_location location = {
			.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

		ids[i] = perun_builder_location(builder, &location);
	}
	stack = perun_builder_stack(builder, ids, count);
	if (ids != few)
		perun_free(ids);
	return stack;
}

perun_id perun_builder_labels(struct perun_builder *builder, const struct perun_label *labels,
			      size_t count)
{
	return added(builder, PERUN_POOL_LABELS,
		     perun_pools_add_labels(&builder->pools, labels, count));
}

perun_id perun_builder_parameter(struct perun_builder *builder, const char *name, const char *unit)
{
	struct perun_pools *pools = &builder->pools;
	perun_id text = perun_builder_text(builder, name);

	for (uint32_t i = 0; i < pools->parameter_count; i++) {
		if (pools->parameters[i].name == text)
			return i;
	}
	PERUN_GROW(pools->parameters, pools->parameter_count, pools->parameter_capacity);
	pools->parameters[pools->parameter_count].name = text;
	pools->parameters[pools->parameter_count].unit =
		perun_builder_text(builder, unit ? unit : "");
	return pools->parameter_count++;
}

perun_id perun_builder_point(struct perun_builder *builder, const double *values, size_t count)
{
	return add(builder, PERUN_POOL_POINTS, values, count * sizeof *values);
}
