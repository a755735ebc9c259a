/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of text for a uid that is an object. */
#include <stdlib.h>
#include <string.h>

#include "perun/json.h"
#include "perun/profile.h"

/*
 * An object is flattened into items: for a member that is an object the items of that, their keys
 * prefixed with "KEY:", then one with all their values joined; for others one item. Items are sorted
 * by rank. The order within equal ranks is that of the items.
 */
struct item {
	char *key;
	char *value;
	char *rank; /* decimal digits of any number */
	size_t index;
};

struct items {
	struct item *list;
	size_t count, capacity;
};

static const struct {
	const char *key, *rank;
} ranks[] = {
	{"bin", "0"},       {"file", "1"},  {"source", "1"},   {"package", "1"}, {"module", "2"},
	{"class", "3"},     {"struct", "3"}, {"structure", "3"}, {"function", "4"}, {"func", "4"},
	{"method", "4"},    {"procedure", "4"}, {"line", "5"}, {"instruction", "6"},
};

/* The character at *p, which moves on. Texts are UTF-8, lone surrogates in their three-byte form. */
static uint32_t next_character(const unsigned char **p)
{
	uint32_t c = *(*p)++;
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

	if (more)
		c &= 0x3fu >> more;
	for (; more && (**p & 0xc0) == 0x80; more--)
		c = c << 6 | (*(*p)++ & 0x3fu);
	return c;
}

/* Of other keys: the number whose digits are the characters' codes + 6, one behind the other. */
static char *rank_of(const char *key)
{
	const unsigned char *p = (const unsigned char *)key;
	struct perun_buffer digits = {0};

	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
		if (strcmp(key, ranks[i].key) == 0)
			return perun_strdup(ranks[i].rank);
	}
	while (*p)
		perun_buffer_printf(&digits, "%u", (unsigned)(next_character(&p) + 6));
	return perun_buffer_take(&digits);
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	size_t m = strlen(x->rank), n = strlen(y->rank);
	int order = m != n ? (m < n ? -1 : 1) : strcmp(x->rank, y->rank);

	return order ? order : x->index < y->index ? -1 : 1;
}

static void add_item(struct items *items, char *key, char *value)
{
	PERUN_GROW(items->list, items->count, items->capacity);
	items->list[items->count] =
		(struct item){.key = key, .value = value, .rank = rank_of(key), .index = items->count};
	items->count++;
}

static void free_items(struct items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		perun_free(items->list[i].key);
		perun_free(items->list[i].value);
		perun_free(items->list[i].rank);
	}
	perun_free(items->list);
}

static void join_items(const struct items *items, struct perun_buffer *out)
{
	for (size_t i = 0; i < items->count; i++) {
		if (i)
			perun_buffer_add_char(out, ':');
		perun_buffer_add_text(out, items->list[i].value);
	}
}

/* As Python's str() has it. */
static void add_scalar(const struct perun_json *value, struct perun_buffer *out)
{
	const char *text;
	size_t length, start = out->length;
	bool boolean;

	if ((text = perun_json_as_string(value, &length)))
		perun_buffer_add(out, text, length);
	else if (perun_json_as_bool(value, &boolean))
		perun_buffer_add_text(out, boolean ? "True" : "False");
	else if (perun_json_type(value) == PERUN_JSON_TYPE_NULL)
		perun_buffer_add_text(out, "None");
	else
		perun_json_print(value, out, PERUN_JSON_PYTHON, 0);
	if (perun_json_type(value) != PERUN_JSON_TYPE_DOUBLE)
		return;
	text = out->data + start;
	if (strcmp(text, "NaN") == 0 || strcmp(text, "Infinity") == 0 ||
	    strcmp(text, "-Infinity") == 0) {
		text = *text == 'N' ? "nan" : *text == 'I' ? "inf" : "-inf";
		out->length = start;
		perun_buffer_add_text(out, text);
	}
}

static void flatten_object(const struct perun_json *object, struct perun_buffer *out);
static void flatten_array(const struct perun_json *array, struct perun_buffer *out);
static void collect(const struct perun_json *object, struct items *items);

