/* SPDX-License-Identifier: BSD-3-Clause */
/* core/json: reader, writer, documents. Texts and what Python makes of them: tests/json/cases.py. */
#include "perun/json.h"
#include "tests/unit/check.h"

/* ---- Sources --------------------------------------------------------------------------------- */

/* A text that comes in small pieces, and may fail. */
struct pieces {
	const char *text;
	size_t length, piece;
	struct perun_ctx *ctx;
	bool broken;
};

static int read_piece(void *data, void *memory, size_t size, size_t *got)
{
	struct pieces *pieces = data;
	size_t count = pieces->piece < size ? pieces->piece : size;

	if (pieces->length == 0 && pieces->broken)
		return perun_fail(pieces->ctx, PERUN_MISSING, "the disk is gone");
	if (count > pieces->length)
		count = pieces->length;
	memcpy(memory, pieces->text, count);
	pieces->text += count;
	pieces->length -= count;
	*got = count;
	return PERUN_OK;
}

/* One letter for each event, and the texts: "{k:a n:1 }". */
static char *events(struct perun_json_reader *reader)
{
	static const char letters[] = "?{}[]ksntf0";
	const struct perun_json_token *token = perun_json_token(reader);
	struct perun_buffer out = {0};
	enum perun_json_event event;

	while ((event = perun_json_next(reader)) > 0) {
		perun_buffer_add_char(&out, letters[event]);
		if (event == PERUN_JSON_KEY || event == PERUN_JSON_STRING ||
		    event == PERUN_JSON_NUMBER) {
			perun_buffer_add_char(&out, ':');
			perun_buffer_add(&out, token->text, token->length);
			perun_buffer_add_char(&out, ' ');
		}
	}
	CHECK_INT(perun_json_next(reader), event);
	perun_buffer_add_text(&out, event == PERUN_JSON_END ? "." : "!");
	return perun_buffer_take(&out);
}

TEST(test_events)
{
	static const char text[] =
		" {\"a\" : [1, -2.50e1,true,false ,null],\n\"\\u00e9\\n\":\"x\\ty\" , \"\":{}} ";
	struct pieces pieces = {0};
	struct perun_json_reader *reader;
	char *got;

	for (pieces.piece = 1; pieces.piece < sizeof text; pieces.piece++) {
		pieces.text = text;
		pieces.length = sizeof text - 1;
		reader = perun_json_reader_new(NULL, read_piece, &pieces, NULL);
		got = events(reader);
		CHECK_STR(got, "{k:a [n:1 n:-2.50e1 tf0]k:\xc3\xa9\n s:x\ty k: {}}.");
		CHECK_INT(perun_json_offset(reader), sizeof text - 1);
		perun_free(got);
		perun_json_reader_free(reader);
	}
}

TEST(test_numbers)
{
	static const struct {
		const char *text;
		enum perun_json_kind kind;
	} cases[] = {
		{"0", PERUN_JSON_INT64},
		{"-0", PERUN_JSON_INT64},
		{"9223372036854775807", PERUN_JSON_INT64},
		{"-9223372036854775808", PERUN_JSON_INT64},
		{"9223372036854775808", PERUN_JSON_UINT64},
		{"-9223372036854775809", PERUN_JSON_BIG},
		{"18446744073709551615", PERUN_JSON_UINT64},
		{"18446744073709551616", PERUN_JSON_BIG},
		{"20000000000000000000", PERUN_JSON_BIG},
		{"19999999999999999999", PERUN_JSON_BIG},
		{"99999999999999999999", PERUN_JSON_BIG},
		{"100000000000000000000", PERUN_JSON_BIG},
		{"1.0", PERUN_JSON_DOUBLE},
		{"1e2", PERUN_JSON_DOUBLE},
		{"NaN", PERUN_JSON_DOUBLE},
		{"-Infinity", PERUN_JSON_DOUBLE},
		{"Infinity", PERUN_JSON_DOUBLE},
	};
	const struct perun_json_token *token;
	struct perun_json_reader *reader = perun_json_reader_new_text(NULL, "", 0, NULL);
	size_t i;

	token = perun_json_token(reader);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		perun_json_reader_set_text(reader, cases[i].text, strlen(cases[i].text));
		CHECK_INT(perun_json_next(reader), PERUN_JSON_NUMBER);
		if (token->kind != cases[i].kind)
			CHECK_FAIL("%s has kind %d", cases[i].text, token->kind);
		if (token->kind == PERUN_JSON_INT64)
			CHECK_INT(token->number.int64, strtoll(cases[i].text, NULL, 10));
		if (token->kind == PERUN_JSON_UINT64)
			CHECK(token->number.uint64 == strtoull(cases[i].text, NULL, 10));
		if (token->kind == PERUN_JSON_DOUBLE)
			CHECK_DOUBLE(token->number.real, strtod(cases[i].text, NULL), 0);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_END);
	}
	perun_json_reader_free(reader);
}

/* ---- The same as Python ---------------------------------------------------------------------- */

/* The bytes that a case's input represents: U+0000 to U+00FF. */
static struct perun_buffer to_bytes(const struct perun_json *value)
{
	struct perun_buffer bytes = {0};
	size_t length = 0, i;
	const char *text = perun_json_as_string(value, &length);

	for (i = 0; i < length; i++) {
		if ((text[i] & 0x80) == 0) {
			perun_buffer_add_char(&bytes, text[i]);
		} else {
			perun_buffer_add_char(&bytes,
					      (char)((text[i] & 3) << 6 | (text[i + 1] & 0x3f)));
			i++;
		}
	}
	return bytes;
}

static void check_text(const char *what, const struct perun_buffer *input, struct perun_buffer *got,
		       const struct perun_json *expected)
{
	const char *text = perun_json_as_string(expected, NULL);

	if (text == NULL || got->data == NULL || strcmp(text, got->data) != 0)
		CHECK_FAIL("%s of '%s' is '%s', not '%s'", what, input->data, got->data, text);
	perun_buffer_clear(got);
}

