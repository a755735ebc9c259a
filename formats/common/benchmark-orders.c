/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a measurement among those of its series. */
#include <string.h>

#include <perun/lib/hash.h>

#include "benchmark-orders.h"

struct counted_series {
	struct series series;
	uint32_t next; /* order of the next measurement + 1 */
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
 * Its slot: the number of the series + 1, or 0. Names are numbered as they come, so that a reader mostly asks for consecutive
 * ones: four of them have neighbouring slots, which are fetched from memory together.
 */
static uint32_t *find(const struct orders *orders, const struct series *wanted)
{
	uint64_t hash = wanted->uid / 4;

	hash = perun_hash_number(hash << 32 | wanted->type);
	hash = perun_hash_number(hash ^ wanted->subtype) * 4 + wanted->uid % 4;
	for (size_t i = (size_t)hash & (orders->slot_count - 1);;
	     i = (i + 1) & (orders->slot_count - 1)) {
		uint32_t number = orders->slots[i];

		if (number == 0 || is_same(&orders->others[number - 1].series, wanted))
			return &orders->slots[i];
	}
}

static void grow_slots(struct orders *orders)
{
	orders->slot_count = orders->slot_count ? orders->slot_count * 2 : 64;
	perun_free(orders->slots);
	orders->slots = perun_alloc_zero(orders->slot_count, sizeof *orders->slots);
	for (size_t i = 0; i < orders->other_count; i++)
		*find(orders, &orders->others[i].series) = (uint32_t)i + 1;
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
	uint32_t *slot;

	if (orders->other_count * 4 >= orders->slot_count * 3)
		grow_slots(orders);
	slot = find(orders, wanted);
	if (!*slot) {
		PERUN_GROW(orders->others, orders->other_count, orders->other_room);
		orders->others[orders->other_count++] = (struct counted_series){*wanted, 1};
		*slot = (uint32_t)orders->other_count;
	}
	return &orders->others[*slot - 1].next;
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

/*
 * Most series are what the benchmark before had at that place: that is the byte AS_BEFORE. Others are like one of the last few: a byte
 * says how far the benchmark is from the one before, and which of the last ones has the
 * type, and the subtype. Where it says OTHER a number follows: how far the benchmark is from the one before, the type from the
 * highest so far, or the subtype. Numbers are twice as large, plus 1 below 0, in base 128, with 128 added to all but the last digit.
 */
enum { UID_OTHER = 3, OTHER = 7, BLOCK_SIZE = 1 << 14, MAX_SIZE = 1 + 3 * 5 };
enum { AS_BEFORE = 0 }; /* would be the last one again */
/* More are found by a hash among those of their benchmark, and still more are not kept. */
enum { FEW_OWN = 256, KEPT_OWN = 1 << 16 };

/* As many entries back, from 1 on. */
static struct series *last_of(struct orders_packed *packed, size_t back)
{
	return &packed->last[(packed->count - back) % ORDERS_LAST];
}

static void put_number(struct orders_packed *packed, int64_t number)
{
	uint64_t rest = number < 0 ? (uint64_t)-number * 2 + 1 : (uint64_t)number * 2;

	for (; rest >= 128; rest /= 128)
		*packed->at++ = (unsigned char)(rest % 128 + 128);
	*packed->at++ = (unsigned char)rest;
}

static int64_t get_number(const unsigned char **at)
{
	uint64_t number = 0;
	unsigned shift = 0;

	for (; **at >= 128; shift += 7)
		number |= (uint64_t)(*(*at)++ - 128) << shift;
	number |= (uint64_t) * *at << shift;
	++*at;
	return number % 2 ? -(int64_t)(number / 2) : (int64_t)(number / 2);
}

static unsigned back_to_type(struct orders_packed *packed, perun_id type)
{
	for (unsigned back = 0; back < OTHER && back < packed->count; back++)
		if (last_of(packed, back + 1)->type == type)
			return back;
	return OTHER;
}

static unsigned back_to_subtype(struct orders_packed *packed, perun_id subtype)
{
	for (unsigned back = 0; back < OTHER && back < packed->count; back++)
		if (last_of(packed, back + 1)->subtype == subtype)
			return back;
	return OTHER;
}

static bool is_as_before(const struct orders_packed *packed, size_t own,
			 const struct series *series)
{
	return own < packed->pattern_count && packed->pattern[own].type == series->type &&
	       packed->pattern[own].subtype == series->subtype;
}

static uint32_t *own_slot(const struct orders_packed *packed, struct measured wanted)
{
	uint64_t hash = perun_hash_number((uint64_t)wanted.type << 32 | wanted.subtype);

	for (size_t i = (size_t)hash & (packed->own_slot_count - 1);;
	     i = (i + 1) & (packed->own_slot_count - 1)) {
		uint32_t number = packed->own_slots[i];

		if (number == 0 || (packed->pattern[number - 1].type == wanted.type &&
				    packed->pattern[number - 1].subtype == wanted.subtype))
			return &packed->own_slots[i];
	}
}

static void forget_own(struct orders_packed *packed)
{
	perun_free(packed->own_slots);
	packed->own_slots = NULL;
	packed->own_slot_count = packed->own = packed->own_type = packed->own_subtype = 0;
}

/* The last one of its benchmark gets its slot, and all do where slots are few. */
static void hash_own(struct orders_packed *packed)
{
	size_t from = packed->own - 1;

	if (packed->own * 2 > packed->own_slot_count) {
		perun_free(packed->own_slots);
		packed->own_slot_count = FEW_OWN * 4;
		while (packed->own * 2 > packed->own_slot_count)
			packed->own_slot_count *= 2;
		packed->own_slots =
			perun_alloc_zero(packed->own_slot_count, sizeof *packed->own_slots);
		from = 0;
	}
	for (; from < packed->own; from++)
		*own_slot(packed, packed->pattern[from]) = (uint32_t)from + 1;
}

/* One more of its benchmark. */
static void note_own(struct orders_packed *packed, const struct series *series)
{
	if (!packed->count || last_of(packed, 1)->uid != series->uid)
		forget_own(packed);
	if (packed->own < KEPT_OWN && !is_as_before(packed, packed->own, series)) {
		packed->pattern_count = packed->own;
		PERUN_GROW(packed->pattern, packed->pattern_count, packed->pattern_room);
		packed->pattern[packed->pattern_count++] =
			(struct measured){series->type, series->subtype};
	}
	if (!packed->own++)
		return;
	if (packed->own_slot_count && packed->own <= KEPT_OWN)
		hash_own(packed);
	if (series->type > packed->own_type)
		packed->own_type = series->type;
	if (series->subtype != PERUN_NO_ID && series->subtype > packed->own_subtype)
		packed->own_subtype = series->subtype;
}

/* One more of the last ones. */
static void note_last(struct orders_packed *packed, const struct series *series)
{
	note_own(packed, series);
	packed->highest = series->type > packed->highest ? series->type : packed->highest;
	packed->last[packed->count++ % ORDERS_LAST] = *series;
}

static perun_id uid_before(struct orders_packed *packed)
{
	return packed->count ? last_of(packed, 1)->uid : 0;
}

static void pack(struct orders_packed *packed, const struct series *series)
{
	const int64_t far = (int64_t)series->uid - uid_before(packed);
	const unsigned uid = far >= 0 && far < UID_OTHER ? (unsigned)far : UID_OTHER;
	const unsigned type = back_to_type(packed, series->type);
	const unsigned subtype = back_to_subtype(packed, series->subtype);

	if (packed->end - packed->at < MAX_SIZE) {
		PERUN_GROW(packed->blocks, packed->block_count, packed->block_room);
		packed->at = perun_alloc(BLOCK_SIZE);
		packed->end = packed->at + BLOCK_SIZE;
		packed->blocks[packed->block_count++] = packed->at;
	}
	if (packed->count && far == 0 && is_as_before(packed, packed->own, series)) {
		*packed->at++ = AS_BEFORE;
		note_last(packed, series);
		return;
	}
	*packed->at++ = (unsigned char)(uid << 6 | type << 3 | subtype);
	if (uid == UID_OTHER)
		put_number(packed, far);
	if (type == OTHER)
		put_number(packed, (int64_t)series->type - packed->highest);
	if (subtype == OTHER)
		put_number(packed, series->subtype);
	note_last(packed, series);
}

/* The next one; `before`: those that were read from there. */
static struct series unpack(const unsigned char **at, struct orders_packed *before)
{
	const unsigned head = *(*at)++, type = head >> 3 & 7, subtype = head & 7;
	struct series series;

	if (head == AS_BEFORE && before->count) {
		const struct measured *as = &before->pattern[before->own];

		series = (struct series){uid_before(before), as->type, as->subtype};
		note_last(before, &series);
		return series;
	}
	series.uid = (perun_id)(uid_before(before) +
				(head >> 6 == UID_OTHER ? get_number(at) : (int64_t)(head >> 6)));
	series.type = type == OTHER ? (perun_id)(before->highest + get_number(at))
				    : last_of(before, type + 1)->type;
	series.subtype =
		subtype == OTHER ? (perun_id)get_number(at) : last_of(before, subtype + 1)->subtype;
	note_last(before, &series);
	return series;
}

/*
 * Whether a series was not met before, of a new benchmark or of the last one: with those of that it is compared where they are few, or
 * its texts are no new ones.
 */
static bool is_first(struct orders *orders, const struct series *series)
{
	struct orders_packed *packed = &orders->packed;
	const size_t near = packed->own < FEW_OWN ? packed->own : 1;

	if (series->uid >= orders->end)
		return true;
	if (series->uid + UINT64_C(1) < orders->end)
		return false;
	if (is_as_before(packed, packed->own, series))
		return true;
	for (size_t i = 0; i < near; i++)
		if (packed->pattern[i].type == series->type &&
		    packed->pattern[i].subtype == series->subtype)
			return false;
	if (near == packed->own || series->type > packed->own_type ||
	    (series->subtype != PERUN_NO_ID && series->subtype > packed->own_subtype))
		return true;
	if (packed->own > KEPT_OWN)
		return false;
	if (!packed->own_slot_count)
		hash_own(packed);
	return !*own_slot(packed, (struct measured){series->type, series->subtype});
}

static void free_packed(struct orders *orders)
{
	for (size_t i = 0; i < orders->packed.block_count; i++)
		perun_free(orders->packed.blocks[i]);
	perun_free(orders->packed.blocks);
	perun_free(orders->packed.pattern);
	perun_free(orders->packed.own_slots);
	orders->packed = (struct orders_packed){0};
}

static void count_all(struct orders *orders)
{
	const struct orders_packed *packed = &orders->packed;
	const unsigned char *at = NULL, *end = NULL;
	struct orders_packed before = {0};

	for (size_t i = 0, block = 0; i < packed->count; i++) {
		struct series series;

		if (end - at < MAX_SIZE) {
			at = packed->blocks[block++];
			end = at + BLOCK_SIZE;
		}
		series = unpack(&at, &before);
		++*next_of(orders, &series);
	}
	perun_free(before.pattern);
	perun_free(before.own_slots);
	free_packed(orders);
	orders->counted = true;
}

uint32_t orders_next(struct orders *orders, const struct series *series, uint32_t count)
{
	uint32_t *next, first;

	if (!orders->counted && count == 1 && is_first(orders, series)) {
		pack(&orders->packed, series);
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
	perun_free(orders->slots);
	*orders = (struct orders){0};
}
