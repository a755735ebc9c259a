/* SPDX-License-Identifier: BSD-3-Clause */
/* The merged profile. */
#include <string.h>

#include "core/merge/merge.h"
#include "core/profile/model.h"

enum { BATCH = 4096 };

static void append_values(struct perun_merger *merger, struct perun_column_builder *column,
			  size_t type)
{
	size_t types = merger->plan->count;
	bool real = merger->plan->types[type].real;
	int64_t numbers[BATCH];
	double reals[BATCH];

	for (size_t row = 0, count; row < merger->count; row += count) {
		const union perun_merged_value *values = merger->values + row * types + type;

		count = merger->count - row < BATCH ? merger->count - row : BATCH;
		for (size_t i = 0; i < count; i++) {
			if (real)
				reals[i] = values[i * types].real;
			else
				numbers[i] = values[i * types].number;
		}
		if (real)
			perun_column_append_double(column, reals, NULL, count);
		else
			perun_column_append_int64(column, numbers, count);
	}
}

static void add_column(struct perun_merger *merger, struct perun_table_builder *table, size_t i)
{
	const struct perun_planned_type *type = &merger->plan->types[i];
	struct perun_column_info info = {.name = type->column,
					 .unit = type->unit,
					 .type = type->real ? PERUN_TYPE_DOUBLE : PERUN_TYPE_INT64,
					 .role = PERUN_ROLE_METRIC};
	struct perun_column_builder *column = perun_table_add_column(table, &info);

	perun_column_save_memory(column);
	append_values(merger, column, i);
}

static bool any_labels(const struct perun_merger *merger)
{
	for (size_t row = 0; row < merger->count; row++) {
		if (merger->labels[row] != PERUN_NO_ID)
			return true;
	}
	return false;
}

static void make_table(struct perun_merger *merger)
{
	static const struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	static const struct perun_column_info labels = {
		.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};
	struct perun_table_builder *table = perun_builder_table(merger->builder, "resources");

	perun_column_append_ids(perun_table_add_column(table, &stack), PERUN_TYPE_STACK,
				merger->stacks, merger->count);
	if (any_labels(merger))
		perun_column_append_ids(perun_table_add_column(table, &labels), PERUN_TYPE_LABELS,
					merger->labels, merger->count);
	for (size_t i = 0; i < merger->plan->count; i++)
		add_column(merger, table, i);
	perun_table_end_rows(table, merger->count);
}

static bool is_zero_row(const struct perun_merger *merger, size_t row)
{
	size_t types = merger->plan->count;

	for (size_t i = 0; i < types; i++) {
		const union perun_merged_value *value = &merger->values[row * types + i];

		if (merger->plan->types[i].real ? value->real != 0 : value->number != 0)
			return false;
	}
	return true;
}

static int add_result(struct perun_ctx *ctx, struct perun_merger *merger,
		      struct perun_profile **profile);

/* Samples whose sum is 0, and what nothing else uses, are left out by merging once more. */
static int without_zeros(struct perun_ctx *ctx, struct perun_merger *merger,
			 struct perun_profile **profile)
{
	struct perun_merge_input input = {.struct_size = sizeof input};
	struct perun_merged_header header = merger->header;
	struct perun_profile *first = NULL;
	struct perun_merger *again;
	int status;

	merger->header = (struct perun_merged_header){0};
	again = perun_merger_new(merger->plan);
	status = add_result(ctx, merger, &first);
	input.profile = first;
	if (!status)
		status = perun_merger_add(ctx, again, &input);
	perun_merged_header_free(&again->header);
	again->header = header;
	perun_profile_unref(first);
	if (!status)
		return add_result(ctx, again, profile);
	perun_merger_free(again);
	return status;
}

static int add_result(struct perun_ctx *ctx, struct perun_merger *merger,
		      struct perun_profile **profile)
{
	struct perun_builder *builder = merger->builder;

	make_table(merger);
	perun_merged_document(merger, perun_builder_document(builder));
	/* Locations were numbered here; to look at each frame again takes time in large profiles. */
	perun_pools_trust_stacks(&builder->pools);
	merger->builder = NULL;
	perun_merger_free(merger);
	return perun_builder_finish(ctx, builder, profile);
}

static int finish_canonical(struct perun_ctx *ctx, struct perun_merger *merger,
			    struct perun_profile **profile)
{
	struct perun_mapping *smallest = merger->smallest;
	perun_id *programs = merger->programs;
	const struct perun_merged_mappings known = {smallest, merger->smallest_count, programs,
						    merger->program_count};
	struct perun_profile *merged = NULL;
	int status;

	merger->smallest = NULL;
	merger->programs = NULL;
	status = add_result(ctx, merger, &merged);
	if (!status)
		status = perun_merge_canonical(ctx, merged, &known, profile);
	perun_profile_unref(merged);
	perun_free(smallest);
	perun_free(programs);
	return status;
}

int perun_merger_finish(struct perun_ctx *ctx, struct perun_merger *merger,
			struct perun_profile **profile)
{
	*profile = NULL;
	if (merger->plan->flags & PERUN_MERGE_CANONICAL)
		return finish_canonical(ctx, merger, profile);
	for (size_t row = 0; row < merger->count; row++) {
		if (is_zero_row(merger, row))
			return without_zeros(ctx, merger, profile);
	}
	return add_result(ctx, merger, profile);
}
