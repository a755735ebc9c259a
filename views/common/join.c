/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of two profiles as one list, by name. */
#include <config.h>

#include <string.h>

#include <perun/lib/hash.h>

#include "views/common/rows.h"

/* Numbers of rows by name and file; open addressing, at most half full. */
struct table {
	size_t *slots; /* SIZE_MAX = free */
	size_t mask;
};

static size_t hash_of(const struct views_row *row)
{
	const char *file = row->file ? row->file : "";
	uint64_t hash = perun_hash_number(perun_hash_text(row->name, strlen(row->name)));

	return (size_t)(hash ^ perun_hash_text(file, strlen(file)));
}

static bool is_same(const struct views_row *a, const struct views_row *b)
{
	return strcmp(a->name, b->name) == 0 &&
	       strcmp(a->file ? a->file : "", b->file ? b->file : "") == 0;
}

/* The slot of the row of that name, or the free one for it. */
static size_t *find(const struct table *table, const struct views_rows *rows,
		    const struct views_row *row)
{
	size_t i = hash_of(row) & table->mask;

	while (table->slots[i] != SIZE_MAX && !is_same(&rows->items[table->slots[i]], row))
		i = (i + 1) & table->mask;
	return &table->slots[i];
}

/* Put a row with values of profile `which` into the list, or add them to the one that is there. */
static void put(struct table *table, struct views_rows *rows, struct views_row *row, size_t which,
		long double factor)
{
	long double self = row->self[0] * factor, total = row->total[0] * factor;
	size_t *slot = find(table, rows, row), source = row->source[0];
	struct views_row *there;

	if (*slot == SIZE_MAX) {
		*slot = rows->count++;
		there = &rows->items[*slot];
		*there = *row;
		*row = (struct views_row){0};
		for (size_t i = 0; i < 2; i++) {
			there->self[i] = there->total[i] = 0;
			there->source[i] = SIZE_MAX;
		}
	}
	there = &rows->items[*slot];
	there->self[which] += self;
	there->total[which] += total;
	if (there->source[which] == SIZE_MAX)
		there->source[which] = source;
}

void views_rows_join(struct views_rows sides[2], const long double factors[2],
		     struct views_rows *joined)
{
	size_t most = sides[0].count + sides[1].count;
	struct table table = {.mask = 15};

	while (table.mask < most * 2)
		table.mask = table.mask * 2 + 1;
	table.slots = perun_alloc((table.mask + 1) * sizeof *table.slots);
	memset(table.slots, 0xff, (table.mask + 1) * sizeof *table.slots);
	*joined = (struct views_rows){.capacity = most + 1};
	joined->items = perun_alloc_zero(most + 1, sizeof *joined->items);
	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; i < sides[side].count; i++)
			put(&table, joined, &sides[side].items[i], side, factors[side]);
		views_rows_free(&sides[side]);
	}
	perun_free(table.slots);
}

struct reading {
	const struct views_pair *pair;
	struct views_rows sides[2];
};

static int read_side(struct perun_ctx *ctx, size_t i, void *context)
{
	struct reading *reading = context;
	struct views_data data = reading->pair->data[i];

	data.ctx = ctx;
	return views_rows_of(&data, &reading->sides[i]);
}

int views_rows_of_pair(struct perun_ctx *ctx, const struct views_pair *pair,
		       struct views_rows *joined)
{
	struct reading reading = {.pair = pair};
	int status = perun_parallel_for(ctx, 2, read_side, &reading);

	if (!status)
		views_rows_join(reading.sides, pair->factor, joined);
	views_rows_free(&reading.sides[0]);
	views_rows_free(&reading.sides[1]);
	return status;
}
