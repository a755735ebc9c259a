/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON documents in memory: making, asking, comparing. */
#include <stdlib.h>

#include "document.h"

/* ---- Making ---------------------------------------------------------------------------------- */

static struct perun_json *new_of_size(enum perun_json_type type, size_t size)
{
	struct perun_json *value = perun_alloc_zero(1, size);

	value->type = (uint8_t)type;
	return value;
}

static struct perun_json *new_scalar(enum perun_json_type type)
{
	return new_of_size(type, sizeof(struct perun_json));
}

/* A text follows its value in memory. */
static struct perun_json *new_text(enum perun_json_type type, size_t length)
{
	struct perun_json *value =
		new_of_size(type, sizeof *value + sizeof *value->text + length + 1);

	value->text = (struct json_text *)(value + 1);
	value->text->length = length;
	return value;
}

/* So does the head of a list. */
static struct perun_json *new_container(enum perun_json_type type)
{
	struct perun_json *value = new_of_size(type, sizeof *value + sizeof(struct json_own_list));

	value->list = (struct json_list *)(value + 1);
	return value;
}

struct perun_json *perun_json_null(void)
{
	return new_scalar(PERUN_JSON_TYPE_NULL);
}

struct perun_json *perun_json_bool(bool boolean)
{
	struct perun_json *value = new_scalar(PERUN_JSON_TYPE_BOOL);

	value->boolean = boolean;
	return value;
}

struct perun_json *perun_json_int64(int64_t integer)
{
	struct perun_json *value = new_scalar(PERUN_JSON_TYPE_INT);

	value->integer = integer;
	return value;
}

struct perun_json *perun_json_uint64(uint64_t integer)
{
	char digits[PERUN_JSON_NUMBER_SIZE];

	return perun_json_integer(digits, perun_json_print_uint64(integer, digits));
}

/* Digits to a number; false when it is beyond 2^64 - 1. */
static bool parse_digits(const char *text, size_t length, uint64_t *out)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	}
	*out = value;
	return true;
}

struct perun_json *perun_json_integer(const char *text, size_t length)
{
	bool negative = length > 0 && *text == '-';
	size_t start = negative, i;
	struct perun_json *value;
	uint64_t number;

	for (i = start; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return NULL;
	}
	if (i == start)
		return NULL;
	while (start + 1 < length && text[start] == '0')
		start++;
	if (parse_digits(text + start, length - start, &number) &&
	    number <= (uint64_t)INT64_MAX + negative)
		return perun_json_int64((int64_t)(negative ? -number : number));
	value = new_text(PERUN_JSON_TYPE_INT, length - start + negative);
	value->digits = true;
	*value->text->text = '-';
	memcpy(value->text->text + negative, text + start, length - start);
	return value;
}

struct perun_json *perun_json_double(double real)
{
	struct perun_json *value = new_scalar(PERUN_JSON_TYPE_DOUBLE);

	value->real = real;
	return value;
}

struct perun_json *perun_json_string(const char *text, size_t length)
{
	struct perun_json *value = new_text(PERUN_JSON_TYPE_STRING, length);

	if (length > 0)
		memcpy(value->text->text, text, length);
	return value;
}

struct perun_json *perun_json_text(const char *text)
{
	return perun_json_string(text, strlen(text));
}

struct perun_json *perun_json_array(void)
{
	return new_container(PERUN_JSON_TYPE_ARRAY);
}

struct perun_json *perun_json_object(void)
{
	return new_container(PERUN_JSON_TYPE_OBJECT);
}

static struct perun_json *clone_container(const struct perun_json *value)
{
	const size_t count = perun_json_count(value);
	struct perun_json *clone = new_container(value->type);

	for (size_t i = 0; i < count; i++) {
		struct perun_json *item = perun_json_clone(json_item(value, i));

		if (value->type == PERUN_JSON_TYPE_ARRAY)
			perun_json_append(clone, item);
		else
			perun_json_set_n(clone, json_key(value, i)->text,
					 json_key(value, i)->length, item);
	}
	return clone;
}

