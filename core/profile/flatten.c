/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of JSON with their paths, and a value as one text: how Perun names a uid. */
#include <stdlib.h>

#include "core/profile/flatten.h"
#include "perun/query.h"

/* ---- objects, and arrays of {name, value} that count as such --------------------------------- */

static bool is_pair(const struct perun_json *value)
{
	return perun_json_type(value) == PERUN_JSON_TYPE_OBJECT && perun_json_count(value) == 2 &&
	       perun_json_get(value, "name") && perun_json_get(value, "value");
}

bool perun_items_is_object(const struct perun_json *value)
{
	enum perun_json_type type = perun_json_type(value);
	size_t count = perun_json_count(value);

	if (type != PERUN_JSON_TYPE_ARRAY || count == 0)
		return type == PERUN_JSON_TYPE_OBJECT;
	for (size_t i = 0; i < count; i++) {
		if (!is_pair(perun_json_at(value, i)))
			return false;
	}
	return true;
}

/* Python's str() of a scalar. */
static void add_scalar(const struct perun_json *value, struct perun_buffer *out)
{
	char number[PERUN_JSON_NUMBER_SIZE];
	const char *text;
	size_t length;
	double real;
	bool truth;

	if ((text = perun_json_as_string(value, &length))) {
		perun_buffer_add(out, text, length);
		return;
	}
	if (perun_json_as_bool(value, &truth)) {
		perun_buffer_add_text(out, truth ? "True" : "False");
		return;
	}
	if (perun_json_type(value) == PERUN_JSON_TYPE_INT) {
		perun_json_print(value, out, PERUN_JSON_PYTHON, 0);
		return;
	}
	if (!perun_json_as_double(value, &real)) {
		perun_buffer_add_text(out, "None");
		return;
	}
	perun_json_print_double(real, number);
	text = number;
	if (real != real)
		text = "nan";
	else if (real - real != 0)
		text = real > 0 ? "inf" : "-inf";
	perun_buffer_add_text(out, text);
}

/* ---- the order of keys ------------------------------------------------------------------------ */

struct ranked {
	char *rank; /* decimal digits of a number without bound */
	size_t length, index;
	const char *text;
};

/* Faster than printf(), as keys may be long and are looked at in each set of labels. */
static void add_digits(uint32_t number, struct perun_buffer *out)
{
	char digits[10];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	perun_buffer_add(out, digits + at, sizeof digits - at);
}

/*
 * Known keys have a rank from 0 to 6; the rank of another is the number whose digits are those of its
 * characters' codes plus 6, one after the other, so longer keys come later.
 */
static char *rank_of(const char *key, size_t *length)
{
	static const struct {
		const char *key, *rank;
	} known[] = {{"bin", "0"},    {"file", "1"},       {"source", "1"}, {"package", "1"},
		     {"module", "2"}, {"class", "3"},      {"struct", "3"}, {"structure", "3"},
		     {"func", "4"},   {"function", "4"},   {"method", "4"}, {"procedure", "4"},
		     {"line", "5"},   {"instruction", "6"}};
	struct perun_buffer digits = {0};
	const unsigned char *p = (const unsigned char *)key;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(key, known[i].key) == 0) {
			*length = 1;
			return perun_strdup(known[i].rank);
		}
	}
	while (*p) {
		uint32_t code = *p++;

		if (code >= 0xc0) {
			code &= code >= 0xf0 ? 0x07 : code >= 0xe0 ? 0x0f : 0x1f;
			while ((*p & 0xc0) == 0x80)
				code = code << 6 | (*p++ & 0x3f);
		}
		add_digits(code + 6, &digits);
	}
	*length = digits.length;
	return perun_buffer_take(&digits);
}

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	int order;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	order = memcmp(a->rank, b->rank, a->length);
	if (order != 0)
		return order;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* ---- items ------------------------------------------------------------------------------------ */

static bool spend(struct perun_items *items, size_t bytes)
{
	if (items->budget < bytes) {
		items->budget = 0;
		return false;
	}
	items->budget -= bytes;
	return true;
}

static void add_item(struct perun_items *items, const char *path, char *text,
		     const struct perun_json *scalar)
{
	if (!spend(items, strlen(path) + strlen(text) + sizeof(struct perun_item))) {
		perun_free(text);
		return;
	}
	PERUN_GROW(items->items, items->count, items->capacity);
	items->items[items->count++] =
		(struct perun_item){.path = perun_strdup(path), .text = text, .scalar = scalar};
}

