/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing a JSON string as Python's json.dumps() does: ASCII only. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "perun/json.h"
#include "utf8.h"

/* The first byte in [p, end) that cannot be as it is, or `end`. */
static const char *find_special(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f), delete = _mm_set1_epi8(0x7f);

	for (; end - p >= 16; p += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
					     _mm_cmpeq_epi8(bytes, backslash));
		int mask;

		found = _mm_or_si128(found, _mm_cmpeq_epi8(_mm_max_epu8(bytes, control), control));
		found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, delete));
		mask = _mm_movemask_epi8(_mm_or_si128(found, bytes));
		if (mask != 0)
			return p + __builtin_ctz((unsigned)mask);
	}
#endif
	for (; p < end; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			break;
	}
	return p;
}

static char *put_unit(char *to, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";

	*to++ = '\\';
	*to++ = 'u';
	*to++ = hex[unit >> 12];
	*to++ = hex[unit >> 8 & 15];
	*to++ = hex[unit >> 4 & 15];
	*to++ = hex[unit & 15];
	return to;
}

/* Escape the non-ASCII character of `count` bytes in `p`, which is padded with NULs. */
static char *put_character(char *to, const char *p, size_t *used)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t count = utf8_length(p);
	uint32_t c;

	/* A lone surrogate in WTF-8. */
	if (count == 0 && u[0] == 0xed && (u[1] & 0xe0) == 0xa0 && (u[2] & 0xc0) == 0x80)
		count = 3;
	*used = count > 0 ? count : 1;
	switch (count) {
	case 2:
		return put_unit(to, (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu));
	case 3:
		return put_unit(to, (u[0] & 0xfu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu));
	case 4:
		c = (u[0] & 7u) << 18 | (u[1] & 0x3fu) << 12 | (u[2] & 0x3fu) << 6 | (u[3] & 0x3fu);
		c -= 0x10000;
		to = put_unit(to, 0xd800 + (c >> 10));
		return put_unit(to, 0xdc00 + (c & 0x3ff));
	default: /* not UTF-8: Python's surrogateescape */
		return put_unit(to, 0xdc00u + u[0]);
	}
}

static char *put_ascii(char *to, char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *found = c != '\0' ? strchr(from, c) : NULL;

	if (found == NULL)
		return put_unit(to, (unsigned char)c);
	*to++ = '\\';
	*to++ = letters[found - from];
	return to;
}

/* Append the special character at `p`; returns where the next one is. */
static const char *add_special(struct perun_buffer *out, const char *p, const char *end)
{
	char local[5] = {0}, *to = perun_buffer_reserve(out, 12);
	size_t used = 1;

	if ((unsigned char)*p < 0x80) {
		to = put_ascii(to, *p);
	} else {
		memcpy(local, p, end - p < 4 ? (size_t)(end - p) : 4);
		to = put_character(to, local, &used);
	}
	out->length = (size_t)(to - out->data);
	return p + used;
}

void perun_json_quote(struct perun_buffer *out, const char *text, size_t length)
{
	const char *end, *special;
	char *to = perun_buffer_reserve(out, length + 2);

	if (!text)
		text = ""; /* of length 0 */
	end = text + length;
	special = find_special(text, end);
	*to++ = '"';
	for (;;) {
		size_t plain = (size_t)(special - text);

		if (plain > 0)
			memcpy(to, text, plain);
		out->length = (size_t)(to + plain - out->data);
		text = special;
		if (text == end)
			break;
		do
			text = add_special(out, text, end);
		while (text < end && find_special(text, text + 1) == text);
		special = find_special(text, end);
		to = perun_buffer_reserve(out, (size_t)(special - text) + 1);
	}
	out->data[out->length++] = '"';
	out->data[out->length] = '\0';
}