struct perun_json *perun_json_clone(const struct perun_json *value)
{
	struct perun_json *clone;

	if (value == NULL)
		return perun_json_null();
	switch (value->type) {
	case PERUN_JSON_TYPE_STRING:
		return perun_json_string(value->text->text, value->text->length);
	case PERUN_JSON_TYPE_ARRAY:
	case PERUN_JSON_TYPE_OBJECT:
		clone = value->packed ? json_clone_packed(value) : NULL;
		return clone ? clone : clone_container(value);
	default:
		if (value->digits)
			return perun_json_integer(value->text->text, value->text->length);
		clone = new_scalar(value->type);
		clone->integer = value->integer; /* whatever it is */
		return clone;
	}
}

/* Free the values in a container, and its list where that is memory of its own. */
static void free_contents(struct perun_json *value)
{
	struct json_own_list *own = json_own(value);
	const size_t count = value->list->count;

	if (value->packed) {
		json_free_unpacked(value);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		perun_json_free(json_item(value, i));
		if (value->type == PERUN_JSON_TYPE_OBJECT && !value->frozen)
			perun_free(json_key(value, i));
	}
	if (value->frozen)
		return;
	if (value->type == PERUN_JSON_TYPE_OBJECT)
		perun_free(own->members);
	else
		perun_free(own->items);
	json_index_free(own->head.index);
	if (value->in_arena)
		perun_free(own);
}

