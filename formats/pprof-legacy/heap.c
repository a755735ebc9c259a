/* SPDX-License-Identifier: BSD-3-Clause */
/* Heap profiles as text: of tcmalloc, of Go, and of the growth and fragmentation of heaps. */
#include <string.h>

#include "legacy.h"

struct heap {
	bool unsample;  /* the numbers are those of the samples */
	bool allocated; /* there are also numbers of all that was allocated */
};

/* "A: B [C: D]" with any blanks between; the numbers' texts. */
static bool take_numbers(struct legacy_text *text, struct legacy_text numbers[4])
{
	struct legacy_text rest = *text;

	for (int i = 0; i < 4; i++) {
		if (!legacy_take_number(&rest, &numbers[i]))
			return false;
		if (i >= 2 && *numbers[i].at == '-')
			return false;
		if (i % 2 == 0 && !legacy_take(&rest, ":"))
			return false;
		if (i == 1) {
			legacy_take_spaces(&rest);
			if (!legacy_take(&rest, "["))
				return false;
		}
		legacy_take_spaces(&rest);
	}
	if (!legacy_take(&rest, "]"))
		return false;
	*text = rest;
	return true;
}

/* "heap profile: A: B [C: D] @ WORD/RATE": its numbers, word (may be empty) and rate (may be empty). */
static bool parse_header(struct legacy_text line, struct legacy_text numbers[4],
			 struct legacy_text *word, struct legacy_text *rate)
{
	const char *start;

	while ((start = legacy_find(line, "heap profile:")) != NULL) {
		struct legacy_text rest = {start, line.end};

		line.at = start + 1;
		legacy_take(&rest, "heap profile:");
		legacy_take_spaces(&rest);
		if (!take_numbers(&rest, numbers) || *numbers[0].at == '-' || *numbers[1].at == '-')
			continue;
		legacy_take_spaces(&rest);
		if (!legacy_take(&rest, "@"))
			continue;
		legacy_take_spaces(&rest);
		word->at = rest.at;
		while (rest.at < rest.end && (legacy_is_digit(*rest.at) || *rest.at == '_' ||
					      (*rest.at >= 'a' && *rest.at <= 'z')))
			rest.at++;
		word->end = rest.at;
		legacy_take(&rest, "/");
		*rate = legacy_take_digits(&rest);
		return true;
	}
	return false;
}

bool legacy_is_heap(struct legacy_text line)
{
	struct legacy_text numbers[4], word, rate;

	return parse_header(line, numbers, &word, &rate) &&
	       (legacy_starts(word, "heap") || legacy_starts(word, "growth") ||
		legacy_starts(word, "fragmentation"));
}

static bool same_text(struct legacy_text a, struct legacy_text b)
{
	return legacy_length(a) == legacy_length(b) && memcmp(a.at, b.at, legacy_length(a)) == 0;
}

static int read_header(struct legacy_profile *profile, const struct legacy_lines *lines,
		       struct heap *heap)
{
	struct legacy_text numbers[4], word, rate;

	parse_header(lines->line, numbers, &word, &rate);
	profile->period = 1;
	if (!legacy_starts(word, "heap"))
		return PERUN_OK;
	for (int i = 0; i < 2; i++) {
		if (!same_text(numbers[i + 2], numbers[i]) && !legacy_equals(numbers[i + 2], "0"))
			heap->allocated = true;
	}
	profile->period = 0;
	if (rate.at < rate.end && !legacy_decimal(rate, &profile->period))
		return legacy_fail(lines, "the sampling rate has more than 64 bits");
	if (legacy_equals(word, "heapprofile")) {
		profile->period = 1;
		return PERUN_OK;
	}
	heap->unsample = true;
	if (legacy_equals(word, "heap")) /* Go writes twice the rate for the sake of old readers */
		profile->period /= 2;
	else if (!legacy_equals(word, "heap_v2") && !legacy_equals(word, "heapz_v2"))
		return legacy_fail(lines,
				   "expected heap, heap_v2, heapz_v2 or heapprofile after @");
	return PERUN_OK;
}

/* "A: B [C: D] @ addresses" anywhere in the line. */
static bool parse_row(struct legacy_text line, struct legacy_text numbers[4],
		      struct legacy_text *addresses)
{
	while (line.at < line.end) {
		struct legacy_text rest = line, number;

		if (!legacy_take_number(&line, &number)) {
			line.at++;
			continue;
		}
		if (!take_numbers(&rest, numbers) || !legacy_take(&rest, " @"))
			continue;
		addresses->at = addresses->end = rest.at;
		while (addresses->end < rest.end &&
		       (legacy_is_small_hex(*addresses->end) || *addresses->end == 'x' ||
			*addresses->end == ' '))
			addresses->end++;
		return true;
	}
	return false;
}

static int read_pair(const struct legacy_profile *profile, const struct legacy_lines *lines,
		     const struct heap *heap, const struct legacy_text numbers[2],
		     struct legacy_sample *sample, int64_t values[2])
{
	if (!legacy_decimal(numbers[0], &values[0]) || !legacy_decimal(numbers[1], &values[1]))
		return legacy_fail(lines, "a number has more than 64 bits");
	if (values[0] == 0 && values[1] != 0)
		return legacy_fail(lines, "bytes of no objects: the count is 0, the size is not");
	if (values[0] == 0)
		return PERUN_OK;
	sample->size = legacy_divide(values[1], values[0]);
	if (heap->unsample)
		legacy_unsample(profile->period, &values[0], &values[1]);
	return PERUN_OK;
}

static int read_row(struct legacy_profile *profile, const struct legacy_lines *lines,
		    const struct heap *heap)
{
	struct legacy_text numbers[4], addresses;
	struct legacy_sample row = {.sized = true};
	int64_t *values = row.values;
	int status = PERUN_OK;

	if (!parse_row(lines->line, numbers, &addresses)) {
		char *quoted = legacy_quote(lines->line);

		status = legacy_fail(
			lines, "expected \"OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES\", found %s",
			quoted);
		perun_free(quoted);
		return status;
	}
	if (heap->allocated) {
		status = read_pair(profile, lines, heap, &numbers[2], &row, values);
		values += 2;
	}
	if (!status)
		status = read_pair(profile, lines, heap, &numbers[0], &row, values);
	if (!status)
		status = legacy_push_addresses(profile, lines, addresses);
	if (!status)
		status = legacy_add_sample(profile, LEGACY_ALL_RETURNS, &row);
	return status;
}

int legacy_read_heap(struct legacy_profile *profile, struct legacy_lines *lines)
{
	struct heap heap = {0};
	int status = read_header(profile, lines, &heap);

	if (status)
		return status;
	profile->period_type = "space";
	profile->period_unit = "bytes";
	if (heap.allocated) { /* what is in use comes last, and so is shown by default */
		legacy_add_type(profile, "alloc_objects", "count");
		legacy_add_type(profile, "alloc_space", "bytes");
	}
	legacy_add_type(profile, heap.allocated ? "inuse_objects" : "objects", "count");
	legacy_add_type(profile, heap.allocated ? "inuse_space" : "space", "bytes");
	while (legacy_skip_empty(lines) && !legacy_is_map_start(lines->line)) {
		status = read_row(profile, lines, &heap);
		if (status)
			return status;
		if (lines->number % 65536 == 0 && perun_cancelled(profile->ctx))
			return PERUN_CANCELLED;
	}
	return legacy_find_map(profile, lines);
}
