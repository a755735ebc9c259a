/* SPDX-License-Identifier: BSD-3-Clause */
/* A difference for sums alone: the samples of one profile after those of the other, none compared. */
#include <string.h>

#include "core/merge/merge.h"
#include "core/profile/model.h"

/*
 * Samples of the two can never be the same, as only those of the second have its label. So the first
 * profile stays as it is; of the second only what stacks refer to is translated. What a merge would put
 * together within a profile has the same sums and, without negative values, the same magnitudes.
 */
struct apart {
	const struct perun_merge_input *inputs; /* 2 */
	struct perun_merge_types types[2];
	const struct perun_merge_plan *plan;
	struct perun_merger *merger; /* knows the way from the second's strings and label sets */
	struct perun_builder *builder;
};

/* Values that doubles hold exactly, and that add up without a look at each sum. */
#define LARGEST_VALUE ((uint64_t)1 << 46)
#define LARGEST_SUM   ((uint64_t)1 << 53)

/* ---- whether it can be done --------------------------------------------------------------------- */

/* Whether a profile is a table of stacks, labels and the planned metrics, in their units. */
static bool is_plain(const struct apart *apart, size_t input)
{
	const struct perun_profile *profile = apart->inputs[input].profile;
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stacks = perun_table_column(table, "stack");
	const struct perun_column *labels = perun_table_column(table, "labels");
	const struct perun_merge_types *types = &apart->types[input];
	const struct perun_merge_plan *plan = apart->plan;
	const struct perun_merge_type **planned;
	bool alike = true;

	if (profile->table_count != 1 || types->count != plan->count || !stacks ||
	    perun_column_info(stacks)->type != PERUN_TYPE_STACK ||
	    (labels && perun_column_info(labels)->type != PERUN_TYPE_LABELS) ||
	    perun_table_columns(table) != plan->count + (labels ? 2 : 1))
		return false;
	planned = perun_planned_in(plan, types);
	for (size_t i = 0; i < plan->count && alike; i++) {
		const struct perun_merge_type *type = &types->items[i];

		alike = type == planned[i] && !type->metric && !type->real &&
			perun_column_info(type->column)->type == PERUN_TYPE_INT64 &&
			strcmp(type->name, plan->types[i].column) == 0 &&
			strcmp(type->unit, plan->types[i].unit) == 0;
	}
	perun_free(planned);
	return alike;
}

/* The values of some rows: all positive or 0, and each row has one that is not 0. */
static bool are_good(const struct apart *apart, size_t input, size_t row, int64_t *block,
		     uint64_t *any, uint64_t *sum)
{
	const struct perun_merge_types *types = &apart->types[input];
	struct perun_span span = {0};

	memset(any, 0, PERUN_SPAN_ROWS * sizeof *any);
	for (size_t i = 0; i < types->count; i++) {
		perun_column_span_copy(types->items[i].column, row, &span, block);
		for (size_t k = 0; k < span.count; k++) {
			any[k] |= span.uint64s[k];
			*sum += span.uint64s[k];
		}
	}
	for (size_t k = 0; k < span.count; k++) {
		if (any[k] - 1 >= LARGEST_VALUE - 1)
			return false;
	}
	return *sum < LARGEST_SUM;
}

static bool has_all_stacks(const struct perun_span *stacks)
{
	for (size_t k = 0; k < stacks->count; k++) {
		if (stacks->ids[k] == PERUN_NO_ID)
			return false;
	}
	return true;
}

static bool has_good_rows(const struct apart *apart, size_t input)
{
	const struct perun_column *stacks =
		perun_table_column(perun_resources(apart->inputs[input].profile), "stack");
	int64_t *block = perun_alloc(2 * PERUN_SPAN_ROWS * sizeof *block);
	uint64_t *any = (uint64_t *)block + PERUN_SPAN_ROWS, sum = 0;
	struct perun_span span;
	bool good = true;

	for (size_t row = 0; good && perun_column_span_copy(stacks, row, &span, block);
	     row = span.first + span.count)
		good = has_all_stacks(&span) && are_good(apart, input, row, block, any, &sum);
	perun_free(block);
	return good;
}

/* Whether the second, labelled and turned around, is taken off a first that is as it is. */
static bool is_difference(const struct apart *apart)
{
	const struct perun_merge_input *first = &apart->inputs[0], *second = &apart->inputs[1];

	if (first->factors || first->label_key || !second->label_key || !second->factors)
		return false;
	for (size_t i = 0; i < apart->types[1].count; i++) {
		if (second->factors[i] != -1)
			return false;
	}
	return perun_profile_find_string(first->profile, second->label_key,
					 strlen(second->label_key)) == PERUN_NO_ID;
}

/* ---- places ------------------------------------------------------------------------------------ */

static void add_mappings(struct apart *apart)
{
	struct perun_merge_ids *ids = &apart->merger->ids;
	size_t count = perun_profile_mappings(ids->profile);

	for (size_t i = 0; i < count; i++) {
		struct perun_mapping mapping = *perun_profile_mapping(ids->profile, (perun_id)i);

		mapping.file = perun_merged_string(apart->merger, mapping.file);
		mapping.build_id = perun_merged_string(apart->merger, mapping.build_id);
		ids->mappings[i] = perun_builder_mapping(apart->builder, &mapping);
	}
}

static void add_functions(struct apart *apart)
{
	struct perun_merge_ids *ids = &apart->merger->ids;
	size_t count = perun_profile_functions(ids->profile);

	for (size_t i = 0; i < count; i++) {
		struct perun_function function = *perun_profile_function(ids->profile, (perun_id)i);

		function.name = perun_merged_string(apart->merger, function.name);
		function.system_name = perun_merged_string(apart->merger, function.system_name);
		function.file = perun_merged_string(apart->merger, function.file);
		ids->functions[i] = perun_builder_function(apart->builder, &function);
	}
}

