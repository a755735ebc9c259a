/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON writer: separators, indentation, values. */
#include "packed.h"

#define PIECE_SIZE ((size_t)64 * 1024)

struct perun_json_writer {
	struct perun_buffer own, *out;
	perun_json_sink *sink; /* NULL: `out` is the caller's */
	void *data;
	enum perun_json_style style;
	unsigned indent;
	size_t depth;
	bool key;   /* a key was written: its value needs no separator */
	bool first; /* nothing was written yet in the open container, or at the top */
	int status;
};

static struct perun_json_writer *new_writer(enum perun_json_style style, unsigned indent)
{
	struct perun_json_writer *writer = perun_alloc_zero(1, sizeof *writer);

	writer->style = style;
	writer->indent = indent;
	writer->first = true;
	return writer;
}

struct perun_json_writer *perun_json_writer_new(struct perun_buffer *buffer,
						enum perun_json_style style, unsigned indent)
{
	struct perun_json_writer *writer = new_writer(style, indent);

	writer->out = buffer;
	return writer;
}

struct perun_json_writer *perun_json_writer_new_sink(perun_json_sink *sink, void *data,
						     enum perun_json_style style, unsigned indent)
{
	struct perun_json_writer *writer = new_writer(style, indent);

	writer->out = &writer->own;
	writer->sink = sink;
	writer->data = data;
	return writer;
}

/* Hand the text over when there is enough of it; after a failure it is dropped. */
static void flush(struct perun_json_writer *writer, size_t enough)
{
	if (writer->sink == NULL || writer->own.length < enough)
		return;
	if (writer->status == PERUN_OK && writer->own.length > 0)
		writer->status = writer->sink(writer->data, writer->own.data, writer->own.length);
	perun_buffer_clear(&writer->own);
}

int perun_json_writer_finish(struct perun_json_writer *writer)
{
	int status;

	flush(writer, 0);
	status = writer->status;
	perun_buffer_free(&writer->own);
	perun_free(writer);
	return status;
}

static void break_line(struct perun_json_writer *writer)
{
	size_t blanks = writer->depth * writer->indent;
	char *to = perun_buffer_reserve(writer->out, blanks + 1);

	*to = '\n';
	memset(to + 1, ' ', blanks);
	to[1 + blanks] = '\0';
	writer->out->length += 1 + blanks;
}

/* What is before a key, or before a value that has no key. */
static void separate(struct perun_json_writer *writer)
{
	if (writer->depth == 0) {
		if (!writer->first)
			perun_buffer_add_char(writer->out, '\n');
	} else if (writer->style == PERUN_JSON_INDENTED) {
		if (!writer->first)
			perun_buffer_add_char(writer->out, ',');
		break_line(writer);
	} else if (!writer->first) {
		perun_buffer_add(writer->out, ", ", writer->style == PERUN_JSON_PYTHON ? 2 : 1);
	}
	writer->first = false;
}

/* Begin a value of at most `size` bytes; returns where it goes. */
static char *begin_value(struct perun_json_writer *writer, size_t size)
{
	flush(writer, PIECE_SIZE);
	if (writer->key)
		writer->key = false;
	else
		separate(writer);
	return perun_buffer_reserve(writer->out, size);
}

static void add_word(struct perun_json_writer *writer, const char *text, size_t length)
{
	char *to = begin_value(writer, length);

	if (length > 0)
		memcpy(to, text, length);
	to[length] = '\0';
	writer->out->length += length;
}

static void open_container(struct perun_json_writer *writer, const char *bracket)
{
	add_word(writer, bracket, 1);
	writer->depth++;
	writer->first = true;
}

static void close_container(struct perun_json_writer *writer, char bracket)
{
	if (writer->depth > 0)
		writer->depth--;
	if (!writer->first && writer->style == PERUN_JSON_INDENTED)
		break_line(writer);
	perun_buffer_add_char(writer->out, bracket);
	writer->first = false;
}

void perun_json_write_object_start(struct perun_json_writer *writer)
{
	open_container(writer, "{");
}

void perun_json_write_object_end(struct perun_json_writer *writer)
{
	close_container(writer, '}');
}

void perun_json_write_array_start(struct perun_json_writer *writer)
{
	open_container(writer, "[");
}

