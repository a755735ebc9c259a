/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces that an input is made of. What is not well formed has pieces, too: as far as it goes. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/fuzz/pieces.h"

static void add(struct fuzz_pieces *pieces, size_t first, size_t end)
{
	if (first >= end || pieces->count >= FUZZ_MAX_PIECES)
		return;
	PERUN_GROW(pieces->items, pieces->count, pieces->capacity);
	pieces->items[pieces->count++] = (struct fuzz_piece){first, end};
}

void fuzz_pieces_free(struct fuzz_pieces *pieces)
{
	perun_free(pieces->items);
	*pieces = (struct fuzz_pieces){0};
}

/* ---- text ------------------------------------------------------------------------------------ */

static void find_lines(const char *bytes, size_t size, struct fuzz_pieces *pieces)
{
	size_t first = 0;

	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != '\n')
			continue;
		add(pieces, first, i);
		first = i + 1;
	}
	add(pieces, first, size);
}

static void find_words(const char *bytes, size_t size, struct fuzz_pieces *pieces)
{
	size_t first = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && !isspace((unsigned char)bytes[i]))
			continue;
		add(pieces, first, i);
		first = i + 1;
	}
}

static void find_numbers(const char *bytes, size_t size, struct fuzz_pieces *pieces)
{
	size_t first = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && isdigit((unsigned char)bytes[i]))
			continue;
		add(pieces, first, i);
		first = i + 1;
	}
}

static void find_fields(const char *bytes, size_t size, struct fuzz_pieces *pieces)
{
	size_t first = 0;
	bool quoted = false;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && bytes[i] == '"')
			quoted = !quoted;
		if (i < size && (quoted || !strchr(",;\t\n", bytes[i])))
			continue;
		add(pieces, first, i);
		first = i + 1;
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Where a string that begins at `first` ends, after its closing quote. */
static size_t string_end(const char *bytes, size_t size, size_t first)
{
	for (size_t i = first + 1; i < size; i++)
		if (bytes[i] == '\\')
			i++;
		else if (bytes[i] == '"')
			return i + 1;
	return size;
}

static size_t scalar_end(const char *bytes, size_t size, size_t first)
{
	if (bytes[first] == '"')
		return string_end(bytes, size, first);
	while (first < size &&
	       (isalnum((unsigned char)bytes[first]) || strchr("+-.", bytes[first])))
		first++;
	return first;
}

static int compare_pieces(const void *one, const void *other)
{
	const struct fuzz_piece *a = one, *b = other;

	return a->first != b->first ? (a->first > b->first) - (a->first < b->first)
				    : (a->end < b->end) - (a->end > b->end);
}

static void sort_pieces(struct fuzz_pieces *pieces)
{
	if (pieces->count)
		qsort(pieces->items, pieces->count, sizeof *pieces->items, compare_pieces);
}

/* Values where `members` is false, else pairs of a key and its value. */
static void find_json(const char *bytes, size_t size, bool members, struct fuzz_pieces *pieces)
{
	enum { MAX_DEPTH = 4096 };
	struct open {
		size_t value, member; /* where they began; SIZE_MAX = none */
	} *open = perun_alloc(MAX_DEPTH * sizeof *open);
	size_t depth = 0, key = SIZE_MAX, i = 0;

	while (i < size) {
		size_t end = i + 1, value = SIZE_MAX, member = SIZE_MAX;
		char c = bytes[i];

		if (c == '{' || c == '[') {
			if (depth == MAX_DEPTH)
				break;
			open[depth++] = (struct open){i, key};
			key = SIZE_MAX;
		} else if ((c == '}' || c == ']') && depth) {
			value = open[--depth].value;
			member = open[depth].member;
			key = SIZE_MAX;
		} else if (c == '"' || c == '-' || isalnum((unsigned char)c)) {
			size_t next = end = scalar_end(bytes, size, i);

			if (end == i)
				end = i + 1;
			while (next < size && isspace((unsigned char)bytes[next]))
				next++;
			if (c == '"' && next < size && bytes[next] == ':') {
				key = i;
				end = next + 1;
			} else {
				value = i;
				member = key;
				key = SIZE_MAX;
			}
		}
		if (members && member != SIZE_MAX)
			add(pieces, member, end);
		else if (!members && value != SIZE_MAX)
			add(pieces, value, end);
		i = end;
	}
	perun_free(open);
	sort_pieces(pieces);
}

