/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes need each other to build. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/dissect/needs.h"

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_name(int c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

bool next_name(const char **at, const char **name, size_t *length)
{
	const char *text = *at;

	while (*text && (!is_name((unsigned char)*text) || isdigit((unsigned char)*text))) {
		/* A number with its letters is not a name. */
		if (isdigit((unsigned char)*text)) {
			while (is_name((unsigned char)*text))
				text++;
		} else {
			text++;
		}
	}
	*name = text;
	while (is_name((unsigned char)*text))
		text++;
	*length = (size_t)(text - *name);
	*at = text;
	return *length > 0;
}

/* A name in a change: of the lines that it adds, or removes. */
struct mention {
	const char *name;
	size_t length, change;
	bool added;
	bool outer; /* on a line that begins in the first column, or defines a macro: seen by other functions */
};

struct mentions {
	struct mention *items;
	size_t count, capacity;
};

static void add_mentions(struct mentions *mentions, const char *text, size_t change, bool added)
{
	const char *line = text, *at = text, *name;
	size_t length;

	while (next_name(&at, &name, &length)) {
		const char *newline;

		while ((newline = strchr(line, '\n')) && newline < name)
			line = newline + 1;
		PERUN_GROW(mentions->items, mentions->count, mentions->capacity);
		mentions->items[mentions->count++] =
			(struct mention){.name = name,
					 .length = length,
					 .change = change,
					 .added = added,
					 .outer = !isspace((unsigned char)*line) && *line != '}'};
	}
}

static int compare_mentions(const void *one, const void *other)
{
	const struct mention *a = one, *b = other;
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->name, b->name, shorter);

	if (!order && a->length != b->length)
		order = a->length < b->length ? -1 : 1;
	if (!order && a->change != b->change)
		order = a->change < b->change ? -1 : 1;
	return order;
}

static struct mentions list_mentions(const struct changes *changes)
{
	struct mentions mentions = {0};

	for (size_t i = 0; i < changes->count; i++) {
		add_mentions(&mentions, changes->items[i].removed, i, false);
		add_mentions(&mentions, changes->items[i].added, i, true);
	}
	if (mentions.count)
		qsort(mentions.items, mentions.count, sizeof *mentions.items, compare_mentions);
	return mentions;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The smaller number is the group's; whether they were two. */
static bool join(struct needs *needs, size_t one, size_t other)
{
	size_t a = needs->group[one], b = needs->group[other];
	size_t from = a > b ? a : b, to = a > b ? b : a;

	for (size_t i = 0; a != b && i < needs->count; i++) {
		if (needs->group[i] == from)
			needs->group[i] = to;
	}
	return a != b;
}

static bool is_same_function(const struct changes *changes, size_t one, size_t other)
{
	return changes->file_of[one] == changes->file_of[other] && *changes->items[one].function &&
	       strcmp(changes->items[one].function, changes->items[other].function) == 0;
}

/*
 * One name, on one side: what all its mentions on that side have in common when the other side does not know it. A name
 * of a function's own is shared within that function only.
 */
static void join_mentions(const struct changes *changes, struct needs *needs,
			  const struct mention *mentions, size_t count, bool added)
{
	bool outer = false;

	for (size_t i = 0; i < count; i++) {
		if (mentions[i].added != added)
			return;
		outer |= mentions[i].outer;
	}
	for (size_t i = 1; i < count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (outer ||
			    is_same_function(changes, mentions[i].change, mentions[k].change))
				join(needs, mentions[i].change, mentions[k].change);
			/* All of them have the first one in common. */
			if (outer)
				break;
		}
	}
}

/* Lines of one file go together where it is taken as a whole; a change in a file needs the file's new name not. */
static void join_wholes(const struct changes *changes, struct needs *needs)
{
	for (size_t i = 0; i < changes->file_count; i++) {
		const struct changed_file *file = &changes->files[i];

		for (size_t k = 1; file->whole && k < file->count; k++)
			join(needs, file->first, file->first + k);
	}
}

void needs_find(const struct changes *changes, struct needs *needs)
{
	struct mentions mentions = list_mentions(changes);

	*needs = (struct needs){perun_alloc_zero(changes->count + 1, sizeof *needs->group),
				changes->count};
	for (size_t i = 0; i < changes->count; i++)
		needs->group[i] = i;
	join_wholes(changes, needs);
	for (size_t from = 0, to; from < mentions.count; from = to) {
		const struct mention *first = &mentions.items[from];

		for (to = from + 1; to < mentions.count; to++) {
			const struct mention *next = &mentions.items[to];

			if (next->length != first->length ||
			    memcmp(next->name, first->name, first->length) != 0)
				break;
		}
		join_mentions(changes, needs, first, to - from, true);
		join_mentions(changes, needs, first, to - from, false);
	}
	perun_free(mentions.items);
}

void needs_free(struct needs *needs)
{
	perun_free(needs->group);
	*needs = (struct needs){0};
}

/* ---- what compilers say ---------------------------------------------------------------------- */

static bool mentions_name(const char *text, const char *name, size_t length)
{
	const char *found;
	size_t size;

	while (next_name(&text, &found, &size)) {
		if (size == length && memcmp(found, name, length) == 0)
			return true;
	}
	return false;
}

