/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings, functions, locations and stacks of an input in the result: which are the same. */
#include <string.h>

#include "core/merge/merge.h"
#include "core/profile/model.h"

/* Sizes of mappings may differ by less than a page. */
#define PAGE ((uint64_t)4096)

static perun_id *no_ids(size_t count)
{
	perun_id *ids = perun_alloc((count + 1) * sizeof *ids);

	memset(ids, 0xff, (count + 1) * sizeof *ids);
	return ids;
}

void perun_merge_begin_ids(struct perun_merger *merger, const struct perun_profile *profile)
{
	struct perun_merge_ids *ids = &merger->ids;

	ids->profile = profile;
	ids->strings = no_ids(perun_profile_strings(profile));
	ids->functions = no_ids(perun_profile_functions(profile));
	ids->mappings = no_ids(perun_profile_mappings(profile));
	ids->locations = no_ids(perun_profile_locations(profile));
	ids->stacks = no_ids(perun_profile_stacks(profile));
	ids->labels = no_ids(perun_profile_label_sets(profile));
	ids->unlabelled = PERUN_NO_ID;
	if (perun_profile_stack_tree(profile))
		ids->move = perun_stack_move_new(perun_profile_stack_tree(profile));
}

void perun_merge_end_ids(struct perun_merger *merger)
{
	struct perun_merge_ids *ids = &merger->ids;

	perun_free(ids->strings);
	perun_free(ids->functions);
	perun_free(ids->mappings);
	perun_free(ids->locations);
	perun_free(ids->stacks);
	perun_free(ids->labels);
	perun_free(ids->frames);
	perun_stack_move_free(ids->move);
	*ids = (struct perun_merge_ids){0};
}

perun_id perun_merged_string(struct perun_merger *merger, perun_id id)
{
	perun_id *known = &merger->ids.strings[id];
	size_t length;

	if (*known == PERUN_NO_ID) {
		const char *text = perun_profile_string(merger->ids.profile, id, &length);

		*known = perun_builder_string(merger->builder, text, length);
	}
	return *known;
}

/* ---- mappings -------------------------------------------------------------------------------- */

static perun_id add_mapping(struct perun_merger *merger, const struct perun_mapping *from,
			    perun_id number)
{
	struct perun_mapping mapping = *from;

	mapping.file = perun_merged_string(merger, from->file);
	mapping.build_id = perun_merged_string(merger, from->build_id);
	mapping.source_id = (uint64_t)number + 1;
	PERUN_GROW(merger->mapping_starts, number, merger->mapping_room);
	merger->mapping_starts[number] = from->start;
	return perun_builder_mapping(merger->builder, &mapping);
}

perun_id perun_merged_mapping(struct perun_merger *merger, perun_id id)
{
	const struct perun_mapping *from = perun_profile_mapping(merger->ids.profile, id);
	perun_id *known = &merger->ids.mappings[id];
	uint32_t count = merger->mapping_keys->count;
	struct {
		uint64_t size, offset, name;
	} key;

	if (*known != PERUN_NO_ID)
		return *known;
	key.size = (from->limit - from->start + PAGE - 1) / PAGE * PAGE;
	key.offset = from->offset;
	key.name = perun_merged_string(merger, from->build_id ? from->build_id : from->file);
	*known = perun_pool_add(&merger->mapping_keys, &key, sizeof key);
	if (*known == count)
		add_mapping(merger, from, count);
	perun_merge_note_mapping(merger, from, *known);
	return *known;
}

/* ---- functions and locations ----------------------------------------------------------------- */

static perun_id merged_function(struct perun_merger *merger, perun_id id)
{
	const struct perun_function *from;
	perun_id *known = &merger->ids.functions[id];
	uint32_t count = merger->function_keys->count;
	struct perun_function function;

	if (*known != PERUN_NO_ID)
		return *known;
	from = perun_profile_function(merger->ids.profile, id);
	memset(&function, 0, sizeof function);
	function.name = perun_merged_string(merger, from->name);
	function.system_name = perun_merged_string(merger, from->system_name);
	function.file = perun_merged_string(merger, from->file);
	function.start_line = from->start_line;
	*known = perun_pool_add(&merger->function_keys, &function, sizeof function);
	if (*known == count) {
		function.source_id = (uint64_t)count + 1;
		perun_builder_function(merger->builder, &function);
	}
	return *known;
}

/* What distinguishes locations, followed by as many lines. */
struct location_key {
	uint64_t place; /* the address, within the mapping if there is one */
	perun_id mapping;
	uint32_t folded;
};

struct line_key {
	int64_t line, column;
	uint64_t function;
};

enum { FEW_LINES = 8 };