/* [{"name": "b0", "value": 1}, ...] counts as the object {"b0": 1}. */
static struct perun_json *as_object(const struct perun_json *array)
{
	struct perun_json *object;
	size_t count = perun_json_count(array), length;

	if (perun_json_type(array) != PERUN_JSON_TYPE_ARRAY || count == 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct perun_json *pair = perun_json_at(array, i);

		if (perun_json_type(pair) != PERUN_JSON_TYPE_OBJECT ||
		    perun_json_count(pair) != 2 || !perun_json_get(pair, "value") ||
		    !perun_json_as_string(perun_json_get(pair, "name"), NULL))
			return NULL;
	}
	object = perun_json_object();
	for (size_t i = 0; i < count; i++) {
		const struct perun_json *pair = perun_json_at(array, i);
		const char *name = perun_json_as_string(perun_json_get(pair, "name"), &length);

		perun_json_set_n(object, name, length,
				 perun_json_clone(perun_json_get(pair, "value")));
	}
	return object;
}

static void collect_nested(const char *key, const struct perun_json *object, struct items *items)
{
	struct items nested = {0};
	struct perun_buffer joined = {0};

	collect(object, &nested);
	for (size_t i = 0; i < nested.count; i++)
		add_item(items, perun_format("%s:%s", key, nested.list[i].key),
			 perun_strdup(nested.list[i].value));
	flatten_object(object, &joined);
	add_item(items, perun_strdup(key), perun_buffer_take(&joined));
	free_items(&nested);
}

static void collect(const struct perun_json *object, struct items *items)
{
	for (size_t i = 0; i < perun_json_count(object); i++) {
		const char *key = perun_json_key_at(object, i, NULL);
		const struct perun_json *value = perun_json_at(object, i);
		struct perun_json *pairs = as_object(value);
		struct perun_buffer text = {0};

		if (pairs || perun_json_type(value) == PERUN_JSON_TYPE_OBJECT) {
			collect_nested(key, pairs ? pairs : value, items);
			perun_json_free(pairs);
			continue;
		}
		if (perun_json_type(value) == PERUN_JSON_TYPE_ARRAY)
			flatten_array(value, &text);
		else
			add_scalar(value, &text);
		add_item(items, perun_strdup(key), perun_buffer_take(&text));
	}
}

static void flatten_object(const struct perun_json *object, struct perun_buffer *out)
{
	struct items items = {0};

	collect(object, &items);
	if (items.count)
		qsort(items.list, items.count, sizeof *items.list, compare_items);
	join_items(&items, out);
	free_items(&items);
}

/* Elements are separated by ','; the items of one that is an object by ':', not sorted. */
static void flatten_array(const struct perun_json *array, struct perun_buffer *out)
{
	for (size_t i = 0; i < perun_json_count(array); i++) {
		const struct perun_json *value = perun_json_at(array, i);
		struct perun_json *pairs = as_object(value);
		struct items items = {0};

		if (i)
			perun_buffer_add_char(out, ',');
		if (pairs || perun_json_type(value) == PERUN_JSON_TYPE_OBJECT) {
			collect(pairs ? pairs : value, &items);
			join_items(&items, out);
			free_items(&items);
			perun_json_free(pairs);
		} else if (perun_json_type(value) == PERUN_JSON_TYPE_ARRAY) {
			flatten_array(value, out);
		} else {
			add_scalar(value, out);
		}
	}
}

void perun_flatten(const char *json, size_t length, struct perun_buffer *out)
{
	struct perun_json *value;

	/* The nesting is bounded by the parser's limit. */
	if (perun_json_parse(NULL, json, length, NULL, &value) != PERUN_OK) {
		perun_buffer_add(out, json, length);
		return;
	}
	if (perun_json_type(value) == PERUN_JSON_TYPE_OBJECT)
		flatten_object(value, out);
	else if (perun_json_type(value) == PERUN_JSON_TYPE_ARRAY)
		flatten_array(value, out);
	else
		add_scalar(value, out);
	perun_json_free(value);
}