static void add_locations(struct apart *apart)
{
	struct perun_merge_ids *ids = &apart->merger->ids;
	size_t count = perun_profile_locations(ids->profile), room = 0;
	struct perun_line *lines = NULL;

	for (size_t i = 0; i < count; i++) {
		struct perun_location location = *perun_profile_location(ids->profile, (perun_id)i);

		if (location.line_count > room) {
			room = location.line_count * 2;
			lines = perun_realloc_array(lines, room, sizeof *lines);
		}
		for (uint32_t k = 0; k < location.line_count; k++) {
			lines[k] = location.lines[k];
			if (lines[k].function != PERUN_NO_ID)
				lines[k].function = ids->functions[lines[k].function];
		}
		location.lines = lines;
		if (location.mapping != PERUN_NO_ID)
			location.mapping = ids->mappings[location.mapping];
		ids->locations[i] = perun_builder_location(apart->builder, &location);
	}
	perun_free(lines);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* Add `first_stack` to the stacks of the second's rows, and its label to their labels. */
static void append_keys(struct apart *apart, struct perun_table_builder *to, perun_id first_stack)
{
	static const struct perun_column_info info = {
		.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};
	const struct perun_table *from = perun_resources(apart->inputs[1].profile);
	const struct perun_column *stacks = perun_table_column(from, "stack");
	const struct perun_column *labels = perun_table_column(from, "labels");
	struct perun_column_builder *stacks_to = perun_table_find_column(to, "stack");
	struct perun_column_builder *labels_to = perun_table_add_column(to, &info);
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	perun_id *ids = perun_alloc(PERUN_SPAN_ROWS * sizeof *ids);
	struct perun_span span;

	for (size_t row = 0; perun_column_span_copy(stacks, row, &span, block);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++)
			ids[i] = first_stack + span.ids[i];
		perun_column_append_ids(stacks_to, PERUN_TYPE_STACK, ids, span.count);
		if (labels)
			perun_column_span_copy(labels, row, &span, block);
		for (size_t i = 0; i < span.count; i++)
			ids[i] = perun_merged_labels(apart->merger,
						     labels ? span.ids[i] : PERUN_NO_ID,
						     &apart->inputs[1]);
		perun_column_append_ids(labels_to, PERUN_TYPE_LABELS, ids, span.count);
	}
	perun_free(ids);
	perun_free(block);
}

static void append_values(struct apart *apart, struct perun_table_builder *to, size_t i)
{
	struct perun_column_builder *column =
		perun_table_find_column(to, apart->plan->types[i].column);
	int64_t *block = perun_alloc(2 * PERUN_SPAN_ROWS * sizeof *block);
	int64_t *negative = block + PERUN_SPAN_ROWS;
	struct perun_span span;

	for (size_t row = 0;
	     perun_column_span_copy(apart->types[1].items[i].column, row, &span, block);
	     row = span.first + span.count) {
		for (size_t k = 0; k < span.count; k++)
			negative[k] = -span.int64s[k];
		perun_column_append_int64(column, negative, span.count);
	}
	perun_free(block);
}

/* ---- all of it --------------------------------------------------------------------------------- */

static bool append_second(struct apart *apart)
{
	const struct perun_profile *second = apart->inputs[1].profile;
	struct perun_table_builder *table = perun_builder_table(apart->builder, "resources");
	struct perun_pools *pools = &apart->builder->pools;
	perun_id first_stack = (perun_id)perun_pools_stack_count(pools);

	add_mappings(apart);
	add_functions(apart);
	add_locations(apart);
	if (!perun_pools_append_stacks(pools, &second->pools, apart->merger->ids.locations))
		return false;
	perun_pools_trust_stacks(pools);
	append_keys(apart, table, first_stack);
	for (size_t i = 0; i < apart->plan->count; i++)
		append_values(apart, table, i);
	perun_table_end_rows(table, perun_table_rows(perun_resources(second)));
	return true;
}

static void make_document(struct apart *apart)
{
	struct perun_json *document = perun_builder_document(apart->builder);

	while (perun_json_count(document))
		perun_json_remove_at(document, 0);
	for (size_t i = 0; i < 2; i++)
		perun_merge_header(apart->merger, apart->inputs[i].profile, &apart->types[i],
				   i == 1);
	perun_merged_document(apart->merger, document);
}

static bool merge_apart(struct apart *apart)
{
	bool done;

	if (!is_difference(apart) || !is_plain(apart, 0) || !is_plain(apart, 1) ||
	    !has_good_rows(apart, 0) || !has_good_rows(apart, 1))
		return false;
	apart->merger = perun_merger_new(apart->plan);
	perun_builder_free(apart->merger->builder);
	apart->builder = perun_builder_from((struct perun_profile *)apart->inputs[0].profile);
	apart->merger->builder = apart->builder;
	perun_merge_begin_ids(apart->merger, apart->inputs[1].profile);
	done = append_second(apart);
	if (done) {
		make_document(apart);
		apart->merger->builder = NULL;
	}
	perun_merger_free(apart->merger);
	return done;
}

int perun_merge_apart(struct perun_ctx *ctx, const struct perun_merge_plan *plan,
		      const struct perun_merge_input *inputs, struct perun_profile **profile)
{
	struct apart apart = {.inputs = inputs, .plan = plan};
	int status = PERUN_OK;

	for (size_t i = 0; i < 2; i++)
		perun_merge_types_of(inputs[i].profile, &apart.types[i]);
	if (merge_apart(&apart))
		status = perun_builder_finish(ctx, apart.builder, profile);
	for (size_t i = 0; i < 2; i++)
		perun_merge_types_free(&apart.types[i]);
	return status;
}
