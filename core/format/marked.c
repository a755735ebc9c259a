/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte order marks, and UTF-16 to UTF-8. */
#include <string.h>

#include "core/format/marked.h"

enum perun_mark perun_mark_of(const void *data, size_t size)
{
	const unsigned char *bytes = data;

	if (size >= PERUN_MARK_SIZE && memcmp(bytes, "\xef\xbb\xbf", PERUN_MARK_SIZE) == 0)
		return PERUN_MARK_UTF8;
	if (size < 2 || (memcmp(bytes, "\xff\xfe", 2) != 0 && memcmp(bytes, "\xfe\xff", 2) != 0))
		return PERUN_MARK_NONE;
	/* A character 0 is no text, but UTF-32 or other data. */
	if (size >= PERUN_MARK_NEEDS && !bytes[2] && !bytes[3])
		return PERUN_MARK_NONE;
	return PERUN_MARK_UTF16;
}

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

void perun_utf16_to_utf8(const void *data, size_t size, struct perun_buffer *out)
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
