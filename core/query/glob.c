/* SPDX-License-Identifier: BSD-3-Clause */
/* Globs over UTF-8 text: no locale, no exponential work. */
#include "core/query/match.h"

/* One character and the bytes it takes; a byte that begins none is itself. */
static uint32_t character(const char *text, size_t left, size_t *bytes)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t count = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc0 ? 2 : 1;
	uint32_t code = count == 1 ? *p : *p & (0xffu >> (count + 1));

	*bytes = 1;
	if (count > left)
		return *p;
	for (size_t i = 1; i < count; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return *p;
		code = code << 6 | (p[i] & 0x3f);
	}
	*bytes = count;
	return code;
}

static uint32_t pattern_character(const char **pattern)
{
	size_t bytes;
	uint32_t code;

	if (**pattern == '\\' && (*pattern)[1])
		++*pattern;
	code = character(*pattern, strlen(*pattern), &bytes);
	*pattern += bytes;
	return code;
}

/* After '[': whether the set holds the character; NULL when it is not closed. */
static const char *match_set(const char *pattern, uint32_t code, bool *in)
{
	bool negated = *pattern == '!' || *pattern == '^', found = false;

	if (negated)
		pattern++;
	for (bool first = true; *pattern && (first || *pattern != ']'); first = false) {
		uint32_t low = pattern_character(&pattern), high = low;

		if (pattern[0] == '-' && pattern[1] && pattern[1] != ']') {
			pattern++;
			high = pattern_character(&pattern);
		}
		found = found || (code >= low && code <= high);
	}
	*in = found != negated;
	return *pattern ? pattern + 1 : NULL;
}

/* Match one element of the pattern that is not a star against one character. */
static bool match_one(const char **pattern, const char *text, size_t left, size_t *bytes)
{
	uint32_t code = character(text, left, bytes);
	const char *p = *pattern;
	bool in = false;

	if (*p == '?') {
		*pattern = p + 1;
		return true;
	}
	if (*p == '[') {
		p = match_set(p + 1, code, &in);
		*pattern = p ? p : *pattern;
		return p && in;
	}
	return *p && pattern_character(pattern) == code;
}

bool perun_glob(const char *pattern, const char *text, size_t length)
{
	const char *star = NULL, *end = text + length, *retry = NULL;
	size_t bytes;

	/* Only the last star may take more: an earlier one could not do better by it. */
	while (text < end) {
		const char *next = pattern;

		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (match_one(&next, text, (size_t)(end - text), &bytes)) {
			pattern = next;
			text += bytes;
		} else if (star) {
			character(retry, (size_t)(end - retry), &bytes);
			retry += bytes;
			text = retry;
			pattern = star;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool perun_glob_valid(const char *pattern)
{
	bool in;

	while (pattern && *pattern) {
		if (*pattern == '[')
			pattern = match_set(pattern + 1, 0, &in);
		else if (*pattern == '\\' && !pattern[1])
			return false;
		else
			pattern_character(&pattern);
	}
	return pattern != NULL;
}
