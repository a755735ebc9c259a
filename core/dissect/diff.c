/* SPDX-License-Identifier: BSD-3-Clause */
/* A unified diff, read as a list of changes. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dissect/changes.h"

/* How the first line of a file begins; a word with two dashes follows, and at NAMES those of both sides. */
#define FILE_START "diff -"
enum { NAMES = 11 };

/* One line of the diff, with its end. */
struct line {
	const char *data;
	size_t length;
};

struct reading {
	struct perun_ctx *ctx;
	const char *next, *end;
	size_t number; /* of the line */
	struct changes *changes;
	struct changed_file *file;
	struct line line; /* that is read next; length 0 = the end */
};

static void advance(struct reading *reading)
{
	const char *newline;

	reading->line = (struct line){reading->next, 0};
	if (reading->next == reading->end)
		return;
	newline = memchr(reading->next, '\n', (size_t)(reading->end - reading->next));
	reading->next = newline ? newline + 1 : reading->end;
	reading->line.length = (size_t)(reading->next - reading->line.data);
	reading->number++;
}

static bool begins(const struct reading *reading, const char *text)
{
	size_t length = strlen(text);

	return reading->line.length >= length && memcmp(reading->line.data, text, length) == 0;
}

static int refuse(const struct reading *reading, const char *expected)
{
	return perun_fail(reading->ctx, PERUN_INPUT, "line %zu of the diff: expected %s",
			  reading->number, expected);
}

/* ---- names ----------------------------------------------------------------------------------- */

static char unescape(const char **text)
{
	static const char letters[] = "abtnvfr", values[] = "\a\b\t\n\v\f\r";
	const char *at = *text, *found;
	unsigned value = 0;

	if (*at >= '0' && *at <= '7') {
		for (int i = 0; i < 3 && *at >= '0' && *at <= '7'; i++)
			value = value * 8 + (unsigned)(*at++ - '0');
		*text = at;
		return (char)value;
	}
	*text = at + 1;
	found = *at ? strchr(letters, *at) : NULL;
	return found ? values[found - letters] : *at;
}

/* A name up to the end of the line, which git quotes where it has unusual characters; `skip` bytes are a prefix. */
static char *read_name(const char *text, size_t length, size_t skip)
{
	struct perun_buffer name = {0};
	char *copy, *result;

	while (length && strchr("\r\n\t", text[length - 1]))
		length--;
	copy = perun_strndup(text, length);
	if (*copy == '"') {
		for (const char *at = copy + 1; *at && *at != '"';) {
			if (*at == '\\' && at[1]) {
				at++;
				perun_buffer_add_char(&name, unescape(&at));
			} else {
				perun_buffer_add_char(&name, *at++);
			}
		}
	} else {
		perun_buffer_add_text(&name, copy);
	}
	result = perun_strdup(name.length > skip ? name.data + skip : "");
	perun_buffer_free(&name);
	perun_free(copy);
	return result;
}

/* "a/NAME b/NAME" of the same name twice: all that says the names where only modes or bytes changed. */
static void read_both_names(struct changed_file *file, const char *text, size_t length)
{
	while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		length--;
	if (length < 3 || length % 2 == 0)
		return;
	file->old_path = read_name(text, length / 2, 2);
	file->new_path = read_name(text + length / 2 + 1, length / 2, 2);
}

static void set_name(char **place, const struct reading *reading, const char *prefix, size_t skip)
{
	size_t length = strlen(prefix);

	perun_free(*place);
	*place = read_name(reading->line.data + length, reading->line.length - length, skip);
}

/* ---- changes --------------------------------------------------------------------------------- */

static struct perun_dissect_change *add_change(struct changes *changes,
					       enum perun_dissect_kind kind)
{
	size_t place = changes->count;

	PERUN_GROW(changes->items, changes->count, changes->capacity);
	PERUN_GROW(changes->file_of, changes->count, changes->place_capacity);
	changes->items[place] = (struct perun_dissect_change){
		.struct_size = sizeof(struct perun_dissect_change), .kind = kind, .share = NAN};
	changes->file_of[place] = changes->file_count - 1;
	changes->count++;
	return &changes->items[place];
}

/* "START,COUNT" or "START", of which there is one line then. */
static const char *read_range(const char *text, size_t *start, size_t *count)
{
	char *end;

	*start = strtoul(text, &end, 10);
	*count = 1;
	if (*end == ',')
		*count = strtoul(end + 1, &end, 10);
	return end;
}

/* The lines that begin with `sign`; "\ No newline at end of file" takes the end of the last one away. */
static char *read_side(struct reading *reading, char sign, size_t count, bool *complete)
{
	struct perun_buffer text = {0};

	*complete = true;
	for (; count; count--) {
		if (!reading->line.length || *reading->line.data != sign) {
			*complete = false;
			break;
		}
		perun_buffer_add(&text, reading->line.data + 1, reading->line.length - 1);
		advance(reading);
	}
	if (reading->line.length && *reading->line.data == '\\') {
		if (text.length && text.data[text.length - 1] == '\n')
			text.data[--text.length] = '\0';
		advance(reading);
	}
	return perun_buffer_take(&text);
}