static void find_values(const char *bytes, size_t size, struct fuzz_pieces *pieces)
{
	find_json(bytes, size, false, pieces);
}

static void find_members(const char *bytes, size_t size, struct fuzz_pieces *pieces)
{
	find_json(bytes, size, true, pieces);
}

/* ---- XML ------------------------------------------------------------------------------------- */

static size_t tag_end(const char *bytes, size_t size, size_t first)
{
	char quote = 0;

	for (size_t i = first; i < size; i++)
		if (quote)
			quote = bytes[i] == quote ? 0 : quote;
		else if (bytes[i] == '"' || bytes[i] == '\'')
			quote = bytes[i];
		else if (bytes[i] == '>')
			return i + 1;
	return size;
}

static void find_elements(const char *bytes, size_t size, struct fuzz_pieces *pieces)
{
	enum { MAX_DEPTH = 4096 };
	size_t *open = perun_alloc(MAX_DEPTH * sizeof *open), depth = 0, end;

	for (size_t i = 0; i + 1 < size; i = end) {
		end = i + 1;
		if (bytes[i] != '<')
			continue;
		end = tag_end(bytes, size, i);
		if (bytes[i + 1] == '/' && depth)
			add(pieces, open[--depth], end);
		else if (strchr("?!/", bytes[i + 1]))
			continue;
		else if (bytes[end - 1] == '>' && bytes[end - 2] == '/')
			add(pieces, i, end);
		else if (depth < MAX_DEPTH)
			open[depth++] = i;
	}
	perun_free(open);
	sort_pieces(pieces);
}

/* " name='value'", with the blank before it. */
static void find_attributes(const char *bytes, size_t size, struct fuzz_pieces *pieces)
{
	for (size_t i = 0; i < size; i++) {
		size_t end, first;

		if (bytes[i] != '<')
			continue;
		end = tag_end(bytes, size, i);
		for (first = i; first < end; first++) {
			size_t at = first + 1;

			if (!isspace((unsigned char)bytes[first]))
				continue;
			while (at < end && !isspace((unsigned char)bytes[at]) && bytes[at] != '=' &&
			       bytes[at] != '>')
				at++;
			if (at + 1 >= end || bytes[at] != '=' || !strchr("\"'", bytes[at + 1]))
				continue;
			for (size_t close = at + 2; close < end; close++)
				if (bytes[close] == bytes[at + 1]) {
					add(pieces, first, close + 1);
					first = close;
					break;
				}
		}
		i = end - 1;
	}
}

/* ---- which there are ------------------------------------------------------------------------- */

static const struct fuzz_structure structures[] = {
	{"line", FUZZ_TEXT | FUZZ_CSV, "\n", NULL, NULL, find_lines},
	{"word", FUZZ_TEXT, " ", "(", ")", find_words},
	{"number", FUZZ_TEXT | FUZZ_JSON | FUZZ_XML | FUZZ_CSV, " ", NULL, NULL, find_numbers},
	{"field", FUZZ_CSV, ",", "\"", "\"", find_fields},
	{"value", FUZZ_JSON, ",", "[", "]", find_values},
	{"member", FUZZ_JSON, ",", NULL, NULL, find_members},
	{"element", FUZZ_XML, "", "<a>", "</a>", find_elements},
	{"attribute", FUZZ_XML, "", NULL, NULL, find_attributes}};

const struct fuzz_structure *fuzz_structure_at(size_t i)
{
	return i < sizeof structures / sizeof *structures ? &structures[i] : NULL;
}

unsigned fuzz_content_of(const char *bytes, size_t size)
{
	unsigned contents = FUZZ_BYTES;
	size_t first = 0, odd = 0, commas = 0, lines = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];

		odd += c < ' ' && !isspace(c);
		commas += strchr(",;\t", c) && c;
		lines += c == '\n';
	}
	if (odd > size / 50)
		return contents;
	contents |= FUZZ_TEXT;
	while (first < size && isspace((unsigned char)bytes[first]))
		first++;
	if (first < size && (bytes[first] == '{' || bytes[first] == '['))
		contents |= FUZZ_JSON;
	if (first < size && bytes[first] == '<')
		contents |= FUZZ_XML;
	if (commas && commas >= lines)
		contents |= FUZZ_CSV;
	return contents;
}
