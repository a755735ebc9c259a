/* SPDX-License-Identifier: BSD-3-Clause */
/* Copying a value from the reader as normalized text, without making a document of it. */
#include <stdlib.h>

#include "reader.h"

/*
 * The text is written as the tokens come. Only duplicate keys need a second look: the members of
 * each open object are noted, and an object that turns out to have some is put together again.
 */

/* Below this many members, comparing all pairs finds duplicates faster than sorting. */
#define FEW_MEMBERS 12

struct perun_json_member {
	uint64_t hash;
	size_t key, value; /* where they begin in the text */
};

/* A member with its key's text, to be sorted; `index` is its place in the object. */
struct sorted_member {
	const char *key;
	size_t length, index;
	uint64_t hash;
};

static uint64_t hash_key(const char *text, size_t length)
{
	uint64_t head = 0, tail = 0;

	memcpy(&head, text, length < 8 ? length : 8);
	if (length > 8)
		memcpy(&tail, text + length - 8, 8);
	return (head ^ (tail << 23 | tail >> 41)) * 0x9e3779b97f4a7c15 + length;
}

static int compare_members(const void *a, const void *b)
{
	const struct sorted_member *x = a, *y = b;
	int order;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	order = memcmp(x->key, y->key, x->length);
	if (order != 0)
		return order;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool may_have_duplicates(const struct perun_json_member *members, size_t count)
{
	size_t i, j;

	if (count > FEW_MEMBERS)
		return true;
	for (i = 1; i < count; i++) {
		for (j = 0; j < i; j++) {
			if (members[i].hash == members[j].hash)
				return true;
		}
	}
	return false;
}

/*
 * For each member find the one whose value it takes: the last with the same key for the first such,
 * SIZE_MAX for the others, which fall away. False when all keys differ.
 */
static bool find_duplicates(const struct perun_json_member *members, size_t count, const char *text,
			    size_t *taken)
{
	struct sorted_member *sorted = perun_alloc_zero(count, sizeof *sorted);
	bool found = false;
	size_t i, first;

	for (i = 0; i < count; i++)
		sorted[i] = (struct sorted_member){text + members[i].key,
						   members[i].value - members[i].key, i,
						   members[i].hash};
	qsort(sorted, count, sizeof *sorted, compare_members);
	for (i = first = 0; i < count; i++) {
		if (i > first && (sorted[i].hash != sorted[first].hash ||
				  sorted[i].length != sorted[first].length ||
				  memcmp(sorted[i].key, sorted[first].key, sorted[i].length) != 0))
			first = i;
		if (i > first) {
			taken[sorted[i].index] = SIZE_MAX;
			found = true;
		}
		taken[sorted[first].index] = sorted[i].index;
	}
	perun_free(sorted);
	return found;
}

/* Write an object's members again, as `taken` says. They begin at members[0].key and end the text. */
static void rebuild(struct perun_buffer *out, const struct perun_json_member *members, size_t count,
		    const size_t *taken)
{
	size_t start = members[0].key, end = out->length, i;
	struct perun_buffer rebuilt = {0};

	for (i = 0; i < count; i++) {
		size_t from = taken[i], stop;

		if (from == SIZE_MAX)
			continue;
		stop = from + 1 < count ? members[from + 1].key - 2 : end;
		if (rebuilt.length > 0)
			perun_buffer_add(&rebuilt, ", ", 2);
		perun_buffer_add(&rebuilt, out->data + members[i].key,
				 members[i].value - members[i].key);
		perun_buffer_add(&rebuilt, out->data + members[from].value,
				 stop - members[from].value);
	}
	out->length = start;
	perun_buffer_add(out, rebuilt.data, rebuilt.length);
	perun_buffer_free(&rebuilt);
}

static void merge_duplicates(struct perun_buffer *out, const struct perun_json_member *members,
			     size_t count)
{
	size_t *taken;

	if (!may_have_duplicates(members, count))
		return;
	taken = perun_alloc_zero(count, sizeof *taken);
	if (find_duplicates(members, count, out->data, taken))
		rebuild(out, members, count, taken);
	perun_free(taken);
}

static void add_number(struct perun_buffer *out, const struct perun_json_token *token)
{
	char *to;

	if (token->kind == PERUN_JSON_DOUBLE) {
		to = perun_buffer_reserve(out, PERUN_JSON_NUMBER_SIZE);
		out->length += perun_json_print_double(token->number.real, to);
	} else if (token->kind == PERUN_JSON_INT64 && token->number.int64 == 0) {
		perun_buffer_add_char(out, '0'); /* also for -0 */
	} else {
		perun_buffer_add(out, token->text, token->length);
	}
}

static void add_scalar(struct perun_buffer *out, const struct perun_json_token *token)
{
	switch (token->event) {
	case PERUN_JSON_STRING:
		perun_json_quote(out, token->text, token->length);
		break;
	case PERUN_JSON_NUMBER:
		add_number(out, token);
		break;
	case PERUN_JSON_TRUE:
		perun_buffer_add(out, "true", 4);
		break;
	case PERUN_JSON_FALSE:
		perun_buffer_add(out, "false", 5);
		break;
	default:
		perun_buffer_add(out, "null", 4);
		break;
	}
}

static void add_key(struct perun_json_reader *reader, struct perun_buffer *out)
{
	struct perun_json_member *member;

	if (reader->member_count - reader->first_members[reader->depth - 1] ==
	    reader->options.member_count)
		perun_json_fail(reader, "an object of more than %zu members",
				reader->options.member_count);
	PERUN_GROW(reader->members, reader->member_count, reader->member_capacity);
	member = &reader->members[reader->member_count++];
	member->key = out->length;
	perun_json_quote(out, reader->token.text, reader->token.length);
	member->hash = hash_key(out->data + member->key, out->length - member->key);
	perun_buffer_add(out, ": ", 2);
	member->value = out->length;
}

/* An object ends: its members are those since its beginning. */
static void end_object(struct perun_json_reader *reader, struct perun_buffer *out)
{
	size_t first = reader->first_members[reader->depth];

	if (reader->member_count - first > 1)
		merge_duplicates(out, reader->members + first, reader->member_count - first);
	reader->member_count = first;
	perun_buffer_add_char(out, '}');
}

static void begin_container(struct perun_json_reader *reader, struct perun_buffer *out)
{
	size_t depth = reader->depth - 1;

	if (depth >= reader->first_capacity) {
		reader->first_capacity = depth + 16;
		reader->first_members =
			perun_realloc_array(reader->first_members, reader->first_capacity,
					    sizeof *reader->first_members);
	}
	reader->first_members[depth] = reader->member_count;
	perun_buffer_add_char(out, reader->stack[depth]);
}

/* Append one token. `first`: nothing is before it in its container. */
static void add_token(struct perun_json_reader *reader, struct perun_buffer *out, bool separate)
{
	if (separate)
		perun_buffer_add(out, ", ", 2);
	switch (reader->token.event) {
	case PERUN_JSON_OBJECT_START:
	case PERUN_JSON_ARRAY_START:
		begin_container(reader, out);
		break;
	case PERUN_JSON_OBJECT_END:
		end_object(reader, out);
		break;
	case PERUN_JSON_ARRAY_END:
		perun_buffer_add_char(out, ']');
		break;
	case PERUN_JSON_KEY:
		add_key(reader, out);
		break;
	default:
		add_scalar(out, &reader->token);
		break;
	}
}

int perun_json_capture(struct perun_json_reader *reader, struct perun_buffer *out)
{
	enum perun_json_event event = perun_json_first_token(reader);
	size_t length = out->length, depth;
	enum json_state before = STATE_START;

	depth = reader->depth;
	if (event == PERUN_JSON_OBJECT_START || event == PERUN_JSON_ARRAY_START)
		depth--;
	reader->member_count = 0;
	while (event != PERUN_JSON_ERROR) {
		bool separate = (before == STATE_ARRAY_NEXT && event != PERUN_JSON_ARRAY_END) ||
				(before == STATE_OBJECT_NEXT && event == PERUN_JSON_KEY);

		add_token(reader, out, separate);
		if (reader->depth <= depth)
			return PERUN_OK;
		before = reader->state;
		event = perun_json_next(reader);
	}
	out->length = length;
	if (out->data != NULL)
		out->data[length] = '\0';
	return reader->error.status;
}
