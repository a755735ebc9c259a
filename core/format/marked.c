/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte order marks, UTF-16 to UTF-8, texts for a terminal and of logs. */
#include <string.h>

#include "core/format/marked.h"

enum {
	ESCAPE = '\x1b',
	NEEDED = 4 /* what has_utf16_mark() looks at */
};

static bool has_utf16_mark(const unsigned char *bytes, size_t size)
{
	if (size < 2 || (memcmp(bytes, "\xff\xfe", 2) != 0 && memcmp(bytes, "\xfe\xff", 2) != 0))
		return false;
	/* A character 0 is no text, but UTF-32 or other data. */
	return size < NEEDED || bytes[2] || bytes[3];
}

static bool has_utf8_mark(const unsigned char *bytes, size_t size)
{
	return size >= PERUN_MARK_SIZE && memcmp(bytes, "\xef\xbb\xbf", PERUN_MARK_SIZE) == 0;
}

/* Text with sequences such as "ESC [ 31 m": bytes that no text has say that it is other data. */
static bool has_terminal_codes(const char *text, size_t size)
{
	const char *escape = memchr(text, ESCAPE, size);

	if (!escape)
		return false;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' && !memchr("\x1b\a\b\t\n\f\r", text[i], 7))
			return false;
	for (; escape && escape + 1 < text + size;
	     escape = memchr(escape + 1, ESCAPE, (size_t)(text + size - escape - 1)))
		if (escape[1] == '[' || escape[1] == ']')
			return true;
	return false;
}

/* "2026-11-29T23:30:00.1234567Z ": the times of GitHub's logs have these seven digits. */
static size_t log_time(const char *text, size_t size)
{
	static const char form[] = "####-##-##T##:##:##.#######Z ";

	if (size < sizeof form - 1)
		return 0;
	for (size_t i = 0; i < sizeof form - 1; i++)
		if (form[i] == '#' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return 0;
	return sizeof form - 1;
}

/* What such a log has before the text of a line: a time, which job and step may precede, between tabs. */
static size_t log_prefix(const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size), *at = text;
	size_t length;

	end = end ? end : text + size;
	for (int fields = 0; fields < 3; fields++) {
		length = log_time(at, (size_t)(end - at));
		if (length)
			return (size_t)(at - text) + length;
		at = memchr(at, '\t', (size_t)(end - at));
		if (!at)
			break;
		at++;
	}
	return 0;
}

/* Whether the first two lines are of such a log. */
static bool is_log(const char *text, size_t size)
{
	const char *second = memchr(text, '\n', size);

	return second && log_prefix(text, size) &&
	       log_prefix(second + 1, (size_t)(text + size - (second + 1)));
}

enum perun_marks perun_marks_of(const void *data, size_t size)
{
	size_t mark = has_utf8_mark(data, size) ? PERUN_MARK_SIZE : 0;

	if (has_utf16_mark(data, size) || has_terminal_codes(data, size) ||
	    is_log((const char *)data + mark, size - mark))
		return PERUN_MARKS_OTHER;
	return mark ? PERUN_MARKS_FIRST : PERUN_MARKS_NONE;
}

/* In place; returns the length that is left. */
static size_t drop_log_prefixes(char *text, size_t length)
{
	const char *at = text, *end = text + length;
	char *to = text;

	if (!is_log(text, length))
		return length;
	while (at < end) {
		const char *newline;
		size_t size;

		at += log_prefix(at, (size_t)(end - at));
		newline = memchr(at, '\n', (size_t)(end - at));
		size = newline ? (size_t)(newline + 1 - at) : (size_t)(end - at);
		memmove(to, at, size);
		to += size;
		at += size;
	}
	return (size_t)(to - text);
}

/* ---- terminals ------------------------------------------------------------------------------- */