/* Documents: all three styles. */
static void check_document(const struct perun_buffer *input, const struct perun_json *line)
{
	static const enum perun_json_style styles[] = {PERUN_JSON_PYTHON, PERUN_JSON_INDENTED,
						       PERUN_JSON_COMPACT};
	struct perun_json *value, *clone;
	struct perun_buffer got = {0};
	int status = perun_json_parse(NULL, input->data, input->length, NULL, &value);
	size_t i;

	if (perun_json_type(perun_json_at(line, 1)) == PERUN_JSON_TYPE_NULL) {
		if (status != PERUN_INPUT || value != NULL)
			CHECK_FAIL("'%s' is accepted", input->data);
		perun_json_free(value);
		return;
	}
	if (status != PERUN_OK) {
		CHECK_FAIL("'%s' is refused", input->data);
		return;
	}
	for (i = 0; i < 3; i++) {
		perun_json_print(value, &got, styles[i], 2);
		check_text("document", input, &got, perun_json_at(line, i + 1));
	}
	clone = perun_json_clone(value);
	CHECK(perun_json_equal(value, clone));
	perun_json_print(clone, &got, PERUN_JSON_PYTHON, 0);
	check_text("clone", input, &got, perun_json_at(line, 1));
	perun_json_free(clone);
	perun_json_free(value);
	perun_buffer_free(&got);
}

/* Captured text, whole and in pieces. */
static void check_capture(const struct perun_buffer *input, const struct perun_json *line,
			  size_t piece)
{
	struct pieces pieces = {.text = input->data, .length = input->length, .piece = piece};
	struct perun_json_reader *reader = perun_json_reader_new(NULL, read_piece, &pieces, NULL);
	const struct perun_json *expected = perun_json_at(line, 1);
	struct perun_buffer got = {0};
	int status;

	perun_buffer_add_text(&got, "before");
	status = perun_json_capture(reader, &got);
	if (status == PERUN_OK)
		status = perun_json_next(reader) == PERUN_JSON_END ? PERUN_OK : PERUN_INPUT;
	else
		CHECK_STR(got.data, "before");
	if ((status == PERUN_OK) != (perun_json_type(expected) == PERUN_JSON_TYPE_STRING))
		CHECK_FAIL("capturing '%s' has status %d", input->data, status);
	if (status == PERUN_OK && strcmp(got.data + 6, perun_json_as_string(expected, NULL)) != 0)
		CHECK_FAIL("captured from '%s': '%s'", input->data, got.data);
	perun_buffer_free(&got);
	perun_json_reader_free(reader);
}

/* Skipping refuses what reading refuses. */
static void check_skip(const struct perun_buffer *input, const struct perun_json *line)
{
	struct perun_json_reader *reader =
		perun_json_reader_new_text(NULL, input->data, input->length, NULL);
	bool good =
		perun_json_skip(reader) == PERUN_OK && perun_json_next(reader) == PERUN_JSON_END;

	if (good != (perun_json_type(perun_json_at(line, 1)) == PERUN_JSON_TYPE_STRING))
		CHECK_FAIL("skipping '%s'", input->data);
	CHECK_INT(good, perun_json_error(reader)->status == PERUN_OK);
	perun_json_reader_free(reader);
}

static char *read_cases(size_t *length)
{
	const char *top = getenv("top_srcdir");
	char *path = perun_format("%s/tests/data/json-cases.jsonl", top != NULL ? top : ".");
	FILE *file = fopen(path, "rb");
	struct perun_buffer text = {0};

	perun_free(path);
	while (file != NULL && !feof(file) && !ferror(file)) {
		char *to = perun_buffer_reserve(&text, 65536);

		text.length += fread(to, 1, 65536, file);
	}
	if (file != NULL)
		fclose(file);
	*length = text.length;
	return perun_buffer_take(&text);
}

TEST(test_python_cases)
{
	struct perun_json_options options = {.struct_size = sizeof options, .sequence = true};
	struct perun_json_reader *reader;
	size_t length, count = 0, piece;
	char *text = read_cases(&length);
	struct perun_json *line;

	reader = perun_json_reader_new_text(NULL, text, length, &options);
	while (perun_json_next(reader) > 0) {
		struct perun_buffer input;

		REQUIRE(perun_json_read_value(reader, &line) == PERUN_OK);
		input = to_bytes(perun_json_at(line, 0));
		perun_buffer_reserve(&input, 0);
		input.data[input.length] = '\0';
		check_document(&input, line);
		check_skip(&input, line);
		for (piece = 1; piece < 8; piece++)
			check_capture(&input, line, piece);
		check_capture(&input, line, 100000);
		perun_buffer_free(&input);
		perun_json_free(line);
		count++;
	}
	CHECK_INT(perun_json_error(reader)->status, PERUN_OK);
	CHECK(count > 400);
	perun_json_reader_free(reader);
	perun_free(text);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

TEST(test_errors)
{
	static const char *const cases[][2] = {
		{"", "line 1, column 1: expected a value, found the end of the text"},
		{"[1,\n 2,\n x]", "line 3, column 2: expected a value after ',', found 'x'"},
		{"{\"a\": 1 \"b\"}", "line 1, column 9: expected ',' or '}', found '\"'"},
		{"{\"a\": 1,\n\n  }",
		 "line 3, column 3: expected a key in double quotes after ',', found '}'"},
		{"{a: 1}", "line 1, column 2: expected a key in double quotes or '}', found 'a'"},
		{"{\"a\" 1}", "line 1, column 6: expected ':' after a key, found '1'"},
		{"[1 2]", "line 1, column 4: expected ',' or ']', found '2'"},
		{"[01]", "line 1, column 3: expected ',' or ']', found '1'"},
		{"[1.]", "line 1, column 4: expected a digit after '.', found ']'"},
		{"[-]", "line 1, column 3: expected a digit after '-', found ']'"},
		{"[1e]", "line 1, column 4: expected a digit in the exponent, found ']'"},
		{"[1", "line 1, column 3: expected ',' or ']', found the end of the text"},
		{"\"abc", "line 1, column 5: expected '\"' at the end of a string, found the end "
			  "of the text"},
		{"\"a\nb\"",
		 "line 1, column 3: control character 0x0a in a string, expected an escape"},
		{"\"a\\qb\"", "line 1, column 4: expected an escape after '\\' (\" \\ / b f n r t "
			      "u), found 'q'"},
		{"\"a\\u12x4\"", "line 1, column 3: expected four hexadecimal digits after \\u"},
		{"\"\xff\"", "line 1, column 2: byte 0xff in a string is not valid UTF-8"},
		{"[\xc3\xa9]", "line 1, column 2: expected a value or ']', found byte 0xc3"},
		{"\xef\xbb\xbf[]",
		 "line 1, column 1: the text begins with a byte order mark: save it without one"},
		{"[] x", "line 1, column 4: expected nothing more after the end of the document, "
			 "found 'x'"},
		{"[}", "line 1, column 2: expected a value or ']', found '}'"},
		{"{\"a\": }", "line 1, column 7: expected a value after ':', found '}'"},
	};
	struct perun_json *value;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perun_ctx *ctx = perun_ctx_new(NULL);

		CHECK_INT(perun_json_parse(ctx, cases[i][0], strlen(cases[i][0]), NULL, &value),
			  PERUN_INPUT);
		CHECK_STR(perun_ctx_error(ctx), cases[i][1]);
		CHECK_INT(perun_ctx_status(ctx), PERUN_INPUT);
		CHECK_INT(perun_ctx_causes(ctx), 1);
		perun_ctx_free(ctx);
	}
}

