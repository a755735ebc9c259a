/* SPDX-License-Identifier: BSD-3-Clause */
/* A table from numbers of a file to numbers from 0 on. */
#include <string.h>

#include <perun/context.h>
#include <perun/lib/hash.h>

#include "formats/common/stacks-numbers.h"

enum { FIRST_SIZE = 64, FEW = 1 << 16 };

uint64_t stacks_numbers_key(const struct stacks_numbers *numbers, size_t i)
{
	if (!numbers->low)
		return numbers->first + i;
	return numbers->low[i] | (numbers->high ? (uint64_t)numbers->high[i] << 32 : 0);
}

static uint32_t value_at(const struct stacks_numbers *numbers, size_t i)
{
	return numbers->values ? numbers->values[i] : (uint32_t)i;
}

/* A slot that a key was looked for in: its place, what is in it, and what the key has there of its hash. */
struct slot {
	uint64_t at;
	uint32_t number; /* of the key + 1; 0: it is free */
	uint32_t mark;
};

/* The slot of a key, or the free one where it belongs. Four keys that follow each other share a line of the processor's cache. */
static inline struct slot find(const struct stacks_numbers *numbers, uint64_t key)
{
	const uint32_t *const low = numbers->low, *const high = numbers->high;
	const uint32_t number = (uint32_t)((UINT64_C(1) << numbers->bits) - 1);
	const uint64_t hash = perun_hash_number(key / 4);
	struct slot slot = {((hash >> 32) * (numbers->size / 4) >> 32) * 4 + key % 4, 0,
			    (uint32_t)(hash << numbers->bits)};

	for (;; slot.at = slot.at + 1 == numbers->size ? 0 : slot.at + 1) {
		uint32_t found = numbers->slots[slot.at], i = (found & number) - 1;

		if (!found)
			return slot;
		if ((found ^ slot.mark) <= number && low[i] == (uint32_t)key &&
		    (!high || high[i] == key >> 32)) {
			slot.number = i + 1;
			return slot;
		}
	}
}

/* Whether slots are too few for that many keys: half of a few slots are in use at most, three quarters of many. */
static bool are_too_few(uint64_t size, uint64_t keys)
{
	return size <= FEW ? keys * 2 > size : keys * 4 > size * 3;
}

/* Slots for one key more. */
static void reserve_slots(struct stacks_numbers *numbers)
{
	uint64_t size = numbers->size ? numbers->size : FIRST_SIZE;

	while (are_too_few(size, numbers->count + 1))
		size = size & (size - 1) ? size / 3 * 4 : size < FEW ? size * 2 : size / 2 * 3;
	if (size == numbers->size)
		return;
	perun_free(numbers->slots);
	numbers->slots = perun_alloc_zero(size, sizeof *numbers->slots);
	numbers->size = size;
	numbers->bits = 64 - (uint32_t)__builtin_clzll(size - 1);
	for (size_t i = 0; i < numbers->count; i++) {
		struct slot slot = find(numbers, stacks_numbers_key(numbers, i));

		numbers->slots[slot.at] = slot.mark | (uint32_t)(i + 1);
	}
}

static void resize(struct stacks_numbers *numbers, size_t room)
{
	numbers->room = room;
	numbers->low = perun_realloc_array(numbers->low, room, sizeof *numbers->low);
	if (numbers->high)
		numbers->high = perun_realloc_array(numbers->high, room, sizeof *numbers->high);
}

static void set_key(struct stacks_numbers *numbers, size_t i, uint64_t key)
{
	if (key > UINT32_MAX && !numbers->high)
		numbers->high = perun_alloc_zero(numbers->room, sizeof *numbers->high);
	numbers->low[i] = (uint32_t)key;
	if (numbers->high)
		numbers->high[i] = (uint32_t)(key >> 32);
}

/* Keys that followed each other so far are those of a table. */
static void list_keys(struct stacks_numbers *numbers)
{
	const struct stacks_numbers before = *numbers;

	resize(numbers, numbers->count * 2);
	for (size_t i = 0; i < numbers->count; i++)
		set_key(numbers, i, stacks_numbers_key(&before, i));
}

static void add_value(struct stacks_numbers *numbers, uint32_t value)
{
	size_t i = numbers->count++;

	if (!numbers->values && value == i)
		return;
	if (numbers->value_room <= i || !numbers->values) {
		bool begun = numbers->values != NULL;

		numbers->value_room = (i + 8) * 2;
		numbers->values = perun_realloc_array(numbers->values, numbers->value_room,
						      sizeof *numbers->values);
		for (size_t k = 0; !begun && k < i; k++)
			numbers->values[k] = (uint32_t)k;
	}
	numbers->values[i] = value;
}

uint32_t stacks_numbers_find(const struct stacks_numbers *numbers, uint64_t key)
{
	uint32_t number;

	if (!numbers->low)
		return key - numbers->first < numbers->count
			       ? value_at(numbers, (size_t)(key - numbers->first))
			       : UINT32_MAX;
	number = numbers->size ? find(numbers, key).number : 0;
	return number ? value_at(numbers, number - 1) : UINT32_MAX;
}

bool stacks_numbers_add(struct stacks_numbers *numbers, uint64_t key, uint32_t value)
{
	struct slot slot;

	if (!numbers->count)
		numbers->first = key;
	if (!numbers->low) {
		if (key - numbers->first < numbers->count)
			return false;
		if (key - numbers->first == numbers->count) {
			add_value(numbers, value);
			return true;
		}
		list_keys(numbers);
	}
	reserve_slots(numbers);
	slot = find(numbers, key);
	if (slot.number)
		return false;
	if (numbers->count == numbers->room)
		resize(numbers, numbers->room * 2);
	set_key(numbers, numbers->count, key);
	numbers->slots[slot.at] = slot.mark | (uint32_t)(numbers->count + 1);
	add_value(numbers, value);
	return true;
}

void stacks_numbers_forget(struct stacks_numbers *numbers)
{
	perun_free(numbers->slots);
	numbers->slots = NULL;
	numbers->size = 0;
}

void stacks_numbers_free(struct stacks_numbers *numbers)
{
	perun_free(numbers->low);
	perun_free(numbers->high);
	perun_free(numbers->values);
	perun_free(numbers->slots);
	*numbers = (struct stacks_numbers){0};
}
