/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of words in small letters, by which names and units of metrics are recognised in whatever case they are. */
#ifndef PERUN_CORE_PROFILE_WORDS_H
#define PERUN_CORE_PROFILE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* A bit for each letter, of either case; what is no letter shares the bit of one. */
static inline uint32_t perun_letter_bit(char c)
{
	return (uint32_t)1 << (c & 31);
}

/* The letters that words of a list begin with: most words begin with none of them, and need no search. */
static inline uint32_t perun_first_letters(const char *const *list, size_t count)
{
	uint32_t letters = 0;

	for (size_t i = 0; i < count; i++)
		letters |= perun_letter_bit(*list[i]);
	return letters;
}

static inline bool perun_word_is_among(const char *word, size_t length, const char *const *list,
				       size_t count)
{
	for (size_t i = 0; length && i < count; i++) {
		if (perun_letter_bit(*list[i]) == perun_letter_bit(*word) &&
		    strncasecmp(list[i], word, length) == 0 && list[i][length] == '\0')
			return true;
	}
	return false;
}

/*
 * Whether the name of a function is an address where programs and libraries are put by chance ("0x7f9784ea57b9"), which is
 * another one in each run; those in the lowest 4 GiB are where the linker put them.
 */
static inline bool perun_is_chance_address(const char *name)
{
	size_t digits;

	if (strncmp(name, "0x", 2) != 0)
		return false;
	name += 2 + strspn(name + 2, "0");
	digits = strspn(name, "0123456789abcdefABCDEF");
	return digits > 8 && !name[digits];
}

/* What all of these are called together, as perf calls them. */
#define PERUN_UNKNOWN_FUNCTION "[unknown]"

#define PERUN_WORD_IS_AMONG(word, length, list) \
	perun_word_is_among(word, length, list, sizeof(list) / sizeof *(list))

#endif