/* The texts of the items from `first` on, whose paths have a prefix, by rank, joined by ':'. */
static void join_ranked(struct perun_items *items, size_t first, size_t prefix,
			struct perun_buffer *out)
{
	size_t count = items->count - first;
	struct ranked *ranked;

	if (count == 0 || !spend(items, count * sizeof *ranked))
		return;
	if (count == 1) {
		if (spend(items, strlen(items->items[first].text) + 1))
			perun_buffer_add_text(out, items->items[first].text);
		return;
	}
	ranked = perun_alloc_zero(count, sizeof *ranked);
	for (size_t i = 0; i < count; i++) {
		ranked[i].index = i;
		ranked[i].text = items->items[first + i].text;
		ranked[i].rank = rank_of(items->items[first + i].path + prefix, &ranked[i].length);
	}
	qsort(ranked, count, sizeof *ranked, compare_ranked);
	for (size_t i = 0; i < count; i++) {
		if (!spend(items, strlen(ranked[i].text) + 1))
			break;
		if (i > 0)
			perun_buffer_add_char(out, ':');
		perun_buffer_add_text(out, ranked[i].text);
	}
	for (size_t i = 0; i < count; i++)
		perun_free(ranked[i].rank);
	perun_free(ranked);
}

static void join_array(struct perun_items *items, const struct perun_json *array,
		       struct perun_buffer *out);

/* One element of an array: the values of an object, nested ones too, in their order. */
static void add_element(struct perun_items *items, const struct perun_json *element,
			struct perun_buffer *out)
{
	struct perun_items nested = {.budget = items->budget};

	if (!spend(items, sizeof nested))
		return;
	if (perun_items_is_object(element)) {
		nested.budget = items->budget;
		perun_items_add_members(&nested, element);
		items->budget = nested.budget;
		for (size_t i = 0; i < nested.count; i++) {
			if (i > 0)
				perun_buffer_add_char(out, ':');
			perun_buffer_add_text(out, nested.items[i].text);
		}
		perun_items_free(&nested);
	} else if (perun_json_type(element) == PERUN_JSON_TYPE_ARRAY) {
		join_array(items, element, out);
	} else {
		add_scalar(element, out);
	}
}

static void join_array(struct perun_items *items, const struct perun_json *array,
		       struct perun_buffer *out)
{
	for (size_t i = 0; i < perun_json_count(array) && items->budget > 0; i++) {
		if (i > 0)
			perun_buffer_add_char(out, ',');
		add_element(items, perun_json_at(array, i), out);
	}
}

void perun_items_add(struct perun_items *items, const char *path, const struct perun_json *value)
{
	struct perun_buffer text = {0};
	const struct perun_json *scalar = NULL;

	if (items->budget == 0)
		return;
	if (perun_items_is_object(value)) {
		struct perun_buffer nested = {0};
		size_t first = items->count;

		for (size_t i = 0; i < perun_json_count(value) && items->budget > 0; i++) {
			const struct perun_json *member = perun_json_at(value, i);
			bool pair = perun_json_type(value) == PERUN_JSON_TYPE_ARRAY;

			perun_buffer_clear(&nested);
			perun_buffer_add_text(&nested, path);
			perun_buffer_add_char(&nested, ':');
			if (pair)
				add_scalar(perun_json_get(member, "name"), &nested);
			else
				perun_buffer_add_text(&nested, perun_json_key_at(value, i, NULL));
			perun_items_add(items, nested.data,
					pair ? perun_json_get(member, "value") : member);
		}
		join_ranked(items, first, strlen(path) + 1, &text);
		perun_buffer_free(&nested);
	} else if (perun_json_type(value) == PERUN_JSON_TYPE_ARRAY) {
		join_array(items, value, &text);
	} else {
		add_scalar(value, &text);
		scalar = value;
	}
	add_item(items, path, perun_buffer_take(&text), scalar);
}

void perun_items_add_members(struct perun_items *items, const struct perun_json *object)
{
	bool pairs = perun_json_type(object) == PERUN_JSON_TYPE_ARRAY;
	struct perun_buffer key = {0};

	for (size_t i = 0; i < perun_json_count(object); i++) {
		const struct perun_json *member = perun_json_at(object, i);

		if (!pairs) {
			perun_items_add(items, perun_json_key_at(object, i, NULL), member);
			continue;
		}
		perun_buffer_clear(&key);
		perun_buffer_add_text(&key, "");
		add_scalar(perun_json_get(member, "name"), &key);
		perun_items_add(items, key.data ? key.data : "", perun_json_get(member, "value"));
	}
	perun_buffer_free(&key);
}

