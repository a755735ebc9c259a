/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines, words and numbers of the text profiles. */
#include <inttypes.h>
#include <string.h>

#include "legacy.h"

bool legacy_next_line(struct legacy_lines *lines)
{
	struct legacy_text *rest = &lines->rest;
	const char *newline;

	lines->line.at = lines->line.end = rest->end;
	if (rest->at == rest->end)
		return false;
	newline = memchr(rest->at, '\n', legacy_length(*rest));
	lines->line.at = rest->at;
	lines->line.end = newline ? newline : rest->end;
	rest->at = newline ? newline + 1 : rest->end;
	if (lines->line.end > lines->line.at && lines->line.end[-1] == '\r')
		lines->line.end--;
	if ((lines->number++ % 4096 == 0 || legacy_length(lines->line) > 4096) && lines->input)
		perun_input_passed(lines->input, lines->line.at);
	return true;
}

int legacy_fail(const struct legacy_lines *lines, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	perun_fail_va(lines->ctx, PERUN_INPUT, format, args);
	va_end(args);
	if (!lines->number)
		return PERUN_INPUT;
	return perun_fail(lines->ctx, PERUN_INPUT, "line %" PRIu64, lines->number);
}

char *legacy_quote(struct legacy_text text)
{
	enum { LONGEST = 60 };
	bool is_long = legacy_length(text) > LONGEST;
	char *piece = perun_strndup(text.at, is_long ? LONGEST : legacy_length(text));
	char *clean = perun_printable(piece);
	char *quoted = perun_format("\"%s%s\"", clean, is_long ? "..." : "");

	perun_free(piece);
	perun_free(clean);
	return quoted;
}

struct legacy_text legacy_trim(struct legacy_text text)
{
	while (text.at < text.end && legacy_is_blank(*text.at))
		text.at++;
	while (text.at < text.end && legacy_is_blank(text.end[-1]))
		text.end--;
	return text;
}

bool legacy_is_empty(struct legacy_text text)
{
	text = legacy_trim(text);
	return text.at == text.end || *text.at == '#';
}

bool legacy_skip_empty(struct legacy_lines *lines)
{
	while (legacy_next_line(lines)) {
		if (!legacy_is_empty(lines->line))
			return true;
	}
	return false;
}

bool legacy_equals(struct legacy_text text, const char *word)
{
	return legacy_length(text) == strlen(word) && legacy_starts(text, word);
}

bool legacy_starts(struct legacy_text text, const char *word)
{
	size_t length = strlen(word);

	return legacy_length(text) >= length && memcmp(text.at, word, length) == 0;
}

const char *legacy_find(struct legacy_text text, const char *word)
{
	return memmem(text.at, legacy_length(text), word, strlen(word));
}

bool legacy_take(struct legacy_text *text, const char *word)
{
	if (!legacy_starts(*text, word))
		return false;
	text->at += strlen(word);
	return true;
}

void legacy_take_spaces(struct legacy_text *text)
{
	while (text->at < text->end && *text->at == ' ')
		text->at++;
}

struct legacy_text legacy_take_digits(struct legacy_text *text)
{
	struct legacy_text digits = {text->at, text->at};

	while (digits.end < text->end && legacy_is_digit(*digits.end))
		digits.end++;
	text->at = digits.end;
	return digits;
}

bool legacy_take_number(struct legacy_text *text, struct legacy_text *number)
{
	struct legacy_text rest = *text, digits;

	legacy_take(&rest, "-");
	digits = legacy_take_digits(&rest);
	if (digits.at == digits.end)
		return false;
	number->at = text->at;
	number->end = digits.end;
	*text = rest;
	return true;
}

static unsigned digit_value(char c)
{
	if (legacy_is_digit(c))
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

static bool parse_unsigned(struct legacy_text text, unsigned base, uint64_t *value)
{
	uint64_t sum = 0;

	if (text.at == text.end)
		return false;
	for (; text.at < text.end; text.at++) {
		unsigned digit = digit_value(*text.at);

		if (digit >= base || __builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return false;
	}
	*value = sum;
	return true;
}

static bool parse_signed(struct legacy_text text, unsigned base, bool negative, int64_t *value)
{
	uint64_t size;

	if (!parse_unsigned(text, base, &size) || size > (uint64_t)INT64_MAX + negative)
		return false;
	*value = (int64_t)(negative ? 0 - size : size);
	return true;
}

static bool take_sign(struct legacy_text *text)
{
	bool negative = legacy_take(text, "-");

	if (!negative)
		legacy_take(text, "+");
	return negative;
}

bool legacy_decimal(struct legacy_text text, int64_t *value)
{
	bool negative = take_sign(&text);

	return parse_signed(text, 10, negative, value);
}

bool legacy_number(struct legacy_text text, int64_t *value)
{
	bool negative = take_sign(&text);
	unsigned base = 10;

	if (legacy_length(text) > 1 && *text.at == '0') {
		char prefix = (char)(text.at[1] | 0x20);

		base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
		text.at += prefix == 'x' || prefix == 'b' || prefix == 'o' ? 2 : 1;
	}
	return parse_signed(text, base, negative, value);
}

bool legacy_hexadecimal(struct legacy_text text, uint64_t *value)
{
	return parse_unsigned(text, 16, value);
}