/* Changes with a name that was complained of: those that are there go with those that are not. */
static bool learn_name(const struct changes *changes, const bool *set, const char *name,
		       size_t length, struct needs *needs)
{
	bool learned = false;

	for (size_t side = 0; side < 2; side++) {
		size_t inside = SIZE_MAX, outside = SIZE_MAX;

		for (size_t i = 0; i < changes->count; i++) {
			const struct perun_dissect_change *change = &changes->items[i];
			size_t *place = set[i] ? &inside : &outside;

			if (!mentions_name(side ? change->removed : change->added, name, length))
				continue;
			if (*place == SIZE_MAX)
				*place = i;
			else
				learned |= outside != SIZE_MAX && inside != SIZE_MAX &&
					   join(needs, *place, i);
		}
		if (inside != SIZE_MAX && outside != SIZE_MAX)
			learned |= join(needs, inside, outside);
	}
	return learned;
}

/* The quote that ends what `at` begins with: 'x', "x", `x' and the pairs of UTF-8; the text in it. */
static const char *quoted(const char *at, size_t *length)
{
	static const char *const pairs[][2] = {{"\xe2\x80\x98", "\xe2\x80\x99"},
					       {"'", "'"},
					       {"\"", "\""},
					       {"`", "'"},
					       {"`", "`"},
					       {"undefined: ", "\n"}};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		size_t begin = strlen(pairs[i][0]);
		const char *end;

		if (strncmp(at, pairs[i][0], begin) != 0)
			continue;
		end = strstr(at + begin, pairs[i][1]);
		if (!end || end - at > 200)
			continue;
		*length = (size_t)(end - at) - begin;
		return at + begin;
	}
	return NULL;
}

/* The only name of a quoted text, beside keywords that say what it is. */
static bool only_name(const char *text, const char **name, size_t *length)
{
	static const char *const kinds[] = {"struct", "union", "enum", "class"};
	const char *next = text, *found;
	size_t size, names = 0;

	while (next_name(&next, &found, &size)) {
		bool kind = false;

		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			kind |= strlen(kinds[i]) == size && memcmp(kinds[i], found, size) == 0;
		if (kind)
			continue;
		*name = found;
		*length = size;
		names++;
	}
	return names == 1;
}

/* Each line that says of a name that it is not known, or known otherwise. */
static bool learn_line(const struct changes *changes, const bool *set, const char *line,
		       struct needs *needs)
{
	bool learned = false;

	if (!strstr(line, "error") && !strstr(line, "undefined") && !strstr(line, "undeclared"))
		return false;
	for (const char *at = line; *at; at++) {
		size_t length, size;
		const char *inside = quoted(at, &length), *name;
		char *text;

		if (!inside)
			continue;
		text = perun_strndup(inside, length);
		if (only_name(text, &name, &size))
			learned |= learn_name(changes, set, name, size, needs);
		perun_free(text);
		at = inside + length - 1;
	}
	return learned;
}

bool needs_learn(const struct changes *changes, const bool *set, const char *output,
		 struct needs *needs)
{
	bool learned = false;

	while (*output) {
		size_t length = strcspn(output, "\n");
		/* With its end, which ends a name that Go does not quote. */
		char *line = perun_strndup(output, length + (output[length] == '\n'));

		learned |= learn_line(changes, set, line, needs);
		output += length + (output[length] == '\n');
		perun_free(line);
	}
	return learned;
}

/* ---- changes that alter no code -------------------------------------------------------------- */

static bool is_like_c(const char *path)
{
	static const char *const endings[] = {
		".c",  ".h",  ".cc", ".hh",   ".cpp", ".hpp", ".cxx", ".hxx", ".inl",  ".m",
		".mm", ".go", ".rs", ".java", ".cu",  ".cuh", ".zig", ".d",   ".swift"};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t size = strlen(endings[i]);

		if (length > size && strcmp(path + length - size, endings[i]) == 0)
			return true;
	}
	return false;
}

/* The text without comments and without blanks; false where it cannot be said, in the middle of one. */
static bool strip(const char *text, struct perun_buffer *out)
{
	while (*text) {
		if (text[0] == '/' && text[1] == '/') {
			/* A line that goes on is a matter for the compiler. */
			size_t length = strcspn(text, "\n");

			if (text[length - 1] == '\\')
				return false;
			text += length;
		} else if (text[0] == '/' && text[1] == '*') {
			const char *end = strstr(text + 2, "*/");

			if (!end)
				return false;
			text = end + 2;
			perun_buffer_add_char(out, ' ');
		} else if (*text == '"' || *text == '\'' || *text == '`' || *text == '\\' ||
			   *text == '#') {
			return false;
		} else if (isspace((unsigned char)*text)) {
			if (out->length && out->data[out->length - 1] != ' ')
				perun_buffer_add_char(out, ' ');
			text++;
		} else if (text[0] == '*' && text[1] == '/') {
			return false;
		} else {
			perun_buffer_add_char(out, *text++);
		}
	}
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	perun_buffer_add(out, "", 0);
	return true;
}

bool change_is_plain(const struct perun_dissect_change *change)
{
	struct perun_buffer removed = {0}, added = {0};
	bool plain = change->kind == PERUN_DISSECT_CHANGE_LINES && is_like_c(change->file) &&
		     strip(change->removed, &removed) && strip(change->added, &added) &&
		     removed.length == added.length &&
		     (!added.length || memcmp(removed.data, added.data, added.length) == 0);

	perun_buffer_free(&removed);
	perun_buffer_free(&added);
	return plain;
}
