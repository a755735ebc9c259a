/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes need others to build, from what compilers and linkers complain of. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include <perun/lib/path.h>

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

/* A name on one side of changes: of those that were built, and those that were not. */
struct places {
	bool *mentions;
	struct mention *of;                   /* each change */
	bool inside_defines, outside_defines; /* any of them */
	bool inside_uses;
};

static void find_places(const struct lesson *lesson, const struct mention *name,
			struct places *places)
{
	size_t count = lesson->changes->count;

	*places = (struct places){.mentions = perun_alloc_zero(count + 1, sizeof(bool)),
				  .of = perun_alloc_zero(count + 1, sizeof *places->of)};
	for (size_t i = 0; i < count; i++) {
		bool inside = lesson->set[i], mentions, defines;

		mentions = change_mentions(&lesson->changes->items[i], name, &places->of[i]);
		defines = mentions && places->of[i].defines;
		places->mentions[i] = mentions;
		places->inside_defines |= inside && defines;
		places->outside_defines |= !inside && defines;
		places->inside_uses |= inside && mentions && !defines;
	}
}

/* Whether two changes may mean the same by a name: what is imported is known in its file only. */
static bool may_share(const struct lesson *lesson, const struct places *places, size_t one,
		      size_t other)
{
	return (!places->of[one].imported && !places->of[other].imported) ||
	       lesson->changes->file_of[one] == lesson->changes->file_of[other];
}

/*
 * Of what a commit adds, users need definitions, and a definition that must be used needs users. Of what it takes away,
 * definitions need that all uses go.
 */
static void learn_side(struct lesson *lesson, const struct mention *name, bool unused)
{
	struct places places;
	size_t count = lesson->changes->count;
	bool by_users, of_definitions;

	find_places(lesson, name, &places);
	by_users = name->added && !unused && places.inside_uses;
	of_definitions = name->added && !unused && places.outside_defines;
	for (size_t i = 0; i < count; i++) {
		bool defines = places.of[i].defines;

		if (!lesson->set[i] || !places.mentions[i] || (by_users && defines) ||
		    (!name->added && places.inside_defines && !defines))
			continue;
		for (size_t k = 0; k < count; k++) {
			if (lesson->set[k] || !places.mentions[k] ||
			    (of_definitions && !places.of[k].defines) ||
			    !may_share(lesson, &places, i, k))
				continue;
			lesson->learned |= needs_add(lesson->needs, i, k, true);
		}
	}
	perun_free(places.mentions);
	perun_free(places.of);
}

/* Whether a change defines a name for all of the program. */
static bool is_defined(const struct lesson *lesson, const struct mention *name)
{
	for (size_t i = 0; i < lesson->changes->count; i++) {
		struct mention mention;

		if (change_mentions(&lesson->changes->items[i], name, &mention) && mention.shared)
			return true;
	}
	return false;
}

static void learn_name(struct lesson *lesson, bool unused, const char *name, size_t length)
{
	struct mention of = {.name = name, .length = length};

	learn_side(lesson, &of, unused);
	of.added = true;
	learn_side(lesson, &of, unused);
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

/* The next word that is not a keyword of a type; false at the end of the text. */
static bool next_word(const char **at, const char *end, const char **word, size_t *length)
{
	static const char *const kinds[] = {"struct", "union", "enum", "class", "const"};
	bool kind = true;

	while (kind) {
		while (*at < end && !mention_has((unsigned char)**at))
			++*at;
		*word = *at;
		while (*at < end && mention_has((unsigned char)**at))
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

/* The message after "FILE:LINE:" and maybe "COLUMN:"; NULL where a line does not begin so. */
static const char *find_message(const char *line)
{
	const char *at = line + strcspn(line, ": \t");
	bool number = false;

	while (*at == ':' && isdigit((unsigned char)at[1])) {
		at += 1 + strspn(at + 1, "0123456789");
		number = true;
	}
	return number && *at == ':' ? at + 1 : NULL;
}

/* Any word of a message that quotes none, if a change defines it: "cannot use get (value of type ...) as ...". */
static void learn_words(struct lesson *lesson, const char *message)
{
	const char *end = message + strlen(message);
	struct mention of = {0};

	while (next_word(&message, end, &of.name, &of.length)) {
		of.added = false;
		if (is_defined(lesson, &of))
			learn_side(lesson, &of, false);
		of.added = true;
		if (is_defined(lesson, &of))
			learn_side(lesson, &of, false);
	}
}

static bool is_complaint(const char *line, bool unused)
{
	static const char *const words[] = {"error",
					    "undefined",
					    "undeclared",
					    "not enough arguments",
					    "too many arguments",
					    "unknown field",
					    "redeclared",
					    "No rule to make"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strstr(line, words[i]))
			return true;
	}
	return unused;
}

static void learn_line(struct lesson *lesson, const char *line)
{
	bool unused = strstr(line, "not used") || strstr(line, "unused") ||
		      strstr(line, "never used"),
	     named = false;
	const char *message = find_message(line);

	if (strstr(line, "warning"))
		return;
	for (const char *at = is_complaint(line, unused) ? line : ""; *at; at++) {
		size_t length, size;
		const char *inside = quoted(at, &length), *name;

		if (!inside)
			continue;
		named = true;
		if (only_name(inside, length, &name, &size))
			learn_name(lesson, unused, name, size);
		at = inside + length - 1;
	}
	if (!named && message)
		learn_words(lesson, message);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A file that is missing: who names it in what is built needs it. */
static void learn_files(struct lesson *lesson, const char *output)
{
	const struct changes *changes = lesson->changes;

	for (size_t file = 0; file < changes->count; file++) {
		const struct perun_dissect_change *whole = &changes->items[file];
		const char *name = perun_path_base_name(whole->file);

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
