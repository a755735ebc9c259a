/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding the samples of one input after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context/structs.h"
#include "core/merge/merge.h"
#include "core/profile/model.h"

static int by_type(const void *one, const void *other)
{
	const struct perun_planned_type *a = one, *b = other;
	int order = strcmp(a->type, b->type);

	return order ? order : strcmp(a->column, b->column);
}

struct perun_merger *perun_merger_new(const struct perun_merge_plan *plan)
{
	struct perun_merger *merger = perun_alloc_zero(1, sizeof *merger);

	merger->plan = perun_merge_plan_copy(plan);
	if (plan->flags & PERUN_MERGE_CANONICAL)
		qsort(merger->plan->types, plan->count, sizeof *plan->types, by_type);
	merger->builder = perun_builder_new();
	merger->mapping_keys = perun_pool_new(false);
	merger->function_keys = perun_pool_new(false);
	merger->location_keys = perun_pool_new(false);
	return merger;
}

void perun_merger_free(struct perun_merger *merger)
{
	if (!merger)
		return;
	perun_merge_end_ids(merger);
	perun_merged_header_free(&merger->header);
	perun_merge_plan_free(merger->plan);
	perun_builder_free(merger->builder);
	perun_pool_unref(merger->mapping_keys);
	perun_pool_unref(merger->function_keys);
	perun_pool_unref(merger->location_keys);
	perun_free(merger->mapping_starts);
	perun_free(merger->smallest);
	perun_free(merger->programs);
	perun_free(merger->stacks);
	perun_free(merger->labels);
	perun_free(merger->values);
	perun_free(merger->slots);
	perun_free(merger);
}

