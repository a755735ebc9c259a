/* SPDX-License-Identifier: BSD-3-Clause */
/* The nesting of regions as stacks of their labels, each different one made once. */
#include "model.h"

/* A stack: a label on top of another stack. */
struct path {
	struct afperf_key key; /* parent path << 32 | label, 0 */
	uint32_t depth;
	perun_id id; /* of the location; at the end of the path, then of the stack */
};

struct stacks {
	struct afperf_model *model;
	struct path *paths;
	uint32_t count, capacity;
	struct afperf_map map;
	uint64_t cells;
	uint32_t *path_of; /* of each region; AFPERF_NONE = not known yet */
};

static perun_id location_of(struct stacks *stacks, uint32_t label)
{
	size_t length;
	const char *text = afperf_texts_at(&stacks->model->file->texts, label, &length);
	struct perun_function function = {0};
	struct perun_line line = {0};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

	function.name = function.system_name =
		perun_builder_string(stacks->model->builder, text, length);
	line.function = perun_builder_function(stacks->model->builder, &function);
	return perun_builder_location(stacks->model->builder, &location);
}

/* The path of a label on top of another; AFPERF_NONE: the stacks would be too large. */
static uint32_t find_path(struct stacks *stacks, uint32_t parent, uint32_t label)
{
	uint64_t first = (uint64_t)parent << 32 | label;
	uint32_t i = afperf_map_find(&stacks->map, stacks->paths, sizeof *stacks->paths, first, 0);
	uint32_t depth = parent == AFPERF_NONE ? 1 : stacks->paths[parent].depth + 1;

	if (i != AFPERF_NONE)
		return i;
	stacks->cells += depth;
	if (stacks->cells > stacks->model->frame_limit)
		return AFPERF_NONE;
	PERUN_GROW(stacks->paths, stacks->count, stacks->capacity);
	i = stacks->count++;
	stacks->paths[i] = (struct path){{first, 0}, depth, location_of(stacks, label)};
	afperf_map_add(&stacks->map, stacks->paths, sizeof *stacks->paths, i);
	return i;
}

/* Follow the parents up to one whose path is known, then come back. */
static bool resolve_region(struct stacks *stacks, uint32_t region, uint32_t *way)
{
	const struct afperf_file *file = stacks->model->file;
	size_t steps = 0;
	uint32_t path = AFPERF_NONE;

	while (region != AFPERF_NONE) {
		if (stacks->path_of[region] != AFPERF_NONE) {
			path = stacks->path_of[region];
			break;
		}
		way[steps++] = region;
		region = file->regions[region].parent;
	}
	while (steps > 0) {
		region = way[--steps];
		path = find_path(stacks, path,
				 afperf_group_label(&file->groups[file->regions[region].group]));
		if (path == AFPERF_NONE)
			return false;
		stacks->path_of[region] = path;
	}
	return true;
}

/* All paths as stacks of the profile. Callers come before what they call. */
static void make_stacks(struct stacks *stacks)
{
	struct perun_builder *builder = stacks->model->builder;

	for (uint32_t i = 0; i < stacks->count; i++) {
		uint32_t caller = (uint32_t)(stacks->paths[i].key.first >> 32);

		stacks->paths[i].id = perun_builder_path(
			builder, caller == AFPERF_NONE ? PERUN_NO_ID : stacks->paths[caller].id,
			stacks->paths[i].id);
	}
	for (uint32_t i = 0; i < stacks->count; i++)
		stacks->paths[i].id = perun_builder_path_stack(builder, stacks->paths[i].id);
}

perun_id *afperf_model_stacks(struct afperf_model *model)
{
	uint32_t count = model->file->region_count;
	struct stacks stacks = {.model = model};
	uint32_t *way = perun_alloc_zero(count + 1u, sizeof *way);
	bool good = true;

	stacks.path_of = perun_alloc_zero(count + 1u, sizeof *stacks.path_of);
	memset(stacks.path_of, 0xFF, (count + 1u) * sizeof *stacks.path_of);
	for (uint32_t i = 0; i < count && good; i++)
		good = resolve_region(&stacks, i, way);
	perun_free(way);
	afperf_map_free(&stacks.map);
	if (good)
		make_stacks(&stacks);
	for (uint32_t i = 0; i < count && good; i++)
		stacks.path_of[i] = stacks.paths[stacks.path_of[i]].id;
	perun_free(stacks.paths);
	if (good)
		return stacks.path_of;
	perun_free(stacks.path_of);
	perun_fail(
		model->ctx, PERUN_INPUT,
		"the regions are nested so deep that their stacks have more frames than the option "
		"frame-limit allows; perun afperf reduce does without stacks");
	return NULL;
}
