/* SPDX-License-Identifier: BSD-3-Clause */
/* The checks that a builder passes before it becomes a profile: no id points outside. */
#include <math.h>
#include <string.h>

#include "core/profile/model.h"

static bool good_point(const struct perun_pools *pools, const void *item, size_t size)
{
	(void)item;
	return size / sizeof(double) <= pools->parameter_count;
}

static int check_stacks(struct perun_ctx *ctx, struct perun_pools *pools)
{
	perun_id wrong = perun_pools_wrong_stack(pools);

	if (wrong == PERUN_NO_ID)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "stack %u names something that the profile does not hold", wrong);
}

/* The first item that was not checked before and is not good; a pool that is shared was, and is left alone. */
static perun_id first_wrong(const struct perun_pools *pools, enum perun_pool_kind kind,
			    bool (*good)(const struct perun_pools *pools, const void *item,
					 size_t size))
{
	struct perun_pool *pool = pools->pool[kind];

	for (; pool->checked < pool->count; pool->checked++) {
		size_t size;
		const void *item = perun_pool_at(pool, pool->checked, &size);

		if (!good(pools, item, size))
			return pool->checked;
	}
	return PERUN_NO_ID;
}

static perun_id first_wrong_of(struct perun_pools *pools, enum perun_pool_kind kind)
{
	switch (kind) {
	case PERUN_POOL_FUNCTIONS:
	case PERUN_POOL_MAPPINGS:
	case PERUN_POOL_LOCATIONS:
	case PERUN_POOL_LABELS:
		return perun_pools_wrong_place(pools, kind);
	case PERUN_POOL_POINTS:
		return first_wrong(pools, kind, good_point);
	default:
		return PERUN_NO_ID;
	}
}

static int check_pools(struct perun_ctx *ctx, struct perun_pools *pools)
{
	static const char *const words[] = {
		[PERUN_POOL_FUNCTIONS] = "function", [PERUN_POOL_MAPPINGS] = "mapping",
		[PERUN_POOL_LOCATIONS] = "location", [PERUN_POOL_LABELS] = "label set",
		[PERUN_POOL_POINTS] = "point",
	};

	for (int kind = PERUN_POOL_FUNCTIONS; kind < PERUN_POOL_COUNT; kind++) {
		perun_id wrong = first_wrong_of(pools, kind);

		if (wrong != PERUN_NO_ID)
			return perun_fail(ctx, PERUN_INPUT,
					  "%s %u names something that the profile does not hold",
					  words[kind], wrong);
	}
	return check_stacks(ctx, pools);
}

/* Parameters that were added after a point: their values in it are unknown. */
static void complete_points(struct perun_pools *pools)
{
	size_t size = pools->parameter_count * sizeof(double), own;
	double *values = perun_alloc(size);

	for (perun_id id = 0; id < pools->pool[PERUN_POOL_POINTS]->count; id++) {
		const void *point = perun_pool_at(pools->pool[PERUN_POOL_POINTS], id, &own);

		if (own >= size)
			continue;
		if (own)
			memcpy(values, point, own);
		for (size_t i = own / sizeof *values; i < pools->parameter_count; i++)
			values[i] = NAN;
		perun_pool_replace(&pools->pool[PERUN_POOL_POINTS], id, values, size);
	}
	perun_free(values);
}

/* The limit as it is: cells may have gone, or were set again, since it was noted. */
static perun_id true_limit(const struct perun_cells *cells)
{
	struct perun_scratch scratch = {0};
	struct perun_span span;
	perun_id limit = 0;

	for (size_t row = 0; perun_cells_read(cells, row, &scratch, &span);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			if (span.ids[i] != PERUN_NO_ID && span.ids[i] >= limit)
				limit = span.ids[i] + 1;
		}
	}
	perun_free(scratch.cells);
	return limit;
}

static int check_column(struct perun_ctx *ctx, const struct perun_builder *builder,
			struct perun_column_builder *column)
{
	struct perun_cells *cells = &column->cells;
	size_t held = perun_pools_count(&builder->pools, cells->type);
	const struct perun_table_builder *referred;

	if (!perun_type_is_id(cells->type) || cells->limit == 0)
		return PERUN_OK;
	if (held == SIZE_MAX) {
		referred = column->info.refers
				   ? perun_builder_find_table(builder, column->info.refers)
				   : NULL;
		held = referred ? referred->rows : 0;
	}
	if (cells->limit > held)
		cells->limit = true_limit(cells);
	if (cells->limit <= held)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "column %s of table %s names entry %u, but there are only %zu",
			  column->info.name, column->table->name, cells->limit - 1, held);
}

int perun_builder_validate(struct perun_ctx *ctx, struct perun_builder *builder)
{
	int status;

	if (builder->failure)
		return perun_fail(ctx, PERUN_INPUT, "%s", builder->failure);
	status = check_pools(ctx, &builder->pools);
	if (status != PERUN_OK)
		return status;
	complete_points(&builder->pools);
	for (size_t t = 0; t < builder->table_count; t++) {
		struct perun_table_builder *table = builder->tables[t];

		if (table->rows > UINT32_MAX - 1)
			return perun_fail(ctx, PERUN_INPUT, "table %s has %zu rows, more than 2^32",
					  table->name, table->rows);
		for (size_t c = 0; c < table->column_count; c++) {
			struct perun_column_builder *column = table->columns[c];

			if (column->bulk_end > table->rows)
				return perun_fail(ctx, PERUN_INPUT,
						  "columns are uneven: %s of table %s has %zu "
						  "cells for %zu rows",
						  column->info.name, table->name, column->bulk_end,
						  table->rows);
			/* Cells of a row that was not ended are dropped. */
			perun_cells_truncate(&column->cells, table->rows);
			perun_column_pad(column);
			/* Now, and not when all are padded: absent cells are packed. */
			perun_cells_finish(&column->cells);
			status = check_column(ctx, builder, column);
			if (status != PERUN_OK)
				return status;
		}
	}
	return PERUN_OK;
}