void perun_json_write_array_end(struct perun_json_writer *writer)
{
	close_container(writer, ']');
}

static void end_key(struct perun_json_writer *writer)
{
	perun_buffer_add(writer->out, ": ", writer->style == PERUN_JSON_COMPACT ? 1 : 2);
	writer->key = true;
}

void perun_json_write_key(struct perun_json_writer *writer, const char *text, size_t length)
{
	separate(writer);
	perun_json_quote(writer->out, text, length);
	end_key(writer);
}

void perun_json_write_raw_key(struct perun_json_writer *writer, const char *text, size_t length)
{
	separate(writer);
	perun_buffer_add(writer->out, text, length);
	end_key(writer);
}

void perun_json_write_string(struct perun_json_writer *writer, const char *text, size_t length)
{
	begin_value(writer, 0);
	perun_json_quote(writer->out, text, length);
}

void perun_json_write_int64(struct perun_json_writer *writer, int64_t value)
{
	char *to = begin_value(writer, PERUN_JSON_NUMBER_SIZE);

	writer->out->length += perun_json_print_int64(value, to);
}

void perun_json_write_uint64(struct perun_json_writer *writer, uint64_t value)
{
	char *to = begin_value(writer, PERUN_JSON_NUMBER_SIZE);

	writer->out->length += perun_json_print_uint64(value, to);
}

void perun_json_write_double(struct perun_json_writer *writer, double value)
{
	char *to = begin_value(writer, PERUN_JSON_NUMBER_SIZE);

	writer->out->length += perun_json_print_double(value, to);
}

void perun_json_write_bool(struct perun_json_writer *writer, bool value)
{
	if (value)
		add_word(writer, "true", 4);
	else
		add_word(writer, "false", 5);
}

void perun_json_write_null(struct perun_json_writer *writer)
{
	add_word(writer, "null", 4);
}

void perun_json_write_raw(struct perun_json_writer *writer, const char *text, size_t length)
{
	add_word(writer, text, length);
}

void perun_json_write_key_text(struct perun_json_writer *writer, const char *text)
{
	perun_json_write_key(writer, text, strlen(text));
}

void perun_json_write_text(struct perun_json_writer *writer, const char *text)
{
	perun_json_write_string(writer, text, strlen(text));
}

static void write_items(struct perun_json_writer *writer, const struct perun_json *value)
{
	struct json_passing passing = {0};
	const size_t count = perun_json_count(value);
	const struct json_text *key;

	for (size_t i = 0; i < count; i++) {
		const struct perun_json *item = json_pass(value, &passing, i, &key);

		if (key)
			perun_json_write_key(writer, key->text, key->length);
		perun_json_write_value(writer, item);
	}
	json_arena_free(passing.arena);
}

void perun_json_write_value(struct perun_json_writer *writer, const struct perun_json *value)
{
	size_t length;
	enum perun_json_type type = perun_json_type(value);
	const char *text;
	int64_t integer;
	double real;
	bool boolean;

	if (type == PERUN_JSON_TYPE_OBJECT) {
		perun_json_write_object_start(writer);
		write_items(writer, value);
		perun_json_write_object_end(writer);
	} else if (type == PERUN_JSON_TYPE_ARRAY) {
		perun_json_write_array_start(writer);
		write_items(writer, value);
		perun_json_write_array_end(writer);
	} else if (type == PERUN_JSON_TYPE_STRING) {
		text = perun_json_as_string(value, &length);
		perun_json_write_string(writer, text, length);
	} else if (perun_json_as_int64(value, &integer)) {
		perun_json_write_int64(writer, integer);
	} else if (type == PERUN_JSON_TYPE_INT) {
		text = perun_json_as_digits(value, &length);
		perun_json_write_raw(writer, text, length);
	} else if (perun_json_as_double(value, &real)) {
		perun_json_write_double(writer, real);
	} else if (perun_json_as_bool(value, &boolean)) {
		perun_json_write_bool(writer, boolean);
	} else {
		perun_json_write_null(writer);
	}
}

void perun_json_print(const struct perun_json *value, struct perun_buffer *out,
		      enum perun_json_style style, unsigned indent)
{
	struct perun_json_writer *writer = perun_json_writer_new(out, style, indent);

	perun_json_write_value(writer, value);
	perun_json_writer_finish(writer);
}