/* What follows "ESC [" (parameters and a letter) or "ESC ]" (up to a bell, or ESC \\), to `end` when it is cut. */
static const char *end_of_code(const char *at, const char *end, bool bracket)
{
	if (bracket) {
		while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x40)
			at++;
		return at < end ? at + 1 : end;
	}
	while (at < end && *at != '\a' && *at != ESCAPE)
		at++;
	return end - at < 2 ? end : at + (*at == '\a' ? 1 : 2);
}

/* ECMA-48, 8.3.41: "ESC [ 2 K" erases the line, without 2 what is right of the cursor, which is all after CR. */
static bool erases_line(const char *code, const char *end, const char *line, const char *to)
{
	return end[-1] == 'K' && (code[2] == '2' || (to > line && to[-1] == '\r'));
}

/* In place; returns the length that is left. */
static size_t drop_terminal_codes(char *text, size_t length)
{
	const char *at = text, *end = text + length;
	char *to = text, *line = text;
	bool erased = false; /* the line, so that a CR goes nowhere */

	while (at < end) {
		if (*at == ESCAPE && end - at > 1 && (at[1] == '[' || at[1] == ']')) {
			const char *next = end_of_code(at + 2, end, at[1] == '[');

			if (at[1] == '[' && erases_line(at, next, line, to)) {
				to = line;
				erased = true;
			}
			at = next;
		} else if (erased && to == line && *at == '\r') {
			at++;
		} else {
			*to++ = *at++;
			if (to[-1] == '\n') {
				line = to;
				erased = false;
			}
		}
	}
	return (size_t)(to - text);
}

/* ---- UTF-16 ---------------------------------------------------------------------------------- */

/* In up to 4 bytes; returns what follows them. */
static char *put_code(char *at, unsigned code)
{
	if (code < 0x80) {
		*at++ = (char)code;
		return at;
	}
	if (code < 0x800) {
		*at++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*at++ = (char)(0xe0 | code >> 12);
		} else {
			*at++ = (char)(0xf0 | code >> 18);
			*at++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*at++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*at++ = (char)(0x80 | (code & 0x3f));
	return at;
}

static void utf16_to_utf8(const void *data, size_t size, struct perun_buffer *out)
{
	enum { BLOCK = 16 * 1024, LONGEST = 6 }; /* a lone surrogate and another character */
	const unsigned char *bytes = data;
	size_t high = bytes[0] == 0xfe ? 0 : 1; /* where the higher byte of a unit is */
	unsigned before = 0;                    /* a first surrogate that waits for its second */
	char *start = NULL, *at = NULL, *end = NULL;

	for (size_t i = 2; i + 1 < size; i += 2) {
		unsigned unit = (unsigned)bytes[i + high] << 8 | bytes[i + 1 - high];
		bool second = unit >= 0xdc00 && unit < 0xe000;

		if (at == end || end - at < LONGEST) {
			out->length += (size_t)(at - start);
			start = at = perun_buffer_reserve(out, BLOCK);
			end = at + BLOCK;
		}
		if (before && second) {
			at = put_code(at, 0x10000 + ((before - 0xd800) << 10) + (unit - 0xdc00));
			before = 0;
			continue;
		}
		if (before)
			at = put_code(at, 0xfffd);
		before = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
		if (!before)
			at = put_code(at, second ? 0xfffd : unit);
	}
	out->length += (size_t)(at - start);
	if (before)
		perun_buffer_add_text(out, "\xef\xbf\xbd");
	else
		perun_buffer_add(out, "", 0);
}

void perun_plain_text(const void *data, size_t size, struct perun_buffer *out)
{
	size_t mark = has_utf8_mark(data, size) ? PERUN_MARK_SIZE : 0, start = out->length, length;
	char *text;

	if (has_utf16_mark(data, size))
		utf16_to_utf8(data, size, out);
	else
		perun_buffer_add(out, (const char *)data + mark, size - mark);
	text = out->data + start;
	length = drop_log_prefixes(text, out->length - start);
	out->length = start + drop_terminal_codes(text, length);
	out->data[out->length] = '\0';
}