TEST(test_positions)
{
	static const char text[] = "{\"a\": 1,\r\n \"resources\": \"x\"}";
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_json_reader *reader =
		perun_json_reader_new_text(ctx, text, sizeof text - 1, NULL);
	const struct perun_json_token *token = perun_json_token(reader);
	char line[200];

	CHECK_INT(perun_json_expect(reader, PERUN_JSON_OBJECT_START, NULL), PERUN_OK);
	CHECK_INT(perun_json_depth(reader), 1);
	CHECK_INT(perun_json_expect(reader, PERUN_JSON_KEY, NULL), PERUN_OK);
	CHECK(perun_json_token_is(token, "a") && !perun_json_token_is(token, "ab"));
	CHECK_INT(perun_json_skip(reader), PERUN_OK);
	CHECK_INT(perun_json_offset(reader), 7);
	CHECK_INT(perun_json_expect(reader, PERUN_JSON_KEY, NULL), PERUN_OK);
	CHECK_INT(token->offset, 11);
	CHECK_INT(perun_json_expect(reader, PERUN_JSON_ARRAY_START, "resources"), PERUN_INPUT);
	CHECK_STR(perun_ctx_error(ctx),
		  "line 2, column 15: expected an array for resources, found a string");
	CHECK_INT(perun_json_next(reader), PERUN_JSON_ERROR);
	CHECK_INT(perun_json_error(reader)->line, 2);
	CHECK_INT(perun_json_error(reader)->column, 15);
	CHECK_INT(perun_json_error(reader)->offset, 24);
	perun_json_error_text(perun_json_error(reader), line, sizeof line);
	CHECK_STR(line, perun_ctx_error(ctx));
	perun_json_reader_free(reader);
	perun_ctx_free(ctx);
}

TEST(test_broken_source)
{
	size_t length;

	for (length = 0; length < 12; length++) {
		struct perun_ctx *ctx = perun_ctx_new(NULL);
		struct pieces pieces = {"[1, \"a\", {\"b\"", length, 3, ctx, true};
		struct perun_json_reader *reader =
			perun_json_reader_new(ctx, read_piece, &pieces, NULL);
		char *got = events(reader);

		CHECK_INT(got[strlen(got) - 1], '!');
		CHECK_INT(perun_json_error(reader)->status, PERUN_MISSING);
		CHECK_INT(perun_ctx_status(ctx), PERUN_MISSING);
		CHECK_CONTAINS(perun_ctx_error(ctx), ": cannot read further: the disk is gone");
		perun_free(got);
		perun_json_reader_free(reader);
		perun_ctx_free(ctx);
	}
}

TEST(test_limits)
{
	struct perun_json_options options = {
		.struct_size = sizeof options, .depth = 3, .token_size = 100, .node_count = 5};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_json *value;
	char *text = malloc(400000);

	CHECK_INT(perun_json_parse(ctx, "[[[1]]]", 7, &options, &value), PERUN_OK);
	perun_json_free(value);
	CHECK_INT(perun_json_parse(ctx, "[[[[1]]]]", 9, &options, &value), PERUN_INPUT);
	CHECK_STR(perun_ctx_error(ctx), "line 1, column 4: nested deeper than the limit of 3");
	perun_ctx_clear(ctx);
	CHECK_INT(perun_json_parse(ctx, "[1,2,3,4]", 9, &options, &value), PERUN_OK);
	perun_json_free(value);
	CHECK_INT(perun_json_parse(ctx, "[1,2,3,4,5]", 11, &options, &value), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "more than the limit of 5 values");
	perun_ctx_clear(ctx);
	memset(text, '1', 400000);
	CHECK_INT(perun_json_parse(ctx, text, 100, &options, &value), PERUN_OK);
	perun_json_free(value);
	CHECK_INT(perun_json_parse(ctx, text, 101, &options, &value), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "longer than the limit of 100 bytes");
	perun_ctx_clear(ctx);
	CHECK_INT(perun_json_parse(ctx, text, 400000, &options, &value), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "longer than the limit of 100 bytes");
	perun_ctx_clear(ctx);
	*text = '"';
	CHECK_INT(perun_json_parse(ctx, text, 400000, &options, &value), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "longer than the limit of 100 bytes");
	perun_ctx_clear(ctx);
	memset(text, '[', 400000);
	CHECK_INT(perun_json_parse(ctx, text, 400000, NULL, &value), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "nested deeper than the limit of 1000");
	free(text);
	perun_ctx_free(ctx);
}

