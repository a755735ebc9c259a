/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a measurement among those of its series. */
#include <string.h>

#include <perun/lib/hash.h>

#include "benchmark-orders.h"

struct counted_series {
	struct series series;
	uint32_t next; /* order of the next measurement + 1; 0: this place is free */
};

/* One of the first series of a benchmark: most have no others. */
struct counted_first {
	perun_id type, subtype;
	uint32_t next;
};

/* ---- tables ---------------------------------------------------------------------------------- */

static bool is_same(const struct series *a, const struct series *b)
{
	return a->uid == b->uid && a->type == b->type && a->subtype == b->subtype;
}

/*
 * Names are numbered as they come, so that a reader mostly asks for consecutive ones: four of them have neighbouring
 * places, which are fetched from memory together.
 */
static struct counted_series *find(struct counted_series *all, size_t size,
				   const struct series *wanted)
{
	uint64_t hash = wanted->uid / 4;

	hash = perun_hash_number(hash << 32 | wanted->type);
	hash = perun_hash_number(hash ^ wanted->subtype) * 4 + wanted->uid % 4;
	for (size_t i = (size_t)hash & (size - 1);; i = (i + 1) & (size - 1)) {
		if (all[i].next == 0 || is_same(&all[i].series, wanted))
			return &all[i];
	}
}

static void grow_others(struct orders *orders)
{
	size_t size = orders->other_size ? orders->other_size * 2 : 64;
	struct counted_series *grown = perun_alloc_zero(size, sizeof *grown);

	for (size_t i = 0; i < orders->other_size; i++) {
		if (orders->others[i].next)
			*find(grown, size, &orders->others[i].series) = orders->others[i];
	}
	perun_free(orders->others);
	orders->others = grown;
	orders->other_size = size;
}

/* Zeroes after what is there: a large array takes no memory for these until they are used. */
static void grow_firsts(struct orders *orders, size_t which, size_t need)
{
	size_t size = orders->first_sizes[which] ? orders->first_sizes[which] * 2 : 64;
	struct counted_first *grown;

	if (size < need)
		size = need;
	grown = perun_alloc_zero(size, sizeof *grown);
	if (orders->first_sizes[which])
		memcpy(grown, orders->firsts[which], orders->first_sizes[which] * sizeof *grown);
	perun_free(orders->firsts[which]);
	orders->firsts[which] = grown;
	orders->first_sizes[which] = size;
}

static uint32_t *next_of_others(struct orders *orders, const struct series *wanted)
{
	struct counted_series *found;

	if (orders->other_count * 4 >= orders->other_size * 3)
		grow_others(orders);
	found = find(orders->others, orders->other_size, wanted);
	if (!found->next) {
		*found = (struct counted_series){*wanted, 1};
		orders->other_count++;
	}
	return &found->next;
}

/* Where the order of the next measurement is. */
static uint32_t *next_of(struct orders *orders, const struct series *wanted)
{
	for (size_t i = 0; i < ORDERS_FIRSTS; i++) {
		struct counted_first *first;

		if (wanted->uid >= orders->first_sizes[i])
			grow_firsts(orders, i, (size_t)wanted->uid + 1);
		first = &orders->firsts[i][wanted->uid];
		if (!first->next)
			*first = (struct counted_first){wanted->type, wanted->subtype, 1};
		if (first->type == wanted->type && first->subtype == wanted->subtype)
			return &first->next;
	}
	return next_of_others(orders, wanted);
}

/* ---- each series once -------------------------------------------------------------------------- */

static struct series series_at(const struct orders *orders, size_t i)
{
	return (struct series){ids_at(&orders->uids, i), ids_at(&orders->types, i),
			       ids_at(&orders->subtypes, i) - 1};
}

/* Whether a series was not met before, of the last benchmark with few series or of a new one. */
static bool is_first(const struct orders *orders, const struct series *series)
{
	enum { FEW = 8 };
	size_t i = orders->uids.count, few = 0;

	if (series->uid >= orders->end)
		return true;
	if (series->uid + UINT64_C(1) < orders->end)
		return false;
	for (; i > 0 && few < FEW; i--, few++) {
		struct series before = series_at(orders, i - 1);

		if (before.uid != series->uid)
			return true;
		if (is_same(&before, series))
			return false;
	}
	return few < FEW;
}

static void free_packed(struct orders *orders)
{
	ids_free(&orders->uids);
	ids_free(&orders->types);
	ids_free(&orders->subtypes);
	orders->uids = orders->types = orders->subtypes = (struct ids){0};
}

static void count_all(struct orders *orders)
{
	for (size_t i = 0; i < orders->uids.count; i++) {
		struct series series = series_at(orders, i);

		++*next_of(orders, &series);
	}
	free_packed(orders);
	orders->counted = true;
}

uint32_t orders_next(struct orders *orders, const struct series *series, uint32_t count)
{
	uint32_t *next, first;

	if (!orders->counted && count == 1 && is_first(orders, series)) {
		ids_add(&orders->uids, series->uid);
		ids_add(&orders->types, series->type);
		ids_add(&orders->subtypes, series->subtype + 1); /* most have none: a byte */
		orders->end = (uint64_t)series->uid + 1;
		return 0;
	}
	if (!orders->counted)
		count_all(orders);
	next = next_of(orders, series);
	first = *next - 1;
	*next += count;
	return first;
}

void orders_free(struct orders *orders)
{
	free_packed(orders);
	for (size_t i = 0; i < ORDERS_FIRSTS; i++)
		perun_free(orders->firsts[i]);
	perun_free(orders->others);
	*orders = (struct orders){0};
}
