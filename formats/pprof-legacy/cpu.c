/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary CPU profiles of C++ and Java, as gperftools and the early Go write them. */
#include <inttypes.h>
#include <string.h>

#include "legacy.h"

/* The file is made of words of one size and byte order. */
struct words {
	const unsigned char *start, *at, *end;
	unsigned size;
	bool big;
	bool cut; /* a word was asked for that is not there */
};

/* 0 when there is none. */
static uint64_t next_word(struct words *words)
{
	uint64_t value = 0;

	if ((size_t)(words->end - words->at) < words->size) {
		words->at = words->end;
		words->cut = true;
		return 0;
	}
	for (unsigned i = 0; i < words->size; i++)
		value |= (uint64_t)words->at[i] << 8 * (words->big ? words->size - 1 - i : i);
	words->at += words->size;
	return value;
}

enum language { LANGUAGE_NONE, LANGUAGE_C, LANGUAGE_JAVA };

/* Read the header: 0, 3, the language, the period in microseconds, 0; in the first of all sizes. */
static enum language read_header(struct words *words, const void *data, size_t size,
				 uint64_t *period)
{
	for (unsigned i = 0; i < 4; i++) {
		uint64_t head[5];

		*words = (struct words){.start = data,
					.at = data,
					.end = (const unsigned char *)data + size,
					.size = i < 2 ? 4 : 8,
					.big = i % 2};
		for (unsigned k = 0; k < 5; k++)
			head[k] = next_word(words);
		if (!words->cut && head[0] == 0 && head[1] == 3 && head[2] < 2 && head[3] > 0 &&
		    head[4] == 0) {
			*period = head[3];
			return head[2] ? LANGUAGE_JAVA : LANGUAGE_C;
		}
	}
	return LANGUAGE_NONE;
}

bool legacy_is_cpu(const void *data, size_t size)
{
	struct words words;
	uint64_t period;

	return read_header(&words, data, size, &period) != LANGUAGE_NONE;
}

static int fail_at(struct legacy_profile *profile, uint64_t offset, const char *message)
{
	return perun_fail(profile->ctx, PERUN_INPUT, "byte %" PRIu64 ": %s", offset, message);
}

/* A record: count, number of addresses, addresses. `*end`: it was the one that ends the samples. */
static int read_record(struct legacy_profile *profile, struct words *words,
		       enum legacy_returns returns, bool *end)
{
	uint64_t offset = (uint64_t)(words->at - words->start);
	uint64_t count = next_word(words), depth = next_word(words);
	struct legacy_sample sample = {
		.values = {(int64_t)count, legacy_multiply((int64_t)count, profile->period)}};

	if (words->cut)
		return fail_at(profile, offset,
			       "the file ends within a record (a count, the number of addresses, "
			       "and these were expected)");
	/* Readers agree on this bound for words of all sizes. */
	if (depth > (uint64_t)(words->end - words->at) / 4)
		return fail_at(profile, offset,
			       "the record has more addresses than the rest of the file has");
	for (uint64_t i = 0; i < depth; i++)
		legacy_push(profile, next_word(words));
	*end = count == 0 && depth == 1 && profile->stack[0] == 0;
	if (*end) {
		profile->depth = 0;
		return PERUN_OK;
	}
	return legacy_add_sample(profile, returns, &sample);
}

static int read_records(struct legacy_profile *profile, struct words *words,
			enum legacy_returns returns)
{
	bool end = false;

	while (words->at < words->end && !end) {
		int status = read_record(profile, words, returns, &end);

		if (status)
			return status;
		if (profile->sample_count % 4096 == 0)
			perun_input_passed(profile->input, words->at);
		if (profile->sample_count % 65536 == 0 && perun_cancelled(profile->ctx))
			return PERUN_CANCELLED;
	}
	if (words->cut)
		perun_warn(profile->ctx, "the file is cut short: the last sample lacks addresses");
	else if (!end)
		perun_warn(profile->ctx,
			   "the file is cut short: the record that ends the samples is missing");
	return PERUN_OK;
}

static uint64_t second_address(const struct legacy_profile *profile,
			       const struct legacy_stack *stack)
{
	return legacy_address(profile, stack->frames[1]);
}

/*
 * When nearly all samples have the same frame above the leaf, it is the signal handler's: the leaf itself
 * comes from the registers. One sample in 32 may be another. Take the frame out of the stacks.
 */
static void remove_handler(struct legacy_profile *profile)
{
	size_t needed = profile->sample_count - profile->sample_count / 32;
	size_t votes = 0, found = 0;
	struct legacy_stack stack;
	uint64_t address = 0;

	/* What more than half of them have wins the vote (Boyer and Moore's majority vote). */
	for (size_t at = 0; legacy_next_stack(profile, &at, &stack);) {
		if (stack.depth < 2)
			continue;
		if (!votes)
			address = second_address(profile, &stack);
		if (address == second_address(profile, &stack))
			votes++;
		else
			votes--;
	}
	for (size_t at = 0; legacy_next_stack(profile, &at, &stack);) {
		if (stack.depth > 1)
			found += second_address(profile, &stack) == address;
	}
	if (!found || found < needed)
		return;
	for (size_t at = 0; legacy_next_stack(profile, &at, &stack);) {
		if (stack.depth > 1 && second_address(profile, &stack) == address)
			legacy_remove_frame(&stack, 1);
	}
}

int legacy_read_cpu(struct legacy_profile *profile, const void *data, size_t size)
{
	struct legacy_lines lines = {.ctx = profile->ctx};
	struct words words;
	uint64_t period = 0;
	bool java = read_header(&words, data, size, &period) == LANGUAGE_JAVA;
	int status;

	profile->period = legacy_multiply((int64_t)period, 1000);
	profile->period_type = "cpu";
	profile->period_unit = "nanoseconds";
	legacy_add_type(profile, "samples", "count");
	legacy_add_type(profile, "cpu", "nanoseconds");
	status = read_records(profile, &words, java ? LEGACY_NO_RETURNS : LEGACY_CALLER_RETURNS);
	if (status)
		return status;
	lines.rest.at = (const char *)words.at;
	lines.rest.end = (const char *)words.end;
	if (java)
		return legacy_read_java_symbols(profile, &lines);
	remove_handler(profile); /* there may be two frames of it */
	remove_handler(profile);
	status = legacy_read_map(profile, &lines);
	if (!status)
		legacy_remove_doubles(profile);
	return status;
}
