/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile while it is read: samples, stacks, locations, and the arithmetic of their values. */
#include <math.h>
#include <string.h>

#include "legacy.h"

enum { MAX_LOCATIONS = 0x7fffffff, MAX_DEPTH = 65536 };

void legacy_free(struct legacy_profile *profile)
{
	perun_free(profile->word);
	perun_free(profile->mappings);
	perun_free(profile->functions);
	stacks_numbers_free(&profile->addresses);
	perun_free(profile->locations);
	perun_free(profile->symbols);
	perun_free(profile->frames);
	perun_free(profile->stack);
}

/* ---- samples ------------------------------------------------------------------------------------ */

void legacy_add_type(struct legacy_profile *profile, const char *type, const char *unit)
{
	profile->types[profile->type_count] = type;
	profile->units[profile->type_count] = unit;
	profile->type_count++;
}

void legacy_push(struct legacy_profile *profile, uint64_t address)
{
	PERUN_GROW(profile->stack, profile->depth, profile->stack_capacity);
	profile->stack[profile->depth++] = address;
}

int legacy_push_addresses(struct legacy_profile *profile, const struct legacy_lines *lines,
			  struct legacy_text text)
{
	while ((text.at = legacy_find(text, "0x")) != NULL) {
		struct legacy_text digits = {text.at + 2, text.at + 2};
		uint64_t address;

		text.at++;
		while (digits.end < text.end && legacy_is_small_hex(*digits.end))
			digits.end++;
		if (digits.at == digits.end)
			continue;
		text.at = digits.end;
		if (!legacy_hexadecimal(digits, &address)) {
			char *quoted = legacy_quote(digits);
			int status =
				legacy_fail(lines, "the address %s has more than 64 bits", quoted);

			perun_free(quoted);
			return status;
		}
		if (profile->depth == MAX_DEPTH)
			return legacy_fail(lines, "a stack of more than %d addresses", MAX_DEPTH);
		legacy_push(profile, address);
	}
	return PERUN_OK;
}

static uint32_t find_location(struct legacy_profile *profile, uint64_t address)
{
	uint32_t index = stacks_numbers_find(&profile->addresses, address);

	if (index != LEGACY_NONE)
		return index;
	index = (uint32_t)profile->location_count;
	stacks_numbers_add(&profile->addresses, address, index);
	PERUN_GROW(profile->locations, profile->location_count, profile->location_capacity);
	profile->locations[profile->location_count++] =
		(struct legacy_location){.mapping = LEGACY_NONE};
	return index;
}

uint64_t legacy_address(const struct legacy_profile *profile, uint32_t location)
{
	bool named = profile->symbols && profile->symbols[location].function != LEGACY_NONE;

	return named || profile->moving ? 0 : stacks_numbers_key(&profile->addresses, location);
}

/* The sample before the next one, or the last. */
static void put_last(struct legacy_profile *profile)
{
	const struct legacy_sample *sample = &profile->last;
	const struct legacy_columns *columns = &profile->columns;
	const struct perun_label label = {
		.key = columns->key, .text = PERUN_NO_ID, .number = sample->size};

	if (!profile->sample_count)
		return;
	for (size_t i = 0; i < profile->type_count; i++)
		perun_column_append_int64(columns->values[i], &sample->values[i], 1);
	if (columns->labels) {
		perun_id labels = perun_builder_labels(profile->builder, &label, 1);

		perun_column_append_ids(columns->labels, PERUN_TYPE_LABELS, &labels, 1);
	}
}

int legacy_add_sample(struct legacy_profile *profile, enum legacy_returns returns,
		      const struct legacy_sample *sample)
{
	if (profile->depth > MAX_LOCATIONS ||
	    profile->location_count > MAX_LOCATIONS - profile->depth)
		return perun_fail(profile->ctx, PERUN_INPUT, "more than %d addresses",
				  MAX_LOCATIONS);
	put_last(profile);
	profile->last = *sample;
	if (!profile->sample_count++)
		legacy_make_columns(profile);
	PERUN_GROW(profile->frames, profile->frame_count, profile->frame_capacity);
	profile->frames[profile->frame_count++] = (uint32_t)profile->depth;
	for (size_t i = 0; i < profile->depth; i++) {
		bool is_return = returns == LEGACY_ALL_RETURNS ||
				 (returns == LEGACY_CALLER_RETURNS && i > 0);

		PERUN_GROW(profile->frames, profile->frame_count, profile->frame_capacity);
		profile->frames[profile->frame_count++] =
			find_location(profile, profile->stack[i] - is_return);
	}
	profile->depth = 0;
	return PERUN_OK;
}

void legacy_end_samples(struct legacy_profile *profile)
{
	if (profile->sample_count)
		put_last(profile);
	else
		legacy_make_columns(profile);
}

bool legacy_next_stack(const struct legacy_profile *profile, size_t *at, struct legacy_stack *stack)
{
	if (*at >= profile->frame_count)
		return false;
	stack->depth = profile->frames[*at];
	stack->frames = &profile->frames[*at + 1];
	*at += (size_t)stack->depth + 1;
	while (stack->depth && stack->frames[stack->depth - 1] == LEGACY_NONE)
		stack->depth--;
	return true;
}

void legacy_remove_frame(struct legacy_stack *stack, uint32_t i)
{
	stack->depth--;
	memmove(&stack->frames[i], &stack->frames[i + 1],
		(stack->depth - i) * sizeof *stack->frames);
	stack->frames[stack->depth] = LEGACY_NONE;
}

void legacy_remove_doubles(struct legacy_profile *profile)
{
	struct legacy_stack stack;

	for (size_t at = 0; legacy_next_stack(profile, &at, &stack);) {
		if (stack.depth > 1 && legacy_address(profile, stack.frames[0]) ==
					       legacy_address(profile, stack.frames[1]) + 1)
			legacy_remove_frame(&stack, 1);
	}
}

void legacy_number_locations(struct legacy_profile *profile)
{
	struct legacy_stack stack;
	uint32_t number = 0;

	for (size_t at = 0; legacy_next_stack(profile, &at, &stack);) {
		for (uint32_t k = 0; k < stack.depth; k++) {
			struct legacy_location *location = &profile->locations[stack.frames[k]];

			if (!location->number)
				location->number = ++number;
		}
	}
}

uint32_t *legacy_order(const struct legacy_profile *profile, size_t *count)
{
	uint32_t *order = perun_alloc((profile->location_count + 1) * sizeof *order);

	*count = 0;
	for (size_t i = 0; i < profile->location_count; i++) {
		if (!profile->locations[i].number)
			continue;
		order[profile->locations[i].number - 1] = (uint32_t)i;
		++*count;
	}
	return order;
}

/* ---- values ------------------------------------------------------------------------------------- */

int64_t legacy_integer(double value)
{
	return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

int64_t legacy_multiply(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

int64_t legacy_divide(int64_t a, int64_t b)
{
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

void legacy_unsample(int64_t rate, int64_t *count, int64_t *size)
{
	double scale;

	if (*count == 0 || *size == 0) {
		*count = *size = 0;
		return;
	}
	if (rate <= 1)
		return;
	scale = 1 / (1 - exp(-((double)*size / (double)*count) / (double)rate));
	*count = legacy_integer((double)*count * scale);
	*size = legacy_integer((double)*size * scale);
}