void perun_items_free(struct perun_items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		perun_free(items->items[i].path);
		perun_free(items->items[i].text);
	}
	perun_free(items->items);
	*items = (struct perun_items){0};
}

/* ---- one text --------------------------------------------------------------------------------- */

void perun_flatten_value(const struct perun_json *value, struct perun_buffer *out)
{
	struct perun_items items = {.budget = PERUN_ITEMS_BUDGET};

	if (perun_items_is_object(value)) {
		perun_items_add_members(&items, value);
		join_ranked(&items, 0, 0, out);
	} else if (perun_json_type(value) == PERUN_JSON_TYPE_ARRAY) {
		join_array(&items, value, out);
	} else {
		add_scalar(value, out);
	}
	perun_items_free(&items);
}

/* ---- the same of the text of a small object ---------------------------------------------------- */

/* Objects that are flattened without a document: up to this many members, whose keys are shorter than that. */
enum { SIMPLE_MEMBERS = 8, SIMPLE_KEY = 64 };

struct simple_member {
	char key[SIMPLE_KEY];
	const char *text;
	size_t length;
};

/* "ABC": only what is the same in and out of JSON. NULL: it is anything else. */
static const char *take_simple_text(const char *at, const char *end, const char **text,
				    size_t *length)
{
	if (at == end || *at != '"')
		return NULL;
	*text = ++at;
	while (at < end && *at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
		at++;
	*length = (size_t)(at - *text);
	return at < end && *at == '"' ? at + 1 : NULL;
}

static const char *take_simple_value(const char *at, const char *end, struct simple_member *member)
{
	const char *first = at;

	if (at < end && *at == '"')
		return take_simple_text(at, end, &member->text, &member->length);
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	member->text = first;
	member->length = (size_t)(at - first);
	return member->length && (*first != '0' || member->length == 1) ? at : NULL;
}

/* The members of {"KEY": "TEXT", "KEY": 12}; 0: it is anything else. */
static size_t take_simple_members(const char *at, const char *end, struct simple_member *members)
{
	const char *text;
	size_t count = 0, length;

	do {
		/* The bracket, or a comma. */
		at += count ? 2 : 1;
		at = count < SIMPLE_MEMBERS ? take_simple_text(at, end, &text, &length) : NULL;
		if (!at || length >= SIMPLE_KEY || end - at < 3 || memcmp(at, ": ", 2) != 0)
			return 0;
		memcpy(members[count].key, text, length);
		members[count].key[length] = '\0';
		for (size_t i = 0; i < count; i++)
			if (strcmp(members[i].key, members[count].key) == 0)
				return 0;
		at = take_simple_value(at + 2, end, &members[count++]);
	} while (at && end - at > 2 && memcmp(at, ", ", 2) == 0);
	return at && end - at == 1 && *at == '}' ? count : 0;
}

/* NULL: it is none. */
static char *flatten_simple(const char *json, size_t length)
{
	struct simple_member members[SIMPLE_MEMBERS];
	struct ranked ranked[SIMPLE_MEMBERS];
	struct perun_buffer out = {0};
	size_t count =
		length > 2 && *json == '{' ? take_simple_members(json, json + length, members) : 0;

	if (!count)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		ranked[i].index = i;
		ranked[i].rank = count > 1 ? rank_of(members[i].key, &ranked[i].length) : NULL;
	}
	if (count > 1)
		qsort(ranked, count, sizeof *ranked, compare_ranked);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			perun_buffer_add_char(&out, ':');
		perun_buffer_add(&out, members[ranked[i].index].text,
				 members[ranked[i].index].length);
		perun_free(ranked[i].rank);
	}
	return perun_buffer_take(&out);
}

char *perun_flatten(const char *json, size_t length)
{
	struct perun_json *value;
	struct perun_buffer out = {0};
	char *simple = flatten_simple(json, length);

	if (simple)
		return simple;
	if (perun_json_parse(NULL, json, length, NULL, &value) != PERUN_OK)
		return perun_strndup(json, length);
	perun_flatten_value(value, &out);
	perun_json_free(value);
	return perun_buffer_take(&out);
}