bool perun_merge_as_pprof(const struct perun_merger *merger)
{
	return merger->plan->flags & PERUN_MERGE_AS_PPROF;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* One metric of the input on its way. */
struct lane {
	const struct perun_merge_type *type;
	double factor, ratio; /* what the caller wants; of the units */
	bool real;            /* in the result */
	bool spanned;         /* cells come in blocks */
	bool named;           /* rows say that they have it: see take_named() */
	struct perun_span span;
	int64_t *cells;
};

struct adding {
	struct perun_ctx *ctx;
	struct perun_merger *merger;
	const struct perun_merge_input *input;
	struct lane *lanes; /* one for each planned type */
	size_t count;
	size_t named; /* lanes of metrics that rows name; of each metric which one it is, or SIZE_MAX */
	size_t *lane_of_metric;
	bool factors, ratios; /* some factor or ratio is not 1 */
	bool sparse;          /* samples have few of many metrics */
	struct perun_row_writer *writer;
	/* Samples on their way to it, whose keys are the input's; the values of the one that is read. */
	struct perun_row_block *block;
	size_t translated; /* the keys of this many are the result's */
	union perun_merged_value *values;
	const uint32_t *
		taken; /* the lanes that these are of: all, or where it is sparse those of the row */
	size_t taken_count;
	uint32_t *all;
	int status;
};

/* As Go converts on amd64: what does not fit becomes the smallest number. */
static int64_t pprof_round(double value)
{
	value = round(value);
	return value >= -9223372036854775808.0 && value < 9223372036854775808.0 ? (int64_t)value
										: INT64_MIN;
}

/* The same as through a double, where that is exact. */
static int64_t pprof_product(int64_t value, double factor)
{
	const int64_t exact = INT64_C(1) << 53;

	if (factor == -1 && value >= -exact && value <= exact)
		return -value;
	return pprof_round((double)value * factor);
}

/*
 * One step of scaling in pprof: all samples of which some column is scaled, but none of these keeps a
 * value, vanish.
 */
static bool scale_as_pprof(struct adding *adding, bool ratios)
{
	bool keep = false;

	for (size_t i = 0; i < adding->taken_count; i++) {
		const struct lane *lane = &adding->lanes[adding->taken[i]];
		double factor = ratios ? lane->ratio : lane->factor;
		union perun_merged_value *value = &adding->values[i];

		if (factor == 1)
			continue;
		if (lane->real)
			value->real *= factor;
		else
			value->number = pprof_product(value->number, factor);
		keep |= lane->real ? value->real != 0 : value->number != 0;
	}
	return keep;
}

static int too_large(struct adding *adding, const struct lane *lane)
{
	adding->status = perun_fail(adding->ctx, PERUN_INPUT,
				    "a value of %s leaves 64 bits when it is scaled or summed",
				    lane->type->type);
	return adding->status;
}

static void scale_exactly(struct adding *adding)
{
	for (size_t i = 0; i < adding->taken_count; i++) {
		const struct lane *lane = &adding->lanes[adding->taken[i]];
		union perun_merged_value *value = &adding->values[i];
		bool whole = lane->factor == rint(lane->factor) && fabs(lane->factor) < 1e18;

		if (lane->real) {
			value->real *= lane->factor * lane->ratio;
			continue;
		}
		if (lane->factor != 1 && whole) {
			if (__builtin_mul_overflow(value->number, (int64_t)lane->factor,
						   &value->number))
				too_large(adding, lane);
		} else if (lane->factor != 1) {
			long double product = roundl((long double)value->number * lane->factor);

			if (!(fabsl(product) < 9223372036854775807.0L))
				too_large(adding, lane);
			else
				value->number = (int64_t)product;
		}
		/* To a finer unit: a whole number. */
		if (lane->ratio != 1 &&
		    __builtin_mul_overflow(value->number, llrint(lane->ratio), &value->number))
			too_large(adding, lane);
	}
}

static bool is_zero(const struct adding *adding)
{
	for (size_t i = 0; i < adding->taken_count; i++) {
		if (adding->lanes[adding->taken[i]].real ? adding->values[i].real != 0
							 : adding->values[i].number != 0)
			return false;
	}
	return true;
}

static union perun_merged_value cell_value(const struct lane *lane, size_t row)
{
	union perun_merged_value value = {0};
	const struct perun_merge_type *type = lane->type;

	if (type->metric && !perun_metric_has_row(type->metric, row))
		return value;
	if (perun_column_absent(type->column, row))
		return value;
	if (lane->real)
		value.real = perun_column_double(type->column, row);
	else
		value.number = perun_column_int64(type->column, row);
	return value;
}

/* Of metrics that rows name, each row has few: the others are not asked. */
static void take_named(struct adding *adding, size_t row)
{
	const struct perun_profile *profile = adding->input->profile;

	memset(adding->values, 0, adding->count * sizeof *adding->values);
	for (size_t m = perun_metric_of_row(profile, row, 0); m != SIZE_MAX;
	     m = perun_metric_of_row(profile, row, m + 1)) {
		size_t i = adding->lane_of_metric[m];

		if (i != SIZE_MAX)
			adding->values[i] = cell_value(&adding->lanes[i], row);
	}
}

/* The same at the end of a sparse block. */
static void take_some(struct adding *adding, size_t row)
{
	const struct perun_profile *profile = adding->input->profile;
	struct perun_row_block *block = adding->block;
	size_t end = block->value_count;

	for (size_t m = perun_metric_of_row(profile, row, 0); m != SIZE_MAX;
	     m = perun_metric_of_row(profile, row, m + 1)) {
		size_t i = adding->lane_of_metric[m];

		if (i == SIZE_MAX)
			continue;
		PERUN_GROW(block->types, end, block->type_capacity);
		PERUN_GROW(block->values, end, block->value_capacity);
		block->types[end] = (uint32_t)i;
		block->values[end++] = cell_value(&adding->lanes[i], row);
	}
	adding->taken_count = end - block->value_count;
	if (!adding->taken_count)
		return;
	adding->taken = block->types + block->value_count;
	adding->values = block->values + block->value_count;
}

/* The values of a row, scaled; false when the sample vanishes. */
static bool take_values(struct adding *adding, size_t row)
{
	if (adding->sparse)
		take_some(adding, row);
	else if (adding->named)
		take_named(adding, row);
	for (size_t i = 0; i < adding->count && adding->named < adding->count; i++) {
		const struct lane *lane = &adding->lanes[i];

		if (lane->named)
			continue;
		if (lane->spanned)
			adding->values[i].number = lane->span.int64s[row - lane->span.first];
		else
			adding->values[i] = cell_value(lane, row);
	}
	if (!adding->factors && !adding->ratios)
		return !is_zero(adding);
	if (!perun_merge_as_pprof(adding->merger))
		scale_exactly(adding);
	else if ((adding->factors && !scale_as_pprof(adding, false)) ||
		 (adding->ratios && !scale_as_pprof(adding, true)))
		return false;
	return !is_zero(adding);
}

/* ---- an input -------------------------------------------------------------------------------- */

/* Metrics that rows name are found by them. Types are in the order of metrics; a second lane of one is asked for itself. */
static void name_lanes(struct adding *adding, const struct perun_merge_types *types)
{
	size_t count, m = 0;
	const struct perun_metric *const *metrics = perun_metrics(adding->input->profile, &count);
	size_t *lane_of_type = perun_alloc(types->count * sizeof *lane_of_type + 1);

	for (size_t i = 0; i < types->count; i++)
		lane_of_type[i] = SIZE_MAX;
	for (size_t i = 0; i < adding->count; i++) {
		struct lane *lane = &adding->lanes[i];
		size_t type = (size_t)(lane->type - types->items);

		lane->named = lane->type->metric && lane_of_type[type] == SIZE_MAX;
		adding->named += lane->named;
		if (lane->named)
			lane_of_type[type] = i;
	}
	adding->lane_of_metric = perun_alloc(count * sizeof *adding->lane_of_metric + 1);
	for (size_t i = 0; i < count; i++)
		adding->lane_of_metric[i] = SIZE_MAX;
	for (size_t i = 0; i < types->count; i++) {
		if (!types->items[i].metric)
			continue;
		while (metrics[m] != types->items[i].metric)
			m++;
		adding->lane_of_metric[m] = lane_of_type[i];
	}
	perun_free(lane_of_type);
}

static int open_lanes(struct adding *adding, const struct perun_merge_types *types)
{
	const struct perun_merge_plan *plan = adding->merger->plan;
	const struct perun_merge_type **planned = perun_planned_in(plan, types);
	size_t rows = perun_table_rows(perun_resources(adding->input->profile));

	for (size_t i = 0; i < plan->count; i++) {
		struct lane *lane = &adding->lanes[i];
		const struct perun_merge_type *type = planned[i];
		enum perun_type cells;

		if (!type) {
			perun_free(planned);
			return perun_fail(adding->ctx, PERUN_INPUT,
					  "the profile has no metric %s, which the others have",
					  plan->types[i].type);
		}
		cells = perun_column_info(type->column)->type;
		lane->type = type;
		lane->real = plan->types[i].real;
		lane->factor =
			adding->input->factors ? adding->input->factors[type - types->items] : 1;
		lane->ratio = perun_unit_ratio(type->unit, plan->types[i].unit);
		lane->spanned = !type->metric && cells == PERUN_TYPE_INT64 && !lane->real;
		if (lane->spanned)
			lane->cells =
				perun_alloc((rows < PERUN_SPAN_ROWS ? rows : PERUN_SPAN_ROWS) *
					    sizeof *lane->cells);
		adding->factors |= lane->factor != 1;
		adding->ratios |= lane->ratio != 1;
	}
	perun_free(planned);
	name_lanes(adding, types);
	return PERUN_OK;
}

static void open_spans(struct adding *adding, size_t row)
{
	for (size_t i = 0; i < adding->count; i++) {
		struct lane *lane = &adding->lanes[i];

		if (lane->spanned)
			perun_column_span_copy(lane->type->column, row, &lane->span, lane->cells);
	}
}

static void end_batch(struct adding *adding)
{
	struct perun_merger *merger = adding->merger;
	struct perun_row_block *block = adding->block;
	perun_id *stacks = block->stacks + adding->translated;

	perun_merged_stacks(merger, stacks, block->count - adding->translated, stacks);
	for (; adding->translated < block->count; adding->translated++) {
		perun_id *labels = &block->labels[adding->translated];

		*labels = perun_merged_labels(merger, *labels, adding->input);
	}
}

/* Values that a result may have of samples with few of many metrics, most of which are 0. */
#define MOST_CELLS ((size_t)1 << 25)

static void check_cells(struct adding *adding)
{
	if (adding->sparse && !adding->status && adding->merger->count * adding->count > MOST_CELLS)
		adding->status = perun_fail(
			adding->ctx, PERUN_INPUT,
			"samples would have more than %zu values of metrics, most of which they do "
			"not have",
			MOST_CELLS);
}

static void next_block(struct adding *adding)
{
	end_batch(adding);
	adding->block = perun_row_writer_next(adding->writer);
	adding->values = adding->block->values;
	adding->translated = 0;
	check_cells(adding);
}

static void add_sample(struct adding *adding, size_t row, perun_id stack, perun_id labels)
{
	struct perun_row_block *block = adding->block;

	if (!take_values(adding, row) || adding->status)
		return;
	block->stacks[block->count] = stack;
	block->labels[block->count] = labels;
	block->ends[block->count++] = block->value_count += adding->taken_count;
	if (!adding->sparse)
		adding->values += adding->count;
	if (block->count == PERUN_ROW_BLOCK)
		next_block(adding);
	else if (block->count - adding->translated == PERUN_MERGE_BATCH)
		end_batch(adding);
}

static int add_samples(struct adding *adding)
{
	const struct perun_table *table = perun_resources(adding->input->profile);
	const struct perun_column *stacks = perun_table_column(table, "stack");
	const struct perun_column *labels = perun_table_column(table, "labels");
	size_t rows = perun_table_rows(table);
	struct perun_span stack_span = {0}, label_span = {0};

	if (labels && perun_column_info(labels)->type != PERUN_TYPE_LABELS)
		labels = NULL;
	for (size_t row = 0; row < rows && !adding->status; row++) {
		if (row % PERUN_SPAN_ROWS == 0) {
			if (perun_cancelled(adding->ctx))
				return perun_fail(adding->ctx, PERUN_CANCELLED, "interrupted");
			perun_column_span(stacks, row, &stack_span);
			if (labels)
				perun_column_span(labels, row, &label_span);
			open_spans(adding, row);
		}
		add_sample(adding, row, stack_span.ids[row - stack_span.first],
			   labels ? label_span.ids[row - label_span.first] : PERUN_NO_ID);
	}
	end_batch(adding);
	return adding->status;
}

/* The samples on the one hand, their rows on the other. */
static int add_rows(struct adding *adding)
{
	enum { MANY_METRICS = 16 };
	size_t rows = perun_table_rows(perun_resources(adding->input->profile)), lane;
	int status;

	adding->sparse = adding->named == adding->count && adding->count > MANY_METRICS;
	adding->all = perun_alloc(adding->count * sizeof *adding->all + 1);
	for (size_t i = 0; i < adding->count; i++)
		adding->all[i] = (uint32_t)i;
	adding->taken = adding->all;
	adding->taken_count = adding->count;
	perun_merge_reserve_rows(adding->merger, adding->input->profile, adding->sparse);
	adding->writer = perun_row_writer_new(adding->merger, rows, adding->sparse);
	adding->block = perun_row_writer_next(adding->writer);
	adding->values = adding->block->values;
	status = add_samples(adding);
	lane = perun_row_writer_end(adding->writer);
	if (!status) {
		check_cells(adding);
		status = adding->status;
	}
	if (!status && lane < adding->count)
		status = too_large(adding, &adding->lanes[lane]);
	if (!status && adding->merger->count >= UINT32_MAX - 1)
		status = perun_fail(adding->ctx, PERUN_INPUT, "more than 2^32 samples");
	return status;
}

static bool has_stacks(const struct perun_profile *profile)
{
	const struct perun_column *stacks = perun_table_column(perun_resources(profile), "stack");

	return stacks && perun_column_info(stacks)->type == PERUN_TYPE_STACK;
}

int perun_merger_add(struct perun_ctx *ctx, struct perun_merger *merger,
		     const struct perun_merge_input *given)
{
	struct perun_merge_input input = {0};
	struct perun_merge_types types;
	struct adding adding = {
		.ctx = ctx, .merger = merger, .input = &input, .count = merger->plan->count};
	int status;

	PERUN_STRUCT_TAKE(&input, given);
	if (!has_stacks(input.profile))
		return perun_fail(ctx, PERUN_INPUT, "the profile has no stacks to merge");
	perun_merge_types_of(input.profile, &types);
	adding.lanes = perun_alloc_zero(adding.count + 1, sizeof *adding.lanes);
	status = open_lanes(&adding, &types);
	if (!status) {
		bool subtracted = adding.count && adding.lanes[0].factor < 0;
		bool canonical = merger->plan->flags & PERUN_MERGE_CANONICAL;

		perun_merge_header(merger, input.profile, &types, subtracted);
		perun_merge_begin_ids(merger, input.profile);
		if (perun_profile_mappings(input.profile) &&
		    (!merger->mapping_keys->count || canonical))
			perun_merge_note_program(merger, perun_merged_mapping(merger, 0));
		status = add_rows(&adding);
		perun_merge_end_ids(merger);
	}
	for (size_t i = 0; i < adding.count; i++)
		perun_free(adding.lanes[i].cells);
	perun_free(adding.lanes);
	perun_free(adding.lane_of_metric);
	perun_free(adding.all);
	perun_merge_types_free(&types);
	return status;
}

int perun_merge(struct perun_ctx *ctx, const struct perun_merge_input *inputs, size_t count,
		unsigned flags, struct perun_profile **profile)
{
	struct perun_merge_plan *plan = perun_merge_plan_new(flags);
	struct perun_merger *merger;
	int status = PERUN_OK;

	*profile = NULL;
	for (size_t i = 0; i < count && !status; i++)
		status = perun_merge_plan_add(ctx, plan, inputs[i].profile);
	if (!status && count == 2 && (flags & PERUN_MERGE_NO_DEDUP))
		status = perun_merge_apart(ctx, plan, inputs, profile);
	if (*profile) {
		perun_merge_plan_free(plan);
		return PERUN_OK;
	}
	merger = perun_merger_new(plan);
	for (size_t i = 0; i < count && !status; i++)
		status = perun_merger_add(ctx, merger, &inputs[i]);
	perun_merge_plan_free(plan);
	if (!status)
		return perun_merger_finish(ctx, merger, profile);
	perun_merger_free(merger);
	return status;
}
