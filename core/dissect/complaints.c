/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes need others to build, from what compilers and linkers complain of. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
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

/* What a line begins with: "FILE:LINE:" and maybe "COLUMN:". */
struct position {
	const char *file; /* without "./" */
	size_t length, line;
	const char *message;
};

static bool find_position(const char *text, struct position *position)
{
	const char *at;

	text += strncmp(text, "./", 2) == 0 ? 2 : 0;
	at = text + strcspn(text, ": \t");
	*position = (struct position){.file = text, .length = (size_t)(at - text)};
	while (*at == ':' && isdigit((unsigned char)at[1])) {
		if (!position->line)
			position->line = strtoull(at + 1, NULL, 10);
		at += 1 + strspn(at + 1, "0123456789");
	}
	position->message = at + 1;
	return position->line && *at == ':';
}

/* ---- a place --------------------------------------------------------------------------------- */

/* A compiler that was started below names files from there. */
static bool is_file(const struct perun_dissect_change *change, const struct position *position)
{
	size_t length = strlen(change->file);
	const char *end;

	if (!position->length || position->length > length)
		return false;
	end = change->file + length - position->length;
	return memcmp(end, position->file, position->length) == 0 &&
	       (end == change->file || end[-1] == '/');
}

/*
 * The change whose lines are at a place of the file as it was built: what it adds where it was, what it takes away where
 * it was not. `SIZE_MAX` where that line is in both.
 */
static size_t change_at(const struct lesson *lesson, const struct position *position)
{
	const struct changes *changes = lesson->changes;
	long moved = 0;

	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_dissect_change *change = &changes->items[i];
		bool inside = lesson->set[i];
		size_t lines = inside ? change->new_lines : change->old_lines;
		long from;

		if (!is_file(change, position) || !(change->old_start || change->new_start))
			continue;
		/* What only adds lines is put after the one that it names. */
		from = (long)change->old_start + !change->old_lines + moved;
		if ((long)position->line >= from && (long)position->line < from + (long)lines)
			return i;
		if (inside)
			moved += (long)change->new_lines - (long)change->old_lines;
	}
	return SIZE_MAX;
}

/* Whether one change alters the line that begins the function of the other. */
static bool begins_function(const struct changes *changes, size_t one, size_t other)
{
	const char *function = changes->items[other].function, *word, *at = function;
	const char *end = function + strlen(function);
	struct mention of = {0}, mention;

	while (next_word(&at, end, &word, &of.length)) {
		of.name = word;
		for (int side = 0; side < 2; side++) {
			of.added = side;
			if (change_mentions(&changes->items[one], &of, &mention) &&
			    mention.defines && mention.shared)
				return true;
		}
	}
	return false;
}

static bool in_one_function(const struct changes *changes, size_t one, size_t other)
{
	if (changes->file_of[one] != changes->file_of[other])
		return false;
	return (*changes->items[one].function &&
		strcmp(changes->items[one].function, changes->items[other].function) == 0) ||
	       begins_function(changes, one, other) || begins_function(changes, other, one);
}

/*
 * What a message like "too many return values" is about has no name: the change at that line, which fits others of the
 * same function, those that were built with it, or were not.
 */
static void learn_place(struct lesson *lesson, const struct position *position)
{
	size_t at = change_at(lesson, position);

	for (size_t i = 0; at != SIZE_MAX && i < lesson->changes->count; i++) {
		if (lesson->set[i] == lesson->set[at] || !in_one_function(lesson->changes, at, i))
			continue;
		lesson->learned |= lesson->set[at] ? needs_add(lesson->needs, at, i, true)
						   : needs_add(lesson->needs, i, at, true);
	}
}

/*
 * Any word of a message that quotes none, if a change defines it: "cannot use get (value of type ...) as ...". Whether
 * there was one.
 */
static bool learn_words(struct lesson *lesson, const char *message)
{
	const char *end = message + strlen(message);
	struct mention of = {0};
	bool named = false;

	while (next_word(&message, end, &of.name, &of.length)) {
		for (int side = 0; side < 2; side++) {
			of.added = side;
			if (!is_defined(lesson, &of))
				continue;
			named = true;
			learn_side(lesson, &of, false);
		}
	}
	return named;
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
	struct position position;

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
	if (!named && find_position(line, &position) && !learn_words(lesson, position.message))
		learn_place(lesson, &position);
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
