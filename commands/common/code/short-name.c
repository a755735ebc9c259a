/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of C++ without what they are long of. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include <perun/context.h>

#include "commands/common/code/short-name.h"

static const char operator_word[] = "operator";

static bool is_part_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* How long "operator" and its symbol are; 0: there is none at this place. */
static size_t operator_length(const char *start, const char *at)
{
	static const char *const symbols[] = {"()", "[]", "<=>", "->*", "<<=", ">>=", "->",
					      "<<", ">>", "<=",  ">=",  "<",   ">",   NULL};
	size_t length = sizeof operator_word - 1;

	if (strncmp(at, operator_word, length) != 0 || is_part_of_name(at[length]) ||
	    (at > start && is_part_of_name(at[-1])))
		return 0;
	for (size_t i = 0; symbols[i]; i++)
		if (strncmp(at + length, symbols[i], strlen(symbols[i])) == 0)
			return length + strlen(symbols[i]);
	return length;
}

/* The end of a group in brackets; of text that does not close it, the end of the text. */
static const char *end_of_group(const char *at)
{
	size_t depth = 0;

	for (const char *start = at; *at; at++) {
		size_t length = operator_length(start, at);

		if (length) {
			at += length - 1;
		} else if (strchr("<({[", *at)) {
			depth++;
		} else if (strchr(")}]", *at) || (*at == '>' && at[-1] != '-')) {
			if (--depth == 0)
				return at + 1;
		}
	}
	return at;
}

/* " const", " &&" after parameters. */
static const char *skip_qualifiers(const char *at)
{
	static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept", NULL};

	for (size_t i = 0; words[i]; i++) {
		size_t length = strlen(words[i]);

		if (strncmp(at, words[i], length) == 0 && !is_part_of_name(at[length])) {
			at += length;
			i = (size_t)-1;
		}
	}
	return at;
}

/* Where the name begins after its return type: spaces of groups, and of "operator new", are part of the name. */
static const char *after_type(const char *text)
{
	const char *name = text;

	for (const char *at = text; *at; at++) {
		if (operator_length(text, at) || strncmp(at, " [", 2) == 0)
			break;
		if (strchr("<({[", *at))
			at = end_of_group(at) - 1;
		else if (*at == ' ')
			name = at + 1;
	}
	return name;
}

/* "::h0123456789abcdef" at the end. */
static void drop_hash(char *name)
{
	enum { HASH = 19 };
	size_t length = strlen(name);
	char *hash = name + length - HASH;

	if (length > HASH && strncmp(hash, "::h", 3) == 0 &&
	    strspn(hash + 3, "0123456789abcdef") == HASH - 3)
		*hash = '\0';
}

char *shorten_name(const char *name, bool templates)
{
	struct perun_buffer out = {0};
	bool parameters = false;
	char *text, *result;

	for (const char *at = name; *at;) {
		size_t length = operator_length(name, at);
		const char *end = strchr("<({[", *at) ? end_of_group(at) : at + 1;

		if (length) {
			perun_buffer_add(&out, at, length);
			at += length;
		} else if ((*at == '<' && !templates && at > name) ||
			   (*at == '(' && strncmp(at, "(anonymous", 10) != 0)) {
			if (out.length && out.data[out.length - 1] == ' ' && *at == '<')
				out.length--; /* "operator<< <int>" */
			parameters |= *at == '(';
			at = *at == '(' ? skip_qualifiers(end) : end;
		} else {
			perun_buffer_add(&out, at, (size_t)(end - at));
			at = end;
		}
	}
	text = perun_buffer_take(&out);
	if (!text)
		return perun_strdup(name);
	/* "vtable for a", "non-virtual thunk to f()" have spaces that are no type's. */
	result = perun_strdup(parameters && !strstr(text, " to ") ? after_type(text) : text);
	perun_free(text);
	drop_hash(result);
	return result;
}
