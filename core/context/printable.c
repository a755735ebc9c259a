/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that cannot drive a terminal. */
#include <string.h>

#include "perun/context.h"

/*
 * Length of the valid UTF-8 sequence at `s` and its code point, or 0. Well-formed sequences as in the
 * Unicode Standard, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
static size_t utf8_sequence(const unsigned char *s, size_t length, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n;

	if (s[0] < 0x80) {
		*code = s[0];
		return 1;
	}
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > length)
		return 0;
	*code = s[0] & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return n;
}

static size_t skip_to_final(const unsigned char *s, size_t length, size_t i)
{
	while (i < length && (s[i] < 0x40 || s[i] > 0x7e))
		i++;
	return i < length ? i + 1 : i;
}

/* Strings of the terminal (titles, links) end with BEL or ESC \. */
static size_t skip_string(const unsigned char *s, size_t length, size_t i)
{
	for (; i < length; i++) {
		if (s[i] == 0x07)
			return i + 1;
		if (s[i] == 0x1b && i + 1 < length && s[i + 1] == '\\')
			return i + 2;
	}
	return i;
}

/* The length of the escape sequence at s[0] == ESC (ECMA-48, 5.3 to 5.6). */
static size_t escape_sequence(const unsigned char *s, size_t length)
{
	size_t i = 1;

	if (length < 2)
		return 1;
	switch (s[1]) {
	case '[':
		return skip_to_final(s, length, 2);
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_':
		return skip_string(s, length, 2);
	default:
		while (i < length && s[i] >= 0x20 && s[i] < 0x30)
			i++;
		return i < length && s[i] >= 0x30 && s[i] < 0x7f ? i + 1 : i;
	}
}

/* Control characters of C0 and C1, ends of lines, and those that turn the direction of writing. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* How many characters from `s` on are ASCII that needs no look: all of them, in nearly all texts. */
static size_t plain_run(const unsigned char *s, size_t length)
{
	size_t i = 0;

	while (i < length && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

char *perun_printable(const char *text)
{
	struct perun_buffer buffer = {0};
	const unsigned char *s = (const unsigned char *)text;
	size_t length = strlen(text);
	size_t i = 0;

	while (i < length) {
		uint32_t code;
		size_t n = plain_run(s + i, length - i);

		if (n) {
			perun_buffer_add(&buffer, s + i, n);
			i += n;
			continue;
		}
		n = utf8_sequence(s + i, length - i, &code);
		if (n == 0) {
			perun_buffer_add_text(&buffer, "\xef\xbf\xbd");
			i++;
		} else if (code == 0x1b) {
			i += escape_sequence(s + i, length - i);
		} else {
			if (code == '\n' || code == '\t' || code == '\r')
				perun_buffer_add_char(&buffer, ' ');
			else if (!is_control(code))
				perun_buffer_add(&buffer, s + i, n);
			i += n;
		}
	}
	return perun_buffer_take(&buffer);
}