/* Tokens longer than the buffer, and tokens at each place of its border. */
TEST(test_long_tokens)
{
	struct perun_buffer text = {0};
	struct perun_json_reader *reader;
	const struct perun_json_token *token;
	size_t shift, i;

	for (shift = 0; shift < 40; shift++) {
		perun_buffer_clear(&text);
		perun_buffer_add_char(&text, '[');
		for (i = 0; i < 65500 + shift; i++)
			perun_buffer_add_char(&text, ' ');
		perun_buffer_add_text(&text,
				      "\"ab\\u00e9\\ud83d\\ude00c\",-12.5e-1,-Infinity,false ,\"");
		for (i = 0; i < 200000; i++)
			perun_buffer_add_text(&text, i % 1000 == 0 ? "\\n" : "x");
		perun_buffer_add_text(&text, "\"]");
		reader = perun_json_reader_new_text(NULL, text.data, text.length, NULL);
		token = perun_json_token(reader);
		perun_json_next(reader);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_STRING);
		CHECK_INT(token->offset, 65501 + shift);
		CHECK(perun_json_token_is(token, "ab\xc3\xa9\xf0\x9f\x98\x80"
						 "c"));
		CHECK_INT(perun_json_next(reader), PERUN_JSON_NUMBER);
		CHECK_DOUBLE(token->number.real, -1.25, 0);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_NUMBER);
		CHECK_DOUBLE(token->number.real, -INFINITY, 0);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_FALSE);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_STRING);
		CHECK_INT(token->length, 200000);
		CHECK(memcmp(token->text, "\nxxx", 4) == 0);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_ARRAY_END);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_END);
		perun_json_reader_free(reader);
	}
	perun_buffer_free(&text);
}

/* ---- Batches --------------------------------------------------------------------------------- */

TEST(test_batches)
{
	static const char text[] =
		"[1, 2.5 ,18446744073709551615\n,NaN,-0,null, 7, 99999999999999999999, \"x\" ,8]";
	union perun_json_number values[3];
	uint8_t kinds[3];
	struct perun_json_batch batch = {values, kinds, 3, 0, 0};
	struct pieces pieces = {.piece = 1};
	struct perun_json_reader *reader;
	const struct perun_json_token *token;

	for (; pieces.piece < sizeof text; pieces.piece++) {
		pieces.text = text;
		pieces.length = sizeof text - 1;
		reader = perun_json_reader_new(NULL, read_piece, &pieces, NULL);
		token = perun_json_token(reader);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_ARRAY_START);
		CHECK_INT(perun_json_read_numbers(reader, &batch), PERUN_OK);
		CHECK_INT(batch.count, 3);
		CHECK_INT(batch.mixed, PERUN_JSON_INT64 | PERUN_JSON_UINT64 | PERUN_JSON_DOUBLE);
		CHECK_INT(values[0].int64, 1);
		CHECK_DOUBLE(values[1].real, 2.5, 0);
		CHECK(values[2].uint64 == UINT64_MAX && kinds[2] == PERUN_JSON_UINT64);
		CHECK_INT(perun_json_read_numbers(reader, &batch), PERUN_OK);
		CHECK_INT(batch.count, 2);
		CHECK_INT(values[1].int64, 0);
		CHECK_INT(perun_json_read_numbers(reader, &batch), PERUN_OK);
		CHECK_INT(batch.count, 0);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_NULL);
		CHECK_INT(perun_json_read_numbers(reader, &batch), PERUN_OK);
		CHECK_INT(batch.count, 1);
		CHECK_INT(batch.mixed, PERUN_JSON_INT64);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_NUMBER);
		CHECK(token->kind == PERUN_JSON_BIG &&
		      perun_json_token_is(token, "99999999999999999999"));
		CHECK_INT(perun_json_read_numbers(reader, &batch), PERUN_OK);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_STRING);
		CHECK_INT(perun_json_read_numbers(reader, &batch), PERUN_OK);
		CHECK_INT(batch.count, 1);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_ARRAY_END);
		CHECK_INT(perun_json_next(reader), PERUN_JSON_END);
		perun_json_reader_free(reader);
	}
}

TEST(test_batch_errors)
{
	static const char *const texts[] = {"[1,]",  "[1,2",   "[1 2]",   "[1,,2]",
					    "[1,-]", "[1,2.]", "[1,Nan]", "{\"a\":1}"};
	union perun_json_number values[10];
	struct perun_json_batch batch = {.values = values, .capacity = 10};
	size_t i;

	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct perun_json_reader *reader =
			perun_json_reader_new_text(NULL, texts[i], strlen(texts[i]), NULL);
		enum perun_json_event event = perun_json_next(reader);

		perun_json_read_numbers(reader, &batch);
		if (i == 7) /* not in an array: nothing is read */
			CHECK_INT(batch.count, 0);
		while (event > 0)
			event = perun_json_next(reader);
		CHECK_INT(event, i == 7 ? PERUN_JSON_END : PERUN_JSON_ERROR);
		perun_json_reader_free(reader);
	}
}

TEST(test_sequence)
{
	struct perun_json_options options = {.struct_size = sizeof options, .sequence = true};
	static const char *const cases[][2] = {
		{"", "."},
		{" \n ", "."},
		{"1\n2\n", "n:1 n:2 ."},
		{"{}[]\n\"a\"", "{}[]s:a ."},
		{"1,2", "n:1 !"},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perun_json_reader *reader = perun_json_reader_new_text(
			NULL, cases[i][0], strlen(cases[i][0]), &options);
		char *got = events(reader);

		CHECK_STR(got, cases[i][1]);
		perun_free(got);
		perun_json_reader_free(reader);
	}
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int add_to_buffer(void *data, const char *text, size_t length)
{
	perun_buffer_add(data, text, length);
	return PERUN_OK;
}

static int refuse(void *data, const char *text, size_t length)
{
	(void)text;
	(void)length;
	++*(int *)data;
	return PERUN_INPUT;
}

static void write_all(struct perun_json_writer *writer)
{
	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "a\n");
	perun_json_write_array_start(writer);
	perun_json_write_int64(writer, -5);
	perun_json_write_uint64(writer, UINT64_MAX);
	perun_json_write_double(writer, 0.5);
	perun_json_write_bool(writer, true);
	perun_json_write_null(writer);
	perun_json_write_array_start(writer);
	perun_json_write_array_end(writer);
	perun_json_write_array_end(writer);
	perun_json_write_raw_key(writer, "\"b\"", 3);
	perun_json_write_raw(writer, "1e999", 5);
	perun_json_write_key(writer, "c\0d", 3);
	perun_json_write_text(writer, "\x7f");
	perun_json_write_object_end(writer);
	perun_json_write_bool(writer, false);
}

