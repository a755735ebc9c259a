/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the JSON engine. Besides not crashing, its ways to read must agree. */
#include "perun/json.h"
#include "tests/fuzz/fuzz.h"

static const struct perun_json_options options = {
	.struct_size = sizeof options, .depth = 200, .token_size = 5000, .node_count = 1 << 20};

struct pieces {
	const char *text;
	size_t length, state;
};

/* Pieces of one to sixteen bytes. */
static int read_piece(void *data, void *memory, size_t size, size_t *got)
{
	struct pieces *pieces = data;
	size_t count;

	pieces->state = pieces->state * 1103515245 + 12345;
	count = 1 + (pieces->state >> 16) % 16;
	if (count > size)
		count = size;
	if (count > pieces->length)
		count = pieces->length;
	memcpy(memory, pieces->text, count);
	pieces->text += count;
	pieces->length -= count;
	*got = count;
	return PERUN_OK;
}

/* Everything in pieces, arrays of numbers in batches. True when the text is valid. */
static bool read_tokens(const char *text, size_t length)
{
	struct pieces pieces = {text, length, length};
	struct perun_json_reader *reader =
		perun_json_reader_new(NULL, read_piece, &pieces, &options);
	union perun_json_number values[5];
	uint8_t kinds[5];
	struct perun_json_batch batch = {values, kinds, 5, 0, 0};
	enum perun_json_event event = PERUN_JSON_NULL;
	bool valid;

	while (event > 0) {
		event = perun_json_next(reader);
		if (event == PERUN_JSON_ARRAY_START)
			perun_json_read_numbers(reader, &batch);
	}
	valid = event == PERUN_JSON_END;
	MUST(valid == (perun_json_error(reader)->status == PERUN_OK));
	MUST(perun_json_error(reader)->offset <= length);
	MUST(perun_json_offset(reader) <= length);
	MUST(!valid || perun_json_depth(reader) == 0);
	perun_json_reader_free(reader);
	return valid;
}

static bool skip_all(const char *text, size_t length)
{
	struct perun_json_reader *reader = perun_json_reader_new_text(NULL, text, length, &options);
	bool valid =
		perun_json_skip(reader) == PERUN_OK && perun_json_next(reader) == PERUN_JSON_END;

	perun_json_reader_free(reader);
	return valid;
}

static bool capture_all(const char *text, size_t length, struct perun_buffer *out)
{
	struct pieces pieces = {text, length, length + 1};
	struct perun_json_reader *reader =
		perun_json_reader_new(NULL, read_piece, &pieces, &options);
	bool valid = perun_json_capture(reader, out) == PERUN_OK &&
		     perun_json_next(reader) == PERUN_JSON_END;

	perun_json_reader_free(reader);
	return valid;
}

/* A document's text is read back as the same document and the same text. */
static void check_document(const struct perun_json *value, const struct perun_buffer *captured)
{
	struct perun_json *again;
	struct perun_buffer text = {0};
	int style;

	perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
	MUST(text.length == captured->length &&
	     memcmp(text.data, captured->data, text.length) == 0);
	for (style = PERUN_JSON_PYTHON; style <= PERUN_JSON_INDENTED; style++) {
		perun_buffer_clear(&text);
		perun_json_print(value, &text, (enum perun_json_style)style, 1);
		MUST(perun_json_parse(NULL, text.data, text.length, NULL, &again) == PERUN_OK);
		MUST(perun_json_equal(value, again));
		perun_json_free(again);
	}
	again = perun_json_clone(value);
	MUST(perun_json_equal(value, again));
	perun_json_free(again);
	perun_buffer_free(&text);
}

static void check_numbers(const char *text, size_t length)
{
	char copy[200], printed[PERUN_JSON_NUMBER_SIZE];
	double value = 0, expected, back = 0;

	perun_json_scan_double(text, length, &value);
	if (length >= sizeof copy || !perun_json_parse_double(text, length, &value))
		return;
	memcpy(copy, text, length);
	copy[length] = '\0';
	expected = strtod(copy, NULL);
	MUST(value == expected || value != value);
	MUST(perun_json_parse_double(printed, perun_json_print_double(value, printed), &back));
	MUST(back == value || value != value);
}

/* Any bytes can be quoted, and what was quoted can be read. */
static void check_quote(const char *text, size_t length)
{
	struct perun_buffer quoted = {0}, again = {0};
	struct perun_json *value;
	const char *plain;
	size_t count;

	perun_json_quote(&quoted, text, length);
	MUST(perun_json_parse(NULL, quoted.data, quoted.length, NULL, &value) == PERUN_OK);
	plain = perun_json_as_string(value, &count);
	perun_json_quote(&again, plain, count);
	/* Two surrogates that stood apart are one character after reading, so only without them. */
	if (memchr(text, 0xed, length) == NULL)
		MUST(again.length == quoted.length &&
		     memcmp(again.data, quoted.data, again.length) == 0);
	perun_json_free(value);
	perun_buffer_free(&quoted);
	perun_buffer_free(&again);
}

void fuzz_json(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct perun_buffer captured = {0};
	struct perun_json *value;
	bool valid = perun_json_parse(NULL, text, size, &options, &value) == PERUN_OK;

	MUST(read_tokens(text, size) == valid);
	MUST(skip_all(text, size) == valid);
	MUST(capture_all(text, size, &captured) == valid);
	MUST((value != NULL) == valid);
	if (valid)
		check_document(value, &captured);
	perun_json_free(value);
	perun_buffer_free(&captured);
	if (size > 0) {
		check_numbers(text, size);
		check_quote(text, size);
	}
}
