/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON text that is given another layout and colours while it passes through. */
#include <config.h>

#include <string.h>

#include "json-text.h"

#define COLOR_KEY     "\033[34;1m"
#define COLOR_STRING  "\033[32m"
#define COLOR_NUMBER  "\033[36m"
#define COLOR_LITERAL "\033[35m"
#define COLOR_OFF     "\033[0m"

/* Enough to write at once. */
#define PIECE 65536

static void put(struct json_text *text, char c)
{
	perun_buffer_add_char(&text->line, c);
}

static void put_color(struct json_text *text, const char *color)
{
	if (text->color)
		perun_buffer_add_text(&text->line, color);
}

static void new_line(struct json_text *text)
{
	size_t blanks = text->depth * text->indent;

	if (text->one_line)
		return;
	put(text, '\n');
	memset(perun_buffer_reserve(&text->line, blanks + 1), ' ', blanks);
	text->line.length += blanks;
}

/* Before a value or a key: the first one in its level begins a line of its own. */
static void begin_token(struct json_text *text)
{
	if (text->just_open)
		new_line(text);
	text->just_open = false;
}

static void end_scalar(struct json_text *text)
{
	if (text->in_scalar)
		put_color(text, COLOR_OFF);
	text->in_scalar = false;
}

static void open_level(struct json_text *text, char c)
{
	begin_token(text);
	put(text, c);
	PERUN_GROW(text->objects, text->depth, text->capacity);
	text->objects[text->depth++] = c == '{';
	text->key_next = c == '{';
	text->just_open = true;
}

static void close_level(struct json_text *text, char c)
{
	text->depth -= text->depth > 0;
	if (!text->just_open)
		new_line(text);
	text->just_open = false;
	text->key_next = false;
	put(text, c);
}

static void add_comma(struct json_text *text)
{
	put(text, ',');
	if (text->one_line)
		put(text, ' ');
	new_line(text);
	text->key_next = text->depth > 0 && text->objects[text->depth - 1];
}

static void add_in_string(struct json_text *text, char c)
{
	put(text, c);
	if (text->escaped) {
		text->escaped = false;
	} else if (c == '\\') {
		text->escaped = true;
	} else if (c == '"') {
		text->in_string = false;
		put_color(text, COLOR_OFF);
	}
}

static void begin_string(struct json_text *text)
{
	begin_token(text);
	put_color(text, text->key_next ? COLOR_KEY : COLOR_STRING);
	put(text, '"');
	text->in_string = true;
	text->key_next = false;
}

static void add_scalar(struct json_text *text, char c)
{
	if (!text->in_scalar) {
		begin_token(text);
		put_color(text, (c >= '0' && c <= '9') || c == '-' ? COLOR_NUMBER : COLOR_LITERAL);
		text->in_scalar = true;
	}
	put(text, c);
}

static void add_character(struct json_text *text, char c)
{
	if (text->in_string) {
		add_in_string(text, c);
		return;
	}
	if (strchr(" \t\r\n{}[],:\"", c))
		end_scalar(text);
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
	case '\0':
		break;
	case '{':
	case '[':
		open_level(text, c);
		break;
	case '}':
	case ']':
		close_level(text, c);
		break;
	case ',':
		add_comma(text);
		break;
	case ':':
		put(text, ':');
		put(text, ' ');
		break;
	case '"':
		begin_string(text);
		break;
	default:
		add_scalar(text, c);
	}
}

static int hand_on(struct json_text *text)
{
	int status = perun_output_write(text->output, text->line.data, text->line.length);

	perun_buffer_clear(&text->line);
	return status;
}

int json_text_add(void *json_text, const void *bytes, size_t size)
{
	struct json_text *text = json_text;
	int status = PERUN_OK;

	for (size_t i = 0; i < size && !status; i++) {
		add_character(text, ((const char *)bytes)[i]);
		if (text->line.length >= PIECE)
			status = hand_on(text);
	}
	return status;
}

int json_text_finish(struct json_text *text)
{
	int status;

	end_scalar(text);
	put(text, '\n');
	status = hand_on(text);
	perun_buffer_free(&text->line);
	perun_free(text->objects);
	return status;
}