TEST(test_writer)
{
	struct perun_buffer out = {0};
	struct perun_json_writer *writer;
	int calls = 0, i;

	write_all(writer = perun_json_writer_new(&out, PERUN_JSON_PYTHON, 0));
	CHECK_STR(out.data, "{\"a\\n\": [-5, 18446744073709551615, 0.5, true, null, []], "
			    "\"b\": 1e999, \"c\\u0000d\": \"\\u007f\"}\nfalse");
	CHECK_INT(perun_json_writer_finish(writer), PERUN_OK);
	perun_buffer_clear(&out);
	write_all(writer = perun_json_writer_new_sink(add_to_buffer, &out, PERUN_JSON_COMPACT, 0));
	CHECK_INT(perun_json_writer_finish(writer), PERUN_OK);
	CHECK_STR(out.data, "{\"a\\n\":[-5,18446744073709551615,0.5,true,null,[]],"
			    "\"b\":1e999,\"c\\u0000d\":\"\\u007f\"}\nfalse");
	perun_buffer_clear(&out);
	write_all(writer = perun_json_writer_new(&out, PERUN_JSON_INDENTED, 1));
	CHECK_INT(perun_json_writer_finish(writer), PERUN_OK);
	CHECK_STR(out.data,
		  "{\n \"a\\n\": [\n  -5,\n  18446744073709551615,\n  0.5,\n  true,\n  null,\n"
		  "  []\n ],\n \"b\": 1e999,\n \"c\\u0000d\": \"\\u007f\"\n}\nfalse");
	writer = perun_json_writer_new_sink(refuse, &calls, PERUN_JSON_PYTHON, 0);
	for (i = 0; i < 100000; i++)
		perun_json_write_text(writer, "0123456789");
	CHECK_INT(perun_json_writer_finish(writer), PERUN_INPUT);
	CHECK_INT(calls, 1);
	perun_buffer_free(&out);
}

TEST(test_quote)
{
	static const char *const cases[][2] = {
		{"", "\"\""},
		{"\xff", "\"\\udcff\""},
		{"a\xc3", "\"a\\udcc3\""},
		{"\xe2\x82", "\"\\udce2\\udc82\""},
		{"\xed\xa0\x80", "\"\\ud800\""},
		{"\xed\xbf\xbfx", "\"\\udfffx\""},
		{"\xed\xa0", "\"\\udced\\udca0\""},
		{"\xf0\x9f\x98\x80", "\"\\ud83d\\ude00\""},
		{"\xf4\x90\x80\x80", "\"\\udcf4\\udc90\\udc80\\udc80\""},
		{"\x01\x1f\x7f/", "\"\\u0001\\u001f\\u007f/\""},
		{"\b\f\n\r\t\"\\", "\"\\b\\f\\n\\r\\t\\\"\\\\\""},
		{"0123456789abcde\xc3\xa9", "\"0123456789abcde\\u00e9\""},
	};
	struct perun_buffer out = {0};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		perun_json_quote(&out, cases[i][0], strlen(cases[i][0]));
		CHECK_STR(out.data, cases[i][1]);
		perun_buffer_clear(&out);
	}
	perun_buffer_free(&out);
}

/* ---- Documents ------------------------------------------------------------------------------- */

static struct perun_json *parse(const char *text)
{
	struct perun_json *value;

	CHECK_INT(perun_json_parse(NULL, text, strlen(text), NULL, &value), PERUN_OK);
	return value;
}

static void check_print(const struct perun_json *value, const char *expected)
{
	struct perun_buffer out = {0};

	perun_json_print(value, &out, PERUN_JSON_PYTHON, 0);
	CHECK_STR(out.data, expected);
	perun_buffer_free(&out);
}

TEST(test_document_access)
{
	struct perun_json *value =
		parse("{\"a\": {\"b/c\": [10, -1, 2.5, \"x\", true, "
		      "18446744073709551615, 99999999999999999999]}, \"~\": null}");
	const struct perun_json *list = perun_json_path(value, "/a/b~1c");
	uint64_t natural = 0;
	int64_t integer = 0;
	double real = 0;
	bool boolean = false;

	CHECK_INT(perun_json_count(list), 7);
	CHECK(perun_json_as_int64(perun_json_path(value, "/a/b~1c/0"), &integer) && integer == 10);
	CHECK(!perun_json_as_uint64(perun_json_at(list, 1), &natural));
	CHECK(perun_json_as_double(perun_json_at(list, 1), &real) && real == -1);
	CHECK(!perun_json_as_int64(perun_json_at(list, 2), &integer));
	CHECK(perun_json_as_double(perun_json_at(list, 2), &real) && real == 2.5);
	CHECK_STR(perun_json_as_string(perun_json_at(list, 3), NULL), "x");
	CHECK(perun_json_as_bool(perun_json_at(list, 4), &boolean) && boolean);
	CHECK(perun_json_as_uint64(perun_json_at(list, 5), &natural) && natural == UINT64_MAX);
	CHECK(!perun_json_as_int64(perun_json_at(list, 5), &integer));
	CHECK_STR(perun_json_as_digits(perun_json_at(list, 6), NULL), "99999999999999999999");
	CHECK(perun_json_as_double(perun_json_at(list, 6), &real) && real == 1e20);
	CHECK(perun_json_at(list, 7) == NULL);
	CHECK(perun_json_path(value, "/a/b~1c/7") == NULL);
	CHECK(perun_json_path(value, "/a/b~1c/00") == NULL);
	CHECK(perun_json_path(value, "/a/b~1c/x") == NULL);
	CHECK(perun_json_path(value, "a") == NULL);
	CHECK(perun_json_path(value, "") == value);
	CHECK(perun_json_path(value, "/~0") != NULL);
	CHECK(perun_json_path(NULL, "/a") == NULL);
	CHECK_STR(perun_json_key_at(value, 1, NULL), "~");
	CHECK_INT(perun_json_type(perun_json_get(value, "none")), PERUN_JSON_TYPE_NULL);
	perun_json_free(value);
}

