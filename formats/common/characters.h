/* SPDX-License-Identifier: BSD-3-Clause */
/* Characters of lines in UTF-8: columns of what programs draw are counted in these. */
#ifndef PERUN_FORMATS_COMMON_CHARACTERS_H
#define PERUN_FORMATS_COMMON_CHARACTERS_H

#include <stddef.h>

#include <perun/context.h>

/* How many begin in the first `size` bytes. */
static inline size_t characters_in(const char *text, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += (text[i] & 0xc0) != 0x80;
	return count;
}

/* The byte at which a character begins, or the end of the line. */
static inline size_t characters_byte(const char *line, size_t character)
{
	size_t at = 0;

	while (line[at] && character--)
		do
			at++;
		while ((line[at] & 0xc0) == 0x80);
	return at;
}

/* A copy without the blanks around it, the caller's. */
static inline char *characters_trimmed(const char *text, size_t length)
{
	while (length && *text == ' ')
		text++, length--;
	while (length && text[length - 1] == ' ')
		length--;
	return perun_strndup(text, length);
}

#endif