/* A location of the result: from the input's, with lines translated into `lines`. */
static perun_id find_location(struct perun_merger *merger, const struct perun_location *from,
			      perun_id mapping, const struct perun_line *lines)
{
	size_t size = sizeof(struct location_key) + from->line_count * sizeof(struct line_key);
	uint64_t few[(sizeof(struct location_key) + FEW_LINES * sizeof(struct line_key)) / 8];
	struct location_key *key = size <= sizeof few ? (void *)few : perun_alloc(size);
	struct line_key *line_keys = (struct line_key *)(key + 1);
	bool as_pprof = perun_merge_as_pprof(merger);
	perun_id number;

	key->place = from->address;
	if (mapping != PERUN_NO_ID)
		key->place -= perun_profile_mapping(merger->ids.profile, from->mapping)->start;
	key->mapping = mapping;
	key->folded = from->folded;
	for (uint32_t i = 0; i < from->line_count; i++) {
		bool last = i + 1 == from->line_count;

		line_keys[i].line = lines[i].line;
		line_keys[i].column = as_pprof && !last ? 0 : lines[i].column;
		line_keys[i].function = lines[i].function;
	}
	number = perun_pool_add(&merger->location_keys, key, size);
	if ((void *)key != (void *)few)
		perun_free(key);
	return number;
}

static perun_id add_location(struct perun_merger *merger, perun_id id, perun_id mapping,
			     const struct perun_line *lines)
{
	const struct perun_location *from = perun_profile_location(merger->ids.profile, id);
	uint32_t count = merger->location_keys->count;
	perun_id number = find_location(merger, from, mapping, lines);
	struct perun_location location = *from;

	if (number != count)
		return number;
	location.mapping = mapping;
	location.lines = lines;
	location.source_id = (uint64_t)number + 1;
	if (mapping != PERUN_NO_ID)
		location.address +=
			merger->mapping_starts[mapping] -
			perun_profile_mapping(merger->ids.profile, from->mapping)->start;
	perun_builder_location(merger->builder, &location);
	return number;
}

static perun_id merged_location(struct perun_merger *merger, perun_id id)
{
	const struct perun_location *from = perun_profile_location(merger->ids.profile, id);
	perun_id *known = &merger->ids.locations[id];
	struct perun_line few[FEW_LINES], *lines = few;
	perun_id mapping = PERUN_NO_ID;

	if (*known != PERUN_NO_ID)
		return *known;
	if (from->mapping != PERUN_NO_ID)
		mapping = perun_merged_mapping(merger, from->mapping);
	if (from->line_count > FEW_LINES)
		lines = perun_alloc(from->line_count * sizeof *lines);
	for (uint32_t i = 0; i < from->line_count; i++) {
		lines[i] = from->lines[i];
		if (lines[i].function != PERUN_NO_ID)
			lines[i].function = merged_function(merger, lines[i].function);
	}
	*known = add_location(merger, id, mapping, lines);
	if (lines != few)
		perun_free(lines);
	return *known;
}

static perun_id renumber(void *data, perun_id location)
{
	struct perun_merger *merger = data;
	perun_id known = merger->ids.locations[location];

	return known != PERUN_NO_ID ? known : merged_location(merger, location);
}

/* Append the frames of a stack, in the numbers of the result. */
static size_t translate(struct perun_merger *merger, perun_id id)
{
	struct perun_merge_ids *ids = &merger->ids;
	size_t count;
	const perun_id *frames = perun_profile_stack(ids->profile, id, &count);
	perun_id *to;

	if (count == 0)
		return 0;
	if (count > ids->frame_room - ids->frame_count) {
		ids->frame_room = (ids->frame_count + count) * 2;
		ids->frames =
			perun_realloc_array(ids->frames, ids->frame_room, sizeof *ids->frames);
	}
	to = ids->frames + ids->frame_count;
	for (size_t i = 0; i < count; i++)
		to[i] = renumber(merger, frames[i]);
	ids->frame_count += count;
	return count;
}

/* Stacks that the result has not got from this input yet. */
static void add_stacks(struct perun_merger *merger, const perun_id *from, size_t count)
{
	perun_id added[PERUN_MERGE_BATCH];
	size_t counts[PERUN_MERGE_BATCH];

	merger->ids.frame_count = 0;
	for (size_t i = 0; i < count && !merger->ids.move; i++)
		counts[i] = translate(merger, from[i]);
	if (merger->ids.move)
		perun_builder_move_stacks(merger->builder, merger->ids.move, from, count, renumber,
					  merger, added);
	else
		perun_builder_stacks(merger->builder, merger->ids.frames, counts, count, added);
	for (size_t i = 0; i < count; i++)
		merger->ids.stacks[from[i]] = added[i];
}

void perun_merged_stacks(struct perun_merger *merger, const perun_id *given, size_t count,
			 perun_id *stacks)
{
	const perun_id *known = merger->ids.stacks;
	perun_id from[PERUN_MERGE_BATCH];
	size_t unknown = 0;

	/* A stack that comes twice is translated twice, which gives the same number. */
	for (size_t i = 0; i < count; i++) {
		if (given[i] != PERUN_NO_ID && known[given[i]] == PERUN_NO_ID)
			from[unknown++] = given[i];
	}
	add_stacks(merger, from, unknown);
	for (size_t i = 0; i < count; i++)
		stacks[i] = given[i] == PERUN_NO_ID ? perun_builder_stack(merger->builder, NULL, 0)
						    : known[given[i]];
}