TEST(test_document_change)
{
	struct perun_json *value = parse("{\"a\": 1, \"b\": 2, \"c\": 3}"), *taken;

	perun_json_set(value, "b", perun_json_text("new"));
	perun_json_set(value, "d", perun_json_array());
	perun_json_append(perun_json_get(value, "d"), perun_json_double(1e5));
	perun_json_append(perun_json_get(value, "d"), perun_json_bool(true));
	perun_json_append(perun_json_get(value, "d"), perun_json_null());
	check_print(value, "{\"a\": 1, \"b\": \"new\", \"c\": 3, \"d\": [100000.0, true, null]}");
	CHECK(perun_json_remove(value, "a") && !perun_json_remove(value, "a"));
	CHECK(perun_json_remove_at(perun_json_get(value, "d"), 1));
	taken = perun_json_take(value, "c");
	check_print(taken, "3");
	check_print(value, "{\"b\": \"new\", \"d\": [100000.0, null]}");
	perun_json_set(value, "c", taken);
	CHECK(perun_json_remove_at(value, 0) && !perun_json_remove_at(value, 2));
	check_print(value, "{\"d\": [100000.0, null], \"c\": 3}");
	perun_json_free(value);
	CHECK(perun_json_integer("1x", 2) == NULL && perun_json_integer("-", 1) == NULL);
	check_print(value = perun_json_integer("-00099999999999999999999", 24),
		    "-99999999999999999999");
	perun_json_free(value);
	check_print(value = perun_json_integer("-9223372036854775808", 20), "-9223372036854775808");
	perun_json_free(value);
	check_print(value = perun_json_uint64(UINT64_MAX), "18446744073709551615");
	perun_json_free(value);
}

/* An object large enough for its index, through growth and removal. */
/* What was read goes with its root; what is taken from it stays, and what is put into it belongs to it. */
TEST(test_change_of_what_was_read)
{
	struct perun_json *document =
		parse("{\"a\": {\"b\": [1, {\"c\": \"d\"}]}, \"e\": {\"f\": [2]}, "
		      "\"g\": 1, \"h\": [], \"a\": {\"b\": [3, {\"c\": 4}]}}");
	struct perun_json *other = parse("[{\"x\": [5]}]"), *taken, *root;
	struct perun_buffer text = {0};

	perun_json_append(perun_json_path(document, "/a/b"), other);
	perun_json_set(perun_json_path(document, "/a/b/1"), "c", perun_json_text("new"));
	perun_json_set(perun_json_path(document, "/a/b/2/0"), "y", perun_json_clone(document));
	taken = perun_json_take(perun_json_get(document, "e"), "f");
	root = perun_json_take(perun_json_get(document, "a"), "b");
	CHECK(perun_json_remove(document, "g") && !perun_json_remove(document, "g"));
	CHECK(perun_json_remove_at(root, 0));
	perun_json_set(document, "h", perun_json_bool(true));
	perun_json_append(document, perun_json_null());
	perun_json_print(document, &text, PERUN_JSON_COMPACT, 0);
	CHECK_STR(text.data, "{\"a\":{},\"e\":{},\"h\":true}");
	perun_json_free(document);
	perun_buffer_clear(&text);
	perun_json_print(taken, &text, PERUN_JSON_COMPACT, 0);
	perun_json_print(root, &text, PERUN_JSON_COMPACT, 0);
	CHECK_STR(text.data,
		  "[2][{\"c\":\"new\"},[{\"x\":[5],\"y\":{\"a\":{\"b\":[3,{\"c\":\"new\"},"
		  "[{\"x\":[5]}]]},\"e\":{\"f\":[2]},\"g\":1,\"h\":[]}}]]");
	perun_json_free(taken);
	perun_json_free(root);
	perun_buffer_free(&text);
}

/* Keys of an object that was read are found by an index, repeated ones once. */
TEST(test_large_object_that_was_read)
{
	enum { KEYS = 1000 };
	struct perun_buffer text = {0};
	struct perun_json *document;
	char key[32];
	int64_t number;

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < KEYS; i++)
			perun_buffer_printf(&text, "%s\"k%d\": %d", text.length ? ", " : "{", i,
					    i + round * KEYS);
	perun_buffer_add_char(&text, '}');
	document = parse(text.data);
	CHECK_INT(perun_json_count(document), KEYS);
	for (int i = 0; i < KEYS; i++) {
		snprintf(key, sizeof key, "k%d", i);
		CHECK(perun_json_as_int64(perun_json_get(document, key), &number));
		CHECK_INT(number, KEYS + i);
		CHECK(strcmp(perun_json_key_at(document, (size_t)i, NULL), key) == 0);
	}
	perun_json_set(document, "k1000", perun_json_null());
	CHECK(perun_json_remove(document, "k0") && !perun_json_get(document, "k0"));
	CHECK(perun_json_get(document, "k999") && perun_json_get(document, "k1000"));
	perun_json_free(document);
	perun_buffer_free(&text);
}

