/* SPDX-License-Identifier: BSD-3-Clause */
/* The nesting of regions as stacks of their labels, each different one made once. */
#include "model.h"

struct stacks {
	struct afperf_model *model;
	perun_id *locations; /* of texts that are labels */
	perun_id *paths;     /* of regions; PERUN_NO_ID = not known yet */
	perun_id next;       /* what is not below it was not met before */
	uint64_t cells;
};

static perun_id location_of(struct stacks *stacks, uint32_t label)
{
	size_t length;
	const char *text = afperf_texts_at(&stacks->model->file->texts, label, &length);
	struct perun_function function = {0};
	struct perun_line line = {0};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

	if (stacks->locations[label] != PERUN_NO_ID)
		return stacks->locations[label];
	function.name = function.system_name =
		perun_builder_string(stacks->model->builder, text, length);
	line.function = perun_builder_function(stacks->model->builder, &function);
	return stacks->locations[label] = perun_builder_location(stacks->model->builder, &location);
}

/* The path of a label on top of another; PERUN_NO_ID: the stacks would be too large. */
static perun_id find_path(struct stacks *stacks, perun_id caller, uint32_t label)
{
	struct perun_builder *builder = stacks->model->builder;
	perun_id path = perun_builder_path(builder, caller, location_of(stacks, label));

	if (path >= stacks->next) {
		stacks->next = path + 1;
		stacks->cells += perun_builder_path_length(builder, path);
	}
	return stacks->cells > stacks->model->frame_limit ? PERUN_NO_ID : path;
}

/* Follow the parents up to one whose path is known, then come back. */
static bool resolve_region(struct stacks *stacks, uint32_t region, uint32_t *way)
{
	const struct afperf_file *file = stacks->model->file;
	size_t steps = 0;
	perun_id path = PERUN_NO_ID;

	while (region != AFPERF_NONE) {
		if (stacks->paths[region] != PERUN_NO_ID) {
			path = stacks->paths[region];
			break;
		}
		way[steps++] = region;
		region = file->regions[region].parent;
	}
	while (steps > 0) {
		region = way[--steps];
		path = find_path(stacks, path,
				 afperf_group_label(&file->groups[file->regions[region].group]));
		if (path == PERUN_NO_ID)
			return false;
		stacks->paths[region] = path;
	}
	return true;
}

static perun_id *no_ids(uint32_t count)
{
	perun_id *ids = perun_realloc_array(NULL, count + 1u, sizeof *ids);

	memset(ids, 0xFF, (count + 1u) * sizeof *ids);
	return ids;
}

/* False: a stack has more frames than are allowed. */
static bool find_paths(struct stacks *stacks)
{
	uint32_t count = stacks->model->file->region_count;
	uint32_t *way = perun_realloc_array(NULL, count + 1u, sizeof *way);
	bool good = true;

	stacks->locations = no_ids(stacks->model->file->texts.count);
	for (uint32_t i = 0; i < count && good; i++)
		good = resolve_region(stacks, i, way);
	perun_free(stacks->locations);
	perun_free(way);
	return good;
}

perun_id *afperf_model_stacks(struct afperf_model *model)
{
	uint32_t count = model->file->region_count;
	struct stacks stacks = {.model = model, .paths = no_ids(count)};

	if (find_paths(&stacks)) {
		for (uint32_t i = 0; i < count; i++)
			stacks.paths[i] = perun_builder_path_stack(model->builder, stacks.paths[i]);
		return stacks.paths;
	}
	perun_free(stacks.paths);
	perun_fail(
		model->ctx, PERUN_INPUT,
		"the regions are nested so deep that their stacks have more frames than the option "
		"frame-limit allows; perun afperf reduce does without stacks");
	return NULL;
}
