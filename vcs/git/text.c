/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of commits as valid UTF-8, whatever encoding they were written in. */
#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "gitvcs.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/*
 * The length of the valid UTF-8 character at `p`, 0 when it is none (Unicode 15, table 3-7: no
 * overlong forms, no surrogates, nothing above U+10FFFF).
 */
static size_t character_length(const unsigned char *p, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length = 0;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		length = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		length = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		length = 4;
	if (!length || length > left)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* Append `text`, every byte that is not part of a valid character replaced. */
static void add_repaired(struct perun_buffer *buffer, const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t start = 0, i = 0;

	while (i < length) {
		size_t step = character_length(p + i, length - i);

		if (step) {
			i += step;
			continue;
		}
		perun_buffer_add(buffer, text + start, i - start);
		perun_buffer_add_text(buffer, REPLACEMENT);
		start = ++i;
	}
	perun_buffer_add(buffer, text + start, length - start);
}

static bool is_utf8_name(struct gitvcs_text encoding)
{
	return !encoding.length ||
	       (encoding.length == 5 && !strncasecmp(encoding.data, "utf-8", 5)) ||
	       (encoding.length == 4 && !strncasecmp(encoding.data, "utf8", 4));
}

/* Convert with iconv; bytes that it refuses are replaced. False when the encoding is unknown. */
static bool add_converted(struct perun_buffer *buffer, struct gitvcs_text text,
			  struct gitvcs_text encoding)
{
	char name[64], *in = (char *)text.data; /* iconv's interface lacks a const */
	size_t left = text.length;
	iconv_t converter;

	if (encoding.length >= sizeof(name))
		return false;
	memcpy(name, encoding.data, encoding.length);
	name[encoding.length] = '\0';
	converter = iconv_open("UTF-8", name);
	if (converter == (iconv_t)-1)
		return false;
	while (left) {
		size_t room = left * 4 + 16, before = left;
		char *start = perun_buffer_reserve(buffer, room), *out = start;
		size_t result = iconv(converter, &in, &left, &out, &room);

		buffer->length += (size_t)(out - start);
		if (result == (size_t)-1 && left && (errno != E2BIG || left == before)) {
			perun_buffer_add_text(buffer, REPLACEMENT);
			in++;
			left--;
		}
	}
	iconv_close(converter);
	return true;
}

void gitvcs_utf8(struct perun_buffer *buffer, struct gitvcs_text text, struct gitvcs_text encoding)
{
	struct perun_buffer converted = {0};

	perun_buffer_clear(buffer);
	if (!is_utf8_name(encoding) && add_converted(&converted, text, encoding)) {
		text.data = converted.data ? converted.data : "";
		text.length = converted.length;
	}
	/* Converted text passes too: it ends at a NUL, and is valid whatever iconv did. */
	text.length = strnlen(text.data, text.length);
	add_repaired(buffer, text.data, text.length);
	perun_buffer_add(buffer, "", 0);
	perun_buffer_free(&converted);
}
