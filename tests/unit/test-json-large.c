/* SPDX-License-Identifier: BSD-3-Clause */
/* Documents that are packed while they are read, compared with what perun_json_capture() makes of the same text. */
#include <stdlib.h>

#include "perun/json.h"

#include "check.h"

enum { ROUNDS = 6, SIZE = 3000000, DEPTH = 6, CHANGES = 300 };

struct making {
	uint64_t state;
	struct perun_buffer text;
};

static unsigned chance(struct making *making, unsigned below)
{
	making->state = making->state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(making->state >> 33) % below;
}

static void add_scalar(struct making *making, unsigned number)
{
	static const char *const others[] = {"null",
					     "true",
					     "false",
					     "-0.0",
					     "NaN",
					     "\"\"",
					     "[]",
					     "{}",
					     "99999999999999999999",
					     "-9223372036854775808",
					     "\"\\u0000\"",
					     "1e300",
					     "\"same\"",
					     "0.5"};

	switch (chance(making, 8)) {
	case 0:
		perun_buffer_printf(&making->text, "%u", number % 300);
		break;
	case 1:
		perun_buffer_printf(&making->text, "-%u", number);
		break;
	case 2:
		perun_buffer_printf(&making->text, "%u.%u", number % 97, number % 7);
		break;
	case 3:
		perun_buffer_printf(&making->text, "%.17g", 1 / (number + 3.0));
		break;
	case 4:
		perun_buffer_printf(&making->text, "\"k%u\"", number);
		break;
	case 5:
		perun_buffer_printf(&making->text, "\"%*u\"", (int)chance(making, 300), number);
		break;
	default:
		perun_buffer_add_text(&making->text,
				      others[chance(making, sizeof others / sizeof *others)]);
	}
}

/* Few containers are large; where there are many members, few keys are repeated. */
static void add_value(struct making *making, unsigned depth, size_t end)
{
	const bool is_object = chance(making, 2);
	const unsigned kind = chance(making, 12);
	unsigned count = kind == 0 ? 100000 : kind < 3 ? 2000 : 8;

	if (depth == DEPTH || (depth && chance(making, 3) == 0)) {
		add_scalar(making, chance(making, 1000));
		return;
	}
	count = depth ? chance(making, count + 1) : 1000000;
	perun_buffer_add_char(&making->text, is_object ? '{' : '[');
	for (unsigned i = 0; i < count && making->text.length < end; i++) {
		perun_buffer_add_text(&making->text, i ? ", " : "");
		if (is_object)
			perun_buffer_printf(&making->text, "\"k%u\": ",
					    chance(making, 20000) || !i ? i : chance(making, i));
		if (kind % 2)
			add_scalar(making, i);
		else
			add_value(making, depth + 1, end);
	}
	perun_buffer_add_char(&making->text, is_object ? '}' : ']');
}

static struct perun_json *parse(const struct perun_buffer *text)
{
	struct perun_json *value = NULL;

	CHECK_INT(perun_json_parse(NULL, text->data, text->length, NULL, &value), PERUN_OK);
	return value;
}

static void check_print(const struct perun_json *value, const struct perun_buffer *expected)
{
	struct perun_buffer out = {0};

	perun_json_print(value, &out, PERUN_JSON_PYTHON, 0);
	CHECK(out.length == expected->length && memcmp(out.data, expected->data, out.length) == 0);
	perun_buffer_free(&out);
}

/* Goes through it by perun_json_pass() and looks at each value by other ways. */
static void check_ways(const struct perun_json *value)
{
	for (size_t i = 0; i < perun_json_count(value); i++) {
		const char *key;
		const struct perun_json *passed = perun_json_pass(value, i, &key);

		CHECK(perun_json_equal(passed, perun_json_at(value, i)));
		if (key)
			CHECK(strcmp(key, perun_json_key_at(value, i, NULL)) == 0 &&
			      perun_json_get(value, key) == perun_json_at(value, i));
		check_ways(passed);
	}
	CHECK(!perun_json_pass(value, perun_json_count(value), NULL));
	CHECK(!perun_json_get(value, "missing"));
}

