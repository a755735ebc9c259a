/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in changes, by a lexer that knows no language: comments and strings of C, and what definitions look like. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/dissect/file-kinds.h"
#include "core/dissect/mentions.h"

/* A place in a text. */
struct scan {
	const char *text, *line, *at;
};

bool mention_has(int c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

/* ---- what is not code ------------------------------------------------------------------------ */

/* A line in the middle of a comment of C: "* words". */
static bool is_comment_line(const char *line)
{
	line += strspn(line, " \t");
	return line[0] == '*' && strchr(" \t*/\r\n", line[1]) != NULL;
}

static const char *skip_string(const char *at)
{
	for (at++; *at && *at != '"' && *at != '\n'; at++)
		at += at[0] == '\\' && at[1];
	return *at == '"' ? at + 1 : at;
}

/* Past a comment or a string that begins here; NULL where none does. */
static const char *skip_quiet(const struct scan *scan)
{
	const char *at = scan->at, *end;

	if (at == scan->line && is_comment_line(at))
		return at + strcspn(at, "\n");
	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	return *at == '"' ? skip_string(at) : NULL;
}

static bool is_go(const struct perun_dissect_change *change)
{
	size_t length = strlen(change->file);

	return length > 3 && strcmp(change->file + length - 3, ".go") == 0;
}

/* A line that is an import of Go, maybe one of several: its package is what is after the last slash. */
static bool read_import(const struct scan *scan, const char **name, size_t *length)
{
	const char *at = scan->line, *end, *start;

	at += strspn(at, " \t");
	if (strncmp(at, "import ", 7) == 0)
		at += 7;
	if (at != scan->at || *at != '"')
		return false;
	end = skip_string(at);
	if (end[-1] != '"' || end - at < 3 || !strchr("\n\r", end[strspn(end, " \t")]))
		return false;
	for (start = --end; start > at + 1 && mention_has((unsigned char)start[-1]);)
		start--;
	*name = start;
	*length = (size_t)(end - start);
	return *length > 0;
}

/* The next name of the code; false at the end. */
static bool next_mention(const struct perun_dissect_change *change, struct scan *scan,
			 const char **name, size_t *length, bool *imported)
{
	*imported = false;
	while (*scan->at) {
		const char *past = skip_quiet(scan);

		if (past && is_go(change) && read_import(scan, name, length)) {
			scan->at = past;
			*imported = true;
			return true;
		}
		if (past) {
			scan->at = past;
		} else if (*scan->at == '\n') {
			scan->line = ++scan->at;
		} else if (mention_has((unsigned char)*scan->at)) {
			bool number = isdigit((unsigned char)*scan->at);

			*name = scan->at;
			while (mention_has((unsigned char)*scan->at))
				scan->at++;
			*length = (size_t)(scan->at - *name);
			if (!number)
				return true;
		} else {
			scan->at++;
		}
	}
	return false;
}

/* ---- definitions ----------------------------------------------------------------------------- */

static bool is_word(const char *text, size_t length, const char *const *words)
{
	for (; *words; words++) {
		if (strlen(*words) == length && memcmp(*words, text, length) == 0)
			return true;
	}
	return false;
}

/* What comes after a name: its first character that is not a blank, on the same line. */
static char after(const char *name, size_t length)
{
	const char *at = name + length;

	at += strspn(at, " \t\r");
	return *at;
}

/* "TYPE NAME", "TYPE *NAME", and a keyword that says that a name comes. */
static bool has_type(const char *line, const char *name, char next)
{
	static const char *const none[] = {"return", "goto", "case", "else", "new", "delete",
					   "throw",  "not",  "and",  "or",   "in",  NULL};
	static const char *const kinds[] = {"struct", "union", "enum", "class", NULL};
	const char *end = name, *start;
	bool star = false;

	while (end > line && (end[-1] == '*' || end[-1] == '&')) {
		end--;
		star = true;
	}
	/* A star with a blank after it multiplies. */
	while (end > line && isblank((unsigned char)end[-1]))
		end--;
	for (start = end; start > line && mention_has((unsigned char)start[-1]);)
		start--;
	if (start == end)
		return end > line && end[-1] == '>' && end < name;
	if (is_word(start, (size_t)(end - start), none) || isdigit((unsigned char)*start) ||
	    (end == name && !star))
		return false;
	if (is_word(start, (size_t)(end - start), kinds))
		return next && strchr("{;:\n", next);
	return true;
}

static bool has_keyword(const char *line, const char *name)
{
	static const char *const words[] = {"define", "type",      "func",  "def", "fn",  "fun",
					    "mod",    "interface", "trait", "var", "let", NULL};
	const char *end = name, *start;

	while (end > line && isblank((unsigned char)end[-1]))
		end--;
	for (start = end; start > line && mention_has((unsigned char)start[-1]);)
		start--;
	return end < name && is_word(start, (size_t)(end - start), words);
}

/* A method of Go: "func (r *T) name(". */
static bool is_method(const char *line, const char *name, char next)
{
	const char *end = name;

	while (end > line && isblank((unsigned char)end[-1]))
		end--;
	return strncmp(line, "func (", 6) == 0 && end > line && end[-1] == ')' && next == '(' &&
	       memchr(line, ')', (size_t)(name - line)) == end - 1;
}

/* "NAME," or "NAME =" at the begin of a line of an enumeration, "NAME Type" of a struct of Go. */
static bool is_listed(const struct perun_dissect_change *change, const char *line, const char *name,
		      char next)
{
	if (line == name || (size_t)(name - line) != strspn(line, " \t") ||
	    strchr(change->function, '('))
		return false;
	return next == ',' || next == '=' || (is_go(change) && mention_has((unsigned char)next));
}

/* "name := value", and "(name Type" or ", name Type" of parameters. */
static bool is_local_of_go(const char *line, const char *name, size_t length)
{
	const char *before = name, *after = name + length;

	while (before > line && isblank((unsigned char)before[-1]))
		before--;
	after += strspn(after, " \t");
	if (strncmp(after, ":=", 2) == 0)
		return true;
	return before > line && strchr("(,", before[-1]) && after > name + length &&
	       (mention_has((unsigned char)*after) || (*after && strchr("*[.", *after)));
}

static bool is_definition(const struct perun_dissect_change *change, const char *line,
			  const char *name, size_t length)
{
	char next = after(name, length);

	if (has_keyword(line, name) || is_method(line, name, next))
		return true;
	if (is_listed(change, line, name, next) ||
	    (is_go(change) && is_local_of_go(line, name, length)))
		return true;
	return (!next || strchr("(;,=[{:\n", next)) && has_type(line, name, next);
}

/* A line outside of functions: it begins in the first column, or is of a header or a struct. */
static bool is_shared(const struct perun_dissect_change *change, const char *line)
{
	return (!isspace((unsigned char)*line) && *line != '}') || file_is_header(change->file) ||
	       !strchr(change->function, '(');
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void add_side(const struct changes *changes, size_t change, bool added,
		     struct mentions *mentions)
{
	const struct perun_dissect_change *item = &changes->items[change];
	const char *text = added ? item->added : item->removed, *name;
	struct scan scan = {text, text, text};
	size_t length;
	bool imported;

	/* What a text for readers shows is not part of the program. */
	if (file_is_text(item->file))
		return;
	while (next_mention(item, &scan, &name, &length, &imported)) {
		const struct mention mention = {
			.name = name,
			.length = length,
			.change = change,
			.added = added,
			.defines = imported || is_definition(item, scan.line, name, length),
			.shared = !imported && is_shared(item, scan.line),
			.imported = imported};

		PERUN_GROW(mentions->items, mentions->count, mentions->capacity);
		mentions->items[mentions->count++] = mention;
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

void mentions_list(const struct changes *changes, struct mentions *mentions)
{
	*mentions = (struct mentions){0};
	for (size_t i = 0; i < changes->count; i++) {
		add_side(changes, i, false, mentions);
		add_side(changes, i, true, mentions);
	}
	if (mentions->count)
		qsort(mentions->items, mentions->count, sizeof *mentions->items, compare_mentions);
}

void mentions_free(struct mentions *mentions)
{
	perun_free(mentions->items);
	*mentions = (struct mentions){0};
}

bool change_mentions(const struct perun_dissect_change *change, const struct mention *of,
		     struct mention *mention)
{
	const char *text = of->added ? change->added : change->removed, *found;
	struct scan scan = {text, text, text};
	bool mentions = false, imported;
	size_t size;

	*mention = *of;
	mention->defines = mention->imported = mention->shared = false;
	if (file_is_text(change->file))
		return false;
	while (next_mention(change, &scan, &found, &size, &imported)) {
		if (size != of->length || memcmp(found, of->name, size) != 0)
			continue;
		mentions = true;
		mention->imported |= imported;
		if (imported || is_definition(change, scan.line, found, size)) {
			mention->defines = true;
			mention->shared |= !imported && is_shared(change, scan.line);
		}
	}
	return mentions;
}
