/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes need others to build, from what compilers and linkers complain of. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "core/dissect/mentions.h"
#include "core/dissect/needs.h"

/* What a build that failed was of, and what is learned from it. */
struct lesson {
	const struct changes *changes;
	const bool *set;
	struct needs *needs;
	bool learned;
};

/* ---- a name ---------------------------------------------------------------------------------- */

/* Changes with a name on one side: those that were built, and those that were not. */
struct places {
	bool *mentions, *defines;
	bool inside_defines, outside_defines; /* any of them */
	bool inside_uses;
};

static void find_places(const struct lesson *lesson, bool added, const char *name, size_t length,
			struct places *places)
{
	const struct changes *changes = lesson->changes;

	*places = (struct places){.mentions = perun_alloc_zero(changes->count + 1, sizeof(bool)),
				  .defines = perun_alloc_zero(changes->count + 1, sizeof(bool))};
	for (size_t i = 0; i < changes->count; i++) {
		bool inside = lesson->set[i];

		places->mentions[i] = change_mentions(&changes->items[i], added, name, length,
						      &places->defines[i]);
		places->inside_defines |= inside && places->defines[i];
		places->outside_defines |= !inside && places->defines[i];
		places->inside_uses |= inside && places->mentions[i] && !places->defines[i];
	}
}

/*
 * Of what a commit adds, users need definitions, and a definition that must be used needs users. Of what it takes away,
 * definitions need that all uses go.
 */
static void learn_side(struct lesson *lesson, bool added, bool unused, const char *name,
		       size_t length)
{
	struct places places;
	size_t count = lesson->changes->count;
	bool by_users, of_definitions;

	find_places(lesson, added, name, length, &places);
	by_users = added && !unused && places.inside_uses;
	of_definitions = added && !unused && places.outside_defines;
	for (size_t i = 0; i < count; i++) {
		if (!lesson->set[i] || !places.mentions[i] || (by_users && places.defines[i]) ||
		    (!added && places.inside_defines && !places.defines[i]))
			continue;
		for (size_t k = 0; k < count; k++) {
			if (lesson->set[k] || !places.mentions[k] ||
			    (of_definitions && !places.defines[k]))
				continue;
			lesson->learned |= needs_add(lesson->needs, i, k, true);
		}
	}
	perun_free(places.mentions);
	perun_free(places.defines);
}

static void learn_name(struct lesson *lesson, bool unused, const char *name, size_t length)
{
	learn_side(lesson, true, unused, name, length);
	learn_side(lesson, false, unused, name, length);
}

/* ---- a line of output ------------------------------------------------------------------------ */

/* What is before and after a name that is complained of. */
static const char *const quotes[][2] = {{"\xe2\x80\x98", "\xe2\x80\x99"}, /* ‘x’ */
					{"'", "'"},
					{"\"", "\""},
					{"`", "'"},
					{"`", "`"},
					{"undefined: ", "\n"},
					{"field or method ", ")"},
					{"unknown field ", " in "},
					{": ", " declared but not used"},
					{"call to ", "\n"}};

static const char *quoted(const char *at, size_t *length)
{
	for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
		size_t begin = strlen(quotes[i][0]);
		const char *end;

		if (strncmp(at, quotes[i][0], begin) != 0)
			continue;
		end = strstr(at + begin, quotes[i][1]);
		if (!end || end - at > 200)
			continue;
		*length = (size_t)(end - at) - begin;
		return at + begin;
	}
	return NULL;
}

static bool is_name(int c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

/* The next word that is not a keyword of a type; false at the end of the text. */
static bool next_word(const char **at, const char *end, const char **word, size_t *length)
{
	static const char *const kinds[] = {"struct", "union", "enum", "class", "const"};
	bool kind = true;

	while (kind) {
		while (*at < end && !is_name((unsigned char)**at))
			++*at;
		*word = *at;
		while (*at < end && is_name((unsigned char)**at))
			++*at;
		*length = (size_t)(*at - *word);
		kind = false;
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			kind |= strlen(kinds[i]) == *length &&
				memcmp(kinds[i], *word, *length) == 0;
	}
	return *length > 0;
}

/* The only name of a quoted text, or the last one of a path with dots. */
static bool only_name(const char *text, size_t length, const char **name, size_t *size)
{
	const char *at = text, *word;
	size_t count;

	if (!next_word(&at, text + length, name, size))
		return false;
	while (next_word(&at, text + length, &word, &count)) {
		if (word[-1] != '.')
			return false;
		*name = word;
		*size = count;
	}
	return true;
}

static void learn_line(struct lesson *lesson, const char *line)
{
	bool unused =
		strstr(line, "not used") || strstr(line, "unused") || strstr(line, "never used");

	if (strstr(line, "warning"))
		return;
	if (!unused && !strstr(line, "error") && !strstr(line, "undefined") &&
	    !strstr(line, "undeclared") && !strstr(line, "not enough arguments") &&
	    !strstr(line, "too many arguments") && !strstr(line, "unknown field") &&
	    !strstr(line, "redeclared") && !strstr(line, "No rule to make"))
		return;
	for (const char *at = line; *at; at++) {
		size_t length, size;
		const char *inside = quoted(at, &length), *name;

		if (!inside)
			continue;
		if (only_name(inside, length, &name, &size))
			learn_name(lesson, unused, name, size);
		at = inside + length - 1;
	}
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A file that is missing: who names it in what is built needs it. */
static void learn_files(struct lesson *lesson, const char *output)
{
	const struct changes *changes = lesson->changes;

	for (size_t file = 0; file < changes->count; file++) {
		const struct perun_dissect_change *whole = &changes->items[file];
		const char *slash = strrchr(whole->file, '/'),
			   *name = slash ? slash + 1 : whole->file;

		if (lesson->set[file] || whole->kind != PERUN_DISSECT_CHANGE_ADDED ||
		    !strstr(output, name))
			continue;
		for (size_t i = 0; i < changes->count; i++) {
			if (lesson->set[i] && strstr(changes->items[i].added, name))
				lesson->learned |= needs_add(lesson->needs, i, file, true);
		}
	}
}

bool needs_learn(const struct changes *changes, const bool *set, const char *output,
		 struct needs *needs)
{
	struct lesson lesson = {changes, set, needs, false};

	learn_files(&lesson, output);
	while (*output) {
		size_t length = strcspn(output, "\n");
		/* With its end, which ends a name that Go does not quote. */
		char *line = perun_strndup(output, length + (output[length] == '\n'));

		learn_line(&lesson, line);
		output += length + (output[length] == '\n');
		perun_free(line);
	}
	return lesson.learned;
}