/* The same change somewhere in both. */
static void change(struct making *making, struct perun_json *a, struct perun_json *b)
{
	const size_t count = perun_json_count(a);
	const size_t i = count ? chance(making, (unsigned)count) : 0;
	char key[32];

	if (count && chance(making, 4) && perun_json_count(perun_json_at(a, i))) {
		change(making, perun_json_at(a, i), perun_json_at(b, i));
	} else if (count && chance(making, 2)) {
		perun_json_remove_at(a, i);
		perun_json_remove_at(b, i);
	} else if (perun_json_type(a) == PERUN_JSON_TYPE_OBJECT) {
		snprintf(key, sizeof key, "k%u", chance(making, 3000));
		perun_json_free(perun_json_take(a, key));
		perun_json_free(perun_json_take(b, key));
		snprintf(key, sizeof key, "k%u", chance(making, 3000));
		perun_json_set(a, key, perun_json_text(key));
		perun_json_set(b, key, perun_json_text(key));
	} else {
		perun_json_append(a, perun_json_int64(5));
		perun_json_append(b, perun_json_int64(5));
	}
}

static void check_changes(struct making *making, struct perun_json *a, struct perun_json *b)
{
	struct perun_buffer expected = {0};

	for (int i = 0; i < CHANGES; i++)
		change(making, a, b);
	perun_json_print(a, &expected, PERUN_JSON_PYTHON, 0);
	check_print(b, &expected);
	perun_buffer_free(&expected);
}

static void check_document(struct making *making)
{
	struct perun_buffer captured = {0};
	struct perun_json_reader *reader =
		perun_json_reader_new_text(NULL, making->text.data, making->text.length, NULL);
	struct perun_json *value = parse(&making->text), *packed, *made;

	CHECK_INT(perun_json_capture(reader, &captured), PERUN_OK);
	perun_json_reader_free(reader);
	check_print(value, &captured);
	packed = perun_json_clone(value);
	check_print(packed, &captured);
	check_ways(packed);
	check_print(packed, &captured);
	made = perun_json_clone(packed); /* of one that was looked into */
	check_print(made, &captured);
	CHECK(perun_json_equal(value, made));
	perun_json_free(value);
	value = parse(&making->text);
	check_changes(making, value, made);
	perun_json_free(perun_json_clone(value));
	perun_json_free(value);
	perun_json_free(packed);
	perun_json_free(made);
	perun_buffer_free(&captured);
}

TEST(test_random_documents)
{
	struct making making = {.state = 5};

	for (int i = 0; i < ROUNDS; i++) {
		perun_buffer_clear(&making.text);
		add_value(&making, 0, i % 3 == 2 ? 20000 : SIZE);
		check_document(&making);
	}
	perun_buffer_free(&making.text);
}

/* A document that is put together from others, some of which are packed. */
TEST(test_taken)
{
	struct making making = {.state = 7};
	struct perun_json_members *members = perun_json_members_new(),
				  *elements = perun_json_elements_new();
	struct perun_json *plain = perun_json_object(), *list = perun_json_array(), *value, *part;
	struct perun_buffer expected = {0};
	char key[8];

	for (int i = 0; i < 9; i++) {
		perun_buffer_clear(&making.text);
		add_value(&making, 0, i % 3 ? 2000 : SIZE / 2);
		value = parse(&making.text);
		snprintf(key, sizeof key, "k%d", i % 7);
		perun_json_set(plain, key, perun_json_clone(value));
		perun_json_append(list, perun_json_clone(value));
		perun_json_members_take(members, key, strlen(key), perun_json_clone(value));
		perun_json_members_take(elements, NULL, 0, value);
	}
	perun_json_set(plain, "list", list);
	perun_json_members_take(members, "list", 4, perun_json_members_end(elements));
	perun_json_set(plain, "", perun_json_null());
	perun_json_members_take(members, "", 0, perun_json_null());
	value = perun_json_members_end(members);
	perun_json_print(plain, &expected, PERUN_JSON_PYTHON, 0);
	check_print(value, &expected);
	part = perun_json_clone(value);
	check_print(part, &expected);
	perun_json_free(part);
	perun_buffer_free(&expected);
	check_changes(&making, value, plain);
	perun_json_free(value);
	perun_json_free(plain);
	perun_buffer_free(&making.text);
}

/* What was packed goes when the text turns out to be wrong. */
TEST(test_failures)
{
	struct making making = {.state = 6};
	struct perun_json *value;

	for (int i = 0; i < 3; i++) {
		perun_buffer_clear(&making.text);
		add_value(&making, 0, SIZE);
		CHECK(perun_json_parse(NULL, making.text.data, making.text.length - 1 - (size_t)i,
				       NULL, &value) == PERUN_INPUT);
		CHECK(!value);
	}
	perun_buffer_free(&making.text);
}

CHECK_MAIN(, )