void perun_json_free(struct perun_json *value)
{
	struct json_arena *arena = NULL;

	if (value == NULL)
		return;
	if (value->type == PERUN_JSON_TYPE_ARRAY || value->type == PERUN_JSON_TYPE_OBJECT) {
		arena = value->list->arena;
		if (arena == NULL || json_arena_is_changed(arena))
			free_contents(value);
	}
	if (value->root)
		json_arena_free(arena);
	else if (!value->in_arena)
		perun_free(value);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

enum perun_json_type perun_json_type(const struct perun_json *value)
{
	return value != NULL ? (enum perun_json_type)value->type : PERUN_JSON_TYPE_NULL;
}

const char *perun_json_type_name(enum perun_json_type type)
{
	static const char *const names[] = {"null",     "true or false", "an integer", "a number",
					    "a string", "an array",      "an object"};

	return (size_t)type < sizeof names / sizeof *names ? names[type] : "an unknown type";
}

static bool is(const struct perun_json *value, enum perun_json_type type)
{
	return value != NULL && value->type == type;
}

bool perun_json_as_bool(const struct perun_json *value, bool *out)
{
	if (!is(value, PERUN_JSON_TYPE_BOOL))
		return false;
	*out = value->boolean;
	return true;
}

bool perun_json_as_int64(const struct perun_json *value, int64_t *out)
{
	if (!is(value, PERUN_JSON_TYPE_INT) || value->digits)
		return false;
	*out = value->integer;
	return true;
}

bool perun_json_as_uint64(const struct perun_json *value, uint64_t *out)
{
	if (!is(value, PERUN_JSON_TYPE_INT))
		return false;
	if (value->digits)
		return *value->text->text != '-' &&
		       parse_digits(value->text->text, value->text->length, out);
	if (value->integer < 0)
		return false;
	*out = (uint64_t)value->integer;
	return true;
}

bool perun_json_as_double(const struct perun_json *value, double *out)
{
	if (is(value, PERUN_JSON_TYPE_DOUBLE)) {
		*out = value->real;
		return true;
	}
	if (!is(value, PERUN_JSON_TYPE_INT))
		return false;
	if (value->digits)
		return perun_json_parse_double(value->text->text, value->text->length, out);
	*out = (double)value->integer;
	return true;
}

const char *perun_json_as_string(const struct perun_json *value, size_t *length)
{
	if (!is(value, PERUN_JSON_TYPE_STRING))
		return NULL;
	if (length != NULL)
		*length = value->text->length;
	return value->text->text;
}

const char *perun_json_as_digits(const struct perun_json *value, size_t *length)
{
	if (value == NULL || !value->digits)
		return NULL;
	if (length != NULL)
		*length = value->text->length;
	return value->text->text;
}

size_t perun_json_count(const struct perun_json *value)
{
	if (is(value, PERUN_JSON_TYPE_ARRAY) || is(value, PERUN_JSON_TYPE_OBJECT))
		return json_list(value)->count;
	return 0;
}

struct perun_json *perun_json_at(const struct perun_json *value, size_t i)
{
	if (i >= perun_json_count(value))
		return NULL;
	return json_item(value, i);
}

const char *perun_json_key_at(const struct perun_json *object, size_t i, size_t *length)
{
	if (!is(object, PERUN_JSON_TYPE_OBJECT) || i >= json_list(object)->count)
		return NULL;
	if (length != NULL)
		*length = json_key(object, i)->length;
	return json_key(object, i)->text;
}

/* The member or element that one token of a JSON pointer names; `key` is still escaped. */
static struct perun_json *follow(const struct perun_json *value, const char *key, size_t length)
{
	struct perun_buffer plain = {0};
	struct perun_json *found;
	uint64_t i;
	size_t j;

	if (is(value, PERUN_JSON_TYPE_ARRAY)) {
		if (length == 0 || (length > 1 && *key == '0') ||
		    strspn(key, "0123456789") < length)
			return NULL;
		return parse_digits(key, length, &i) ? perun_json_at(value, i) : NULL;
	}
	perun_buffer_reserve(&plain, length);
	for (j = 0; j < length; j++) {
		if (key[j] == '~' && j + 1 < length && (key[j + 1] == '0' || key[j + 1] == '1'))
			perun_buffer_add_char(&plain, key[++j] == '0' ? '~' : '/');
		else
			perun_buffer_add_char(&plain, key[j]);
	}
	found = perun_json_get_n(value, plain.data, plain.length);
	perun_buffer_free(&plain);
	return found;
}

struct perun_json *perun_json_path(const struct perun_json *value, const char *pointer)
{
	/* What is asked of a document is not const when the document is not; as strchr() does. */
	struct perun_json *found = (struct perun_json *)(uintptr_t)value;
	size_t length;

	while (found != NULL && *pointer == '/') {
		pointer++;
		length = strcspn(pointer, "/");
		found = follow(found, pointer, length);
		pointer += length;
	}
	return *pointer == '\0' ? found : NULL;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool equal_doubles(double a, double b)
{
	if (a != a || b != b)
		return a != a && b != b;
	return memcmp(&a, &b, sizeof a) == 0;
}

static bool equal_containers(const struct perun_json *a, const struct perun_json *b)
{
	const size_t count = perun_json_count(a);

	if (count != perun_json_count(b))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct perun_json *other;

		if (a->type == PERUN_JSON_TYPE_ARRAY)
			other = json_item(b, i);
		else
			other = perun_json_get_n(b, json_key(a, i)->text, json_key(a, i)->length);
		if (other == NULL || !perun_json_equal(json_item(a, i), other))
			return false;
	}
	return true;
}

bool perun_json_equal(const struct perun_json *a, const struct perun_json *b)
{
	if (perun_json_type(a) != perun_json_type(b))
		return false;
	switch (perun_json_type(a)) {
	case PERUN_JSON_TYPE_NULL:
		return true;
	case PERUN_JSON_TYPE_BOOL:
		return a->boolean == b->boolean;
	case PERUN_JSON_TYPE_INT:
		if (!a->digits && !b->digits)
			return a->integer == b->integer;
		if (a->digits != b->digits)
			return false;
		break;
	case PERUN_JSON_TYPE_DOUBLE:
		return equal_doubles(a->real, b->real);
	case PERUN_JSON_TYPE_STRING:
		break;
	default:
		return equal_containers(a, b);
	}
	return json_is_key(a->text, b->text->text, b->text->length);
}
