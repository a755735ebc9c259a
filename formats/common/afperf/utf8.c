/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#include <string.h>

#include "record.h"

/* The length of the character at `text`, 0 if it is none or is cut off. */
static size_t character_length(const unsigned char *text, size_t length)
{
	unsigned char first = text[0];
	size_t count = first < 0x80   ? 1
		       : first < 0xC2 ? 0
		       : first < 0xE0 ? 2
		       : first < 0xF0 ? 3
				      : 4;

	if (first > 0xF4 || !count || count > length)
		return 0;
	for (size_t i = 1; i < count; i++)
		if ((text[i] & 0xC0) != 0x80)
			return 0;
	if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) ||
	    (first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F))
		return 0;
	return count;
}

size_t afperf_utf8_span(const char *text, size_t length)
{
	const uint64_t high = 0x8080808080808080u;
	size_t i = 0;

	while (i < length) {
		uint64_t words[4];
		size_t count;

		while (length - i >= sizeof words) {
			memcpy(words, text + i, sizeof words);
			if ((words[0] | words[1] | words[2] | words[3]) & high)
				break;
			i += sizeof words;
		}
		if (i == length)
			break;
		count = character_length((const unsigned char *)text + i, length - i);
		if (!count)
			break;
		i += count;
	}
	return i;
}
