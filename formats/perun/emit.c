/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a file in one of three styles. */
#include <string.h>

#include "writing.h"

#define PIECE ((size_t)64 * 1024)

void perunjson_emit_flush(struct emitter *emitter, bool all)
{
	if (emitter->text.length < PIECE && !all)
		return;
	if (emitter->text.length)
		perun_output_write(emitter->output, emitter->text.data, emitter->text.length);
	perun_buffer_clear(&emitter->text);
}

static void break_line(struct emitter *emitter)
{
	size_t blanks = emitter->depth * 2;
	char *to = perun_buffer_reserve(&emitter->text, blanks + 1);

	*to = '\n';
	memset(to + 1, ' ', blanks);
	emitter->text.length += blanks + 1;
}

/*
 * What is before an element or a key. The Python program puts `", "` for a comma, white space and
 * a digit: so numbers of an array are on one line, but negative ones and the first do not. (It does so
 * inside strings, too; we leave those alone.)
 */
static void separate(struct emitter *emitter, bool digit)
{
	bool first = emitter->first;

	emitter->first = false;
	if (emitter->style == EMIT_STORED) {
		if (!first)
			perun_buffer_add(&emitter->text, ", ", 2);
	} else if (emitter->style == EMIT_COMPACT) {
		if (!first)
			perun_buffer_add_char(&emitter->text, ',');
	} else if (!first && digit) {
		perun_buffer_add(&emitter->text, ", ", 2);
	} else {
		if (!first)
			perun_buffer_add_char(&emitter->text, ',');
		break_line(emitter);
	}
}

void perunjson_emit_next(struct emitter *emitter, bool digit)
{
	separate(emitter, digit);
}

void perunjson_emit_open(struct emitter *emitter, char bracket)
{
	perunjson_emit_flush(emitter, false);
	perun_buffer_add_char(&emitter->text, bracket);
	emitter->depth++;
	emitter->first = true;
}

void perunjson_emit_close(struct emitter *emitter, char bracket)
{
	emitter->depth--;
	if (!emitter->first && emitter->style == EMIT_PENDING)
		break_line(emitter);
	perun_buffer_add_char(&emitter->text, bracket);
	emitter->first = false;
}

void perunjson_emit_key(struct emitter *emitter, const char *quoted, size_t length)
{
	separate(emitter, false);
	perun_buffer_add(&emitter->text, quoted, length);
	perun_buffer_add(&emitter->text, ": ", emitter->style == EMIT_COMPACT ? 1 : 2);
}

void perunjson_emit_string(struct emitter *emitter, const char *text, size_t length)
{
	perun_json_quote(&emitter->text, text, length);
}

/* The end of the string that begins at `p`. */
static const char *end_of_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++) {
		if (*p == '\\')
			p++;
	}
	return p < end ? p + 1 : end;
}

/* The end of a string, a number or a word. */
static const char *end_of_scalar(const char *p, const char *end)
{
	if (*p == '"')
		return end_of_string(p, end);
	while (p < end && !strchr(",]} ", *p))
		p++;
	return p;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Whether restyle() can walk over the text: readers normalize what they put into cells of JSON, but other
 * plugins may put anything there.
 */
static bool is_normal(const char *p, const char *end)
{
	size_t depth = 0;

	while (p < end) {
		const char *stop = p + 1;

		if (*p == '[' || *p == '{') {
			depth++;
		} else if (*p == ']' || *p == '}') {
			if (depth-- == 0)
				return false;
		} else if (*p == ',' || *p == ':') {
			stop = p + 2;
			if (end - p < 3 || p[1] != ' ' || strchr(" ,:]}", *stop))
				return false;
		} else {
			stop = end_of_scalar(p, end);
			if (stop == p || (*p == '"' && (stop - p < 2 || stop[-1] != '"')))
				return false;
		}
		p = stop;
	}
	return depth == 0;
}

/* Normalized text has one way to be written: ", " and ": " between, nothing else. */
static void restyle(struct emitter *emitter, const char *p, const char *end)
{
	bool value = true; /* no separator is needed */
	const char *stop;

	while (p < end) {
		if (*p == ']' || *p == '}') {
			perunjson_emit_close(emitter, *p++);
			continue;
		}
		if (*p == ',')
			p += 2;
		if (*p == '"') {
			stop = end_of_string(p, end);
			if (stop < end && *stop == ':') {
				perunjson_emit_key(emitter, p, (size_t)(stop - p));
				p = stop + 2;
				value = true;
				continue;
			}
		}
		if (!value)
			separate(emitter, is_digit(*p));
		if (*p == '[' || *p == '{') {
			/* The first key separates itself; the first element needs to be separated. */
			perunjson_emit_open(emitter, *p++);
			value = false;
			continue;
		}
		stop = end_of_scalar(p, end);
		perun_buffer_add(&emitter->text, p, (size_t)(stop - p));
		p = stop;
		value = false;
	}
}

void perunjson_emit_json(struct emitter *emitter, const char *json, size_t length)
{
	perunjson_emit_flush(emitter, false);
	if (emitter->style == EMIT_STORED)
		perun_buffer_add(&emitter->text, json, length);
	else if (!length || !is_normal(json, json + length))
		perunjson_emit_string(emitter, json, length);
	else
		restyle(emitter, json, json + length);
}
