/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags, profiles by their numbers as perun status lists them; and words that name several. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/lookup/lookup.h"

/* "12@i": the number and the kind. Where it ends; NULL when it is not a tag. */
static const char *parse_one(const char *text, unsigned long *number, char *kind)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits > 9 || text[digits] != '@' ||
	    (text[digits + 1] != 'i' && text[digits + 1] != 'p'))
		return NULL;
	*number = strtoul(text, NULL, 10);
	*kind = text[digits + 1];
	return text + digits + 2;
}

bool perun_tag_parse(const char *word, struct perun_tag *tag)
{
	char kind;
	const char *end = parse_one(word, &tag->first, &tag->kind);

	tag->last = tag->first;
	tag->range = end && *end == '-';
	if (tag->range) {
		end = parse_one(end + 1, &tag->last, &kind);
		if (end && kind != tag->kind)
			return false;
	}
	return end && *end == '\0';
}

bool perun_tag_is_bad(const char *word)
{
	const char *at = strchr(word, '@');

	return at && !strchr(word, '/') && !strchr(word, '.') &&
	       strspn(word, "0123456789") == (size_t)(at - word) && strlen(at) <= 2;
}

bool perun_lookup_is_tag(const char *word)
{
	const char *hat = strrchr(word, '^');
	struct perun_tag tag;

	return perun_tag_parse(hat ? hat + 1 : word, &tag);
}

bool perun_names_versions(const char *word)
{
	const char *dots = strstr(word, "..");

	return dots && strcmp(word, "..") != 0 && dots[2] != '/' &&
	       (dots == word || dots[-1] != '/') && access(word, F_OK) != 0;
}

bool perun_lookup_is_range(const char *word)
{
	const char *hat = strrchr(word, '^');
	struct perun_tag tag;

	return perun_names_versions(word) || (perun_tag_parse(hat ? hat + 1 : word, &tag) &&
					      tag.range && access(word, F_OK) != 0);
}
