/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 as JSON strings need it. */
#ifndef PERUN_JSON_UTF8_H
#define PERUN_JSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * The length of the valid UTF-8 sequence of two to four bytes at `p`, else 0: no surrogates, nothing
 * overlong, nothing beyond U+10FFFF. A NUL after the text keeps it from being read past.
 */
static inline size_t utf8_length(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	if (u[0] < 0xc2 || u[0] > 0xf4 || (u[1] & 0xc0) != 0x80)
		return 0;
	if (u[0] < 0xe0)
		return 2;
	if ((u[2] & 0xc0) != 0x80)
		return 0;
	if (u[0] < 0xf0) {
		if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f))
			return 0;
		return 3;
	}
	if ((u[3] & 0xc0) != 0x80 || (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return 4;
}

/* Write a code point (a surrogate in three bytes, WTF-8); returns the number of bytes. */
static inline size_t utf8_put(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

#endif