/* "@@ -OLD +NEW @@ FUNCTION" and its lines. */
static int read_hunk(struct reading *reading, enum perun_dissect_kind kind)
{
	struct perun_dissect_change *change = add_change(reading->changes, kind);
	char *head = perun_strndup(reading->line.data, reading->line.length), *function;
	const char *at = read_range(head + 4, &change->old_start, &change->old_lines);
	bool removed, added;

	if (strncmp(at, " +", 2) == 0)
		at = read_range(at + 2, &change->new_start, &change->new_lines);
	function = strstr(at, " @@");
	at = function ? function + 3 + (function[3] == ' ') : "";
	change->function = perun_strndup(at, strcspn(at, "\r\n"));
	perun_free(head);
	advance(reading);
	change->removed = read_side(reading, '-', change->old_lines, &removed);
	change->added = read_side(reading, '+', change->new_lines, &added);
	return function && removed && added ? PERUN_OK : refuse(reading, "the lines of a hunk");
}

/* What the headers of a file say, beside its names. */
struct headers {
	bool added, removed, renamed, mode, binary;
};

static void read_header(struct reading *reading, struct headers *headers)
{
	struct changed_file *file = reading->file;

	if (begins(reading, "new file mode ")) {
		headers->added = true;
	} else if (begins(reading, "deleted file mode ")) {
		headers->removed = true;
	} else if (begins(reading, "new mode ")) {
		headers->mode = true;
	} else if (begins(reading, "rename from ")) {
		headers->renamed = true;
		set_name(&file->old_path, reading, "rename from ", 0);
	} else if (begins(reading, "rename to ")) {
		set_name(&file->new_path, reading, "rename to ", 0);
	} else if (begins(reading, "Binary files ") || begins(reading, "GIT binary patch")) {
		headers->binary = true;
	} else if (begins(reading, "--- ") && !begins(reading, "--- /dev/null")) {
		set_name(&file->old_path, reading, "--- ", 2);
	} else if (begins(reading, "+++ ") && !begins(reading, "+++ /dev/null")) {
		set_name(&file->new_path, reading, "+++ ", 2);
	}
	advance(reading);
}

static void add_plain(struct changes *changes, enum perun_dissect_kind kind)
{
	struct perun_dissect_change *change = add_change(changes, kind);

	change->function = perun_strdup("");
	change->removed = perun_strdup("");
	change->added = perun_strdup("");
}

static int read_hunks(struct reading *reading, enum perun_dissect_kind kind)
{
	struct changes *changes = reading->changes;
	size_t first = changes->count;
	int status = PERUN_OK;

	while (!status && begins(reading, "@@ -"))
		status = read_hunk(reading, kind);
	/* An empty file, or bytes. */
	if (!status && kind != PERUN_DISSECT_CHANGE_LINES && changes->count == first)
		add_plain(changes, kind);
	return status;
}

static int read_file(struct reading *reading)
{
	struct changes *changes = reading->changes;
	struct changed_file *file;
	struct headers headers = {0};
	int status;

	PERUN_GROW(changes->files, changes->file_count, changes->file_capacity);
	file = reading->file = &changes->files[changes->file_count++];
	*file = (struct changed_file){
		.first = changes->count, .rename = SIZE_MAX, .mode = SIZE_MAX};
	if (reading->line.length > NAMES)
		read_both_names(file, reading->line.data + NAMES, reading->line.length - NAMES);
	advance(reading);
	while (reading->line.length && !begins(reading, "@@ -") && !begins(reading, FILE_START))
		read_header(reading, &headers);
	if (!file->old_path || !file->new_path)
		return refuse(reading, "the names of a file");
	file->whole = headers.added || headers.removed || headers.binary;
	if (headers.renamed) {
		file->rename = changes->count;
		add_plain(changes, PERUN_DISSECT_CHANGE_RENAMED);
	}
	if (headers.mode) {
		file->mode = changes->count;
		add_plain(changes, PERUN_DISSECT_CHANGE_MODE);
	}
	status = read_hunks(reading, headers.added     ? PERUN_DISSECT_CHANGE_ADDED
				     : headers.removed ? PERUN_DISSECT_CHANGE_REMOVED
				     : headers.binary  ? PERUN_DISSECT_CHANGE_REPLACED
						       : PERUN_DISSECT_CHANGE_LINES);
	file->count = changes->count - file->first;
	for (size_t i = file->first; i < changes->count; i++) {
		changes->items[i].file = file->new_path;
		changes->items[i].old_file = file->old_path;
	}
	return status;
}

int changes_read(struct perun_ctx *ctx, const char *text, size_t length, struct changes *changes)
{
	struct reading reading = {
		.ctx = ctx, .next = text, .end = text + length, .changes = changes};
	int status = PERUN_OK;

	*changes = (struct changes){0};
	advance(&reading);
	while (!status && reading.line.length)
		status = begins(&reading, FILE_START)
				 ? read_file(&reading)
				 : refuse(&reading, "the first line of a file");
	return status;
}

void changes_free(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		perun_free((char *)changes->items[i].function);
		perun_free((char *)changes->items[i].removed);
		perun_free((char *)changes->items[i].added);
	}
	for (size_t i = 0; i < changes->file_count; i++) {
		perun_free(changes->files[i].old_path);
		perun_free(changes->files[i].new_path);
	}
	perun_free(changes->files);
	perun_free(changes->items);
	perun_free(changes->file_of);
	*changes = (struct changes){0};
}