TEST(test_large_object)
{
	struct perun_json *value = perun_json_object();
	char key[32];
	int64_t got, i;

	for (i = 0; i < 5000; i++) {
		snprintf(key, sizeof key, "key %d", (int)(i % 3000));
		perun_json_set(value, key, perun_json_int64(i));
	}
	CHECK_INT(perun_json_count(value), 3000);
	for (i = 0; i < 3000; i += 7) {
		snprintf(key, sizeof key, "key %d", (int)i);
		CHECK(perun_json_remove(value, key));
	}
	for (i = 0; i < 3000; i++) {
		snprintf(key, sizeof key, "key %d", (int)i);
		got = -1;
		perun_json_as_int64(perun_json_get(value, key), &got);
		CHECK_INT(got, i % 7 == 0 ? -1 : i < 2000 ? i + 3000 : i);
	}
	perun_json_free(value);
}

TEST(test_object_of_numbers)
{
	static const char *const few[] = {"a", "", "a"};
	static const double numbers[] = {1, 2.5, 3};
	struct perun_json *value = perun_json_numbers(few, numbers, 3);
	char text[3000][16];
	const char *keys[3000];
	double many[3000], got = 0;

	CHECK_INT(perun_json_count(value), 2);
	CHECK(perun_json_as_double(perun_json_get(value, "a"), &got) && got == 3);
	CHECK_STR(perun_json_key_at(value, 0, NULL), "a");
	perun_json_set(value, "b", perun_json_text("added"));
	CHECK_STR(perun_json_get_text(value, "b"), "added");
	perun_json_free(value);
	for (int i = 0; i < 3000; i++) {
		snprintf(text[i], sizeof text[i], "key %d", i % 2000);
		keys[i] = text[i];
		many[i] = i / 4.0;
	}
	value = perun_json_numbers(keys, many, 3000);
	CHECK_INT(perun_json_count(value), 2000);
	for (int i = 0; i < 2000; i++)
		CHECK(perun_json_as_double(perun_json_get(value, keys[i]), &got) &&
		      got == (i < 1000 ? i + 2000 : i) / 4.0);
	perun_json_free(value);
	value = perun_json_numbers(NULL, NULL, 0);
	CHECK_INT(perun_json_count(value), 0);
	perun_json_free(value);
}

TEST(test_object_of_texts)
{
	static const char *const keys[] = {"a", "", "a", "same"}, *const texts[] = {"x", "y", "",
										    "same"};
	struct perun_json *value = perun_json_texts(keys, texts, 4);

	check_print(value, "{\"a\": \"\", \"\": \"y\", \"same\": \"same\"}");
	perun_json_set(value, "b", perun_json_text("added"));
	CHECK(perun_json_remove(value, "same"));
	check_print(value, "{\"a\": \"\", \"\": \"y\", \"b\": \"added\"}");
	perun_json_free(value);
	value = perun_json_texts(NULL, NULL, 0);
	check_print(value, "{}");
	perun_json_free(value);
}

/* Keys that begin and end alike, long ones, and values that are repeated or what they are called. */
TEST(test_members_one_by_one)
{
	struct perun_json_members *members = perun_json_members_new();
	char key[1000], text[1000];
	struct perun_json *value, *copy;
	double got;

	for (int i = 0; i < 5000; i++) {
		int length = i % 100 == 0 ? 900 : i % 7;

		snprintf(key, sizeof key, "key %d%*s", i % 4000, length, i % 3 ? "x" : "");
		snprintf(text, sizeof text, "%*d", i % 1000 == 0 ? 300 : 1, i / 8);
		if (i % 2)
			perun_json_members_number(members, key, i / 8 / 4.0);
		else
			perun_json_members_text(members, key, i % 5 ? text : key);
	}
	value = perun_json_members_end(members);
	copy = perun_json_clone(value);
	CHECK(perun_json_equal(value, copy));
	for (int i = 0; i < 5000; i++) {
		int length = i % 100 == 0 ? 900 : i % 7;

		snprintf(key, sizeof key, "key %d%*s", i % 4000, length, i % 3 ? "x" : "");
		snprintf(text, sizeof text, "%*d", i % 1000 == 0 ? 300 : 1, i / 8);
		if (i % 2)
			CHECK(perun_json_as_double(perun_json_get(value, key), &got) &&
			      got == i / 8 / 4.0);
		else
			CHECK_STR(perun_json_get_text(copy, key), i % 5 ? text : key);
	}
	perun_json_free(copy);
	perun_json_free(value);
	/* Freed without a look at it. */
	members = perun_json_members_new();
	perun_json_members_text(members, "", "");
	perun_json_members_text(members, "a", "a\xc3\xa4");
	perun_json_free(perun_json_members_end(members));
	members = perun_json_members_new();
	perun_json_members_text(members, "", "");
	perun_json_members_number(members, "n", 0.5);
	perun_json_members_number(members, "m", 0.5);
	perun_json_members_text(members, "n", "text");
	value = perun_json_members_end(members);
	perun_json_set(value, "", perun_json_null());
	check_print(value, "{\"\": null, \"n\": \"text\", \"m\": 0.5}");
	perun_json_free(value);
	CHECK(!perun_json_members_end(NULL));
}

/* Elements are copied, be they packed themselves. */
TEST(test_elements_one_by_one)
{
	struct perun_json_members *members = perun_json_elements_new(), *inner;
	struct perun_json *value = parse("{\"a\": [1, {}], \"b\": -0.25}");
	char long_text[10000];

	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	perun_json_elements_add(members, value);
	perun_json_elements_add(members, value);
	perun_json_free(value);
	value = perun_json_text(long_text);
	perun_json_elements_add(members, value);
	perun_json_free(value);
	inner = perun_json_members_new();
	perun_json_members_number(inner, "n", 0.5);
	value = perun_json_members_end(inner);
	perun_json_elements_add(members, value);
	perun_json_free(value);
	value = perun_json_members_end(members);
	CHECK_INT(perun_json_count(value), 4);
	CHECK_STR(perun_json_as_string(perun_json_at(value, 2), NULL), long_text);
	perun_json_remove_at(value, 2);
	perun_json_append(value, perun_json_null());
	check_print(value, "[{\"a\": [1, {}], \"b\": -0.25}, {\"a\": [1, {}], \"b\": -0.25}, "
			   "{\"n\": 0.5}, null]");
	perun_json_free(value);
	value = perun_json_members_end(perun_json_elements_new());
	check_print(value, "[]");
	perun_json_append(value, perun_json_bool(true));
	check_print(value, "[true]");
	perun_json_free(value);
}

