/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and texts of the file. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "extrap3.h"

int extrap3_fail(struct extrap3_bytes *bytes, size_t at, const char *format, ...)
{
	va_list arguments;
	char text[320];

	if (bytes->status)
		return bytes->status;
	bytes->status = PERUN_INPUT;
	if (bytes->trying)
		return bytes->status;
	va_start(arguments, format);
	(void)perun_vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	perun_fail(bytes->ctx, PERUN_INPUT, "byte %zu: %s", at, text);
	return bytes->status;
}

static const unsigned char *take(struct extrap3_bytes *bytes, size_t count, const char *what)
{
	const unsigned char *data = bytes->data + bytes->at;

	if (bytes->status)
		return NULL;
	if (count > bytes->size - bytes->at) {
		extrap3_fail(bytes, bytes->at, "expected %s of %zu bytes, found %zu", what, count,
			     bytes->size - bytes->at);
		return NULL;
	}
	bytes->at += count;
	return data;
}

static uint64_t word_at(const struct extrap3_bytes *bytes, const unsigned char *data,
			unsigned count)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < count; i++)
		word = word << 8 | data[bytes->big ? i : count - 1 - i];
	return word;
}

int64_t extrap3_integer(struct extrap3_bytes *bytes)
{
	const unsigned char *data = take(bytes, 8, "an integer");

	return data ? (int64_t)word_at(bytes, data, 8) : 0;
}

double extrap3_number(struct extrap3_bytes *bytes)
{
	const unsigned char *data = take(bytes, 8, "a number");
	uint64_t word = data ? word_at(bytes, data, 8) : 0;
	double value;

	memcpy(&value, &word, sizeof value);
	return value;
}

struct extrap3_text extrap3_text(struct extrap3_bytes *bytes)
{
	const unsigned char *data = take(bytes, 4, "the length of a text");
	struct extrap3_text text = {"", 0};
	size_t length = data ? (size_t)word_at(bytes, data, 4) : 0;

	data = take(bytes, length, "a text");
	if (data)
		text = (struct extrap3_text){(const char *)data, length};
	return text;
}

bool extrap3_is(struct extrap3_text text, const char *word)
{
	return strlen(word) == text.length && memcmp(text.text, word, text.length) == 0;
}

int extrap3_word(struct extrap3_bytes *bytes, const char *const *words, size_t count)
{
	size_t at = bytes->at;
	struct extrap3_text text = extrap3_text(bytes);

	for (size_t i = 0; i < count; i++)
		if (extrap3_is(text, words[i]))
			return (int)i;
	extrap3_fail(bytes, at, "expected %s%s, found \"%.*s\"", words[0],
		     count > 1 ? " or the like" : "", (int)(text.length < 40 ? text.length : 40),
		     text.text);
	return 0;
}