/* Equal objects are there once, but each changes for itself. */
TEST(test_members_that_are_objects)
{
	static const char *const names[] = {"unit", "better"}, *const texts[] = {"s", "higher"};
	struct perun_json_members *members = perun_json_members_new();
	struct perun_json *value;

	perun_json_members_object(members, "a\0b", 3, names, texts, 2);
	perun_json_members_object(members, "c", 1, names, texts, 2);
	perun_json_members_object(members, "d", 1, names, texts, 1);
	perun_json_members_object(members, "e", 1, NULL, NULL, 0);
	perun_json_members_object(members, "f", 1, names, texts, 2);
	perun_json_members_object(members, "d", 1, names, texts, 2);
	value = perun_json_members_end(members);
	CHECK_STR(perun_json_get_text(perun_json_get_n(value, "a\0b", 3), "better"), "higher");
	perun_json_set(perun_json_get(value, "c"), "better", perun_json_text("lower"));
	perun_json_set(perun_json_get(value, "d"), "x", perun_json_text("y"));
	CHECK(perun_json_remove(perun_json_get(value, "f"), "unit"));
	check_print(
		value,
		"{\"a\\u0000b\": {\"unit\": \"s\", \"better\": \"higher\"}, \"c\": {\"unit\": "
		"\"s\", "
		"\"better\": \"lower\"}, \"d\": {\"unit\": \"s\", \"better\": \"higher\", \"x\": "
		"\"y\"}, \"e\": {}, \"f\": {\"better\": \"higher\"}}");
	perun_json_free(value);
}

/* Writes down where each array is, and reads those whose key is `key`. */
struct taking {
	const char *key;
	int status;
	double sum;
	struct perun_buffer places;
};

static int take_array(void *data, struct perun_json_reader *reader,
		      const struct perun_json_place *place, bool *taken)
{
	struct taking *taking = data;
	const struct perun_json_token *token = perun_json_token(reader);

	perun_buffer_printf(&taking->places, "%s/%s %zu;", place->above ? place->above : "-",
			    place->key ? place->key : "-", place->depth);
	if (!place->key || strcmp(place->key, taking->key) != 0)
		return PERUN_OK;
	while (perun_json_next(reader) > 0 && token->event != PERUN_JSON_ARRAY_END)
		if (token->event == PERUN_JSON_NUMBER)
			taking->sum += (double)token->number.int64;
		else
			perun_json_skip(reader);
	*taken = true;
	return taking->status;
}

static int read_around(struct taking *taking, const char *text, struct perun_json **value)
{
	struct perun_json_reader *reader =
		perun_json_reader_new_text(NULL, text, strlen(text), NULL);
	int status = perun_json_read_around(reader, take_array, taking, value);

	if (!status)
		CHECK_INT(perun_json_next(reader), PERUN_JSON_END);
	perun_json_reader_free(reader);
	return status;
}

TEST(test_arrays_out_of_a_document)
{
	struct taking taking = {.key = "x"}, whole = {.key = "x"}, failing = {.key = "x"},
		      broken = {.key = "x"};
	struct perun_json *value;

	CHECK_INT(read_around(&taking,
			      "{\"a\": [1, [2], {\"x\": [3, {\"x\": [9]}, 4]}], \"b\": {\"c\": 5, "
			      "\"d\": [], "
			      "\"x\": []}, \"x\": [6], \"y\": 7}",
			      &value),
		  PERUN_OK);
	check_print(value,
		    "{\"a\": [1, [2], {\"x\": []}], \"b\": {\"c\": 5, \"d\": [], \"x\": []}, "
		    "\"x\": [], \"y\": 7}");
	CHECK_DOUBLE(taking.sum, 13, 0);
	CHECK_STR(taking.places.data, "-/a 1;a/- 2;-/x 3;b/d 2;b/x 2;-/x 1;");
	perun_json_free(value);
	CHECK_INT(read_around(&whole, "[1]", &value), PERUN_OK);
	check_print(value, "[1]");
	CHECK_STR(whole.places.data, "-/- 0;");
	perun_json_free(value);
	failing.status = PERUN_CANCELLED;
	CHECK_INT(read_around(&failing, "{\"x\": [1], \"y\": [2]}", &value), PERUN_CANCELLED);
	CHECK(value == NULL);
	CHECK_INT(read_around(&broken, "{\"x\": [1, }", &value), PERUN_INPUT);
	CHECK(value == NULL);
	perun_buffer_free(&taking.places);
	perun_buffer_free(&whole.places);
	perun_buffer_free(&failing.places);
	perun_buffer_free(&broken.places);
}

TEST(test_equal)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} cases[] = {
		{"{\"a\": 1, \"b\": [1, 2]}", "{\"b\": [1, 2], \"a\": 1}", true},
		{"[1, 2]", "[2, 1]", false},
		{"1", "1.0", false},
		{"NaN", "NaN", true},
		{"0.0", "-0.0", false},
		{"-0", "0", true},
		{"{\"a\": 1}", "{\"b\": 1}", false},
		{"{\"a\": 1}", "{\"a\": 1, \"b\": 1}", false},
		{"99999999999999999999", "99999999999999999999", true},
		{"99999999999999999999", "1", false},
		{"99999999999999999999", "99999999999999999998", false},
		{"\"a\\u0000b\"", "\"a\\u0000c\"", false},
		{"null", "false", false},
		{"true", "true", true},
		{"[]", "{}", false},
		{"\"\"", "\"\"", true},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perun_json *a = parse(cases[i].a), *b = parse(cases[i].b);

		if (perun_json_equal(a, b) != cases[i].equal)
			CHECK_FAIL("%s and %s", cases[i].a, cases[i].b);
		perun_json_free(a);
		perun_json_free(b);
	}
}

CHECK_MAIN(, )
