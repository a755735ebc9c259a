/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of imports in the words of the Python program. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>

#include "entries.h"

/* The texts between separators; each is the caller's, as the list. */
static char **split(const char *text, size_t length, char separator, size_t *count)
{
	char **parts = NULL;
	size_t capacity = 0, first = 0;

	*count = 0;
	for (size_t i = 0; i <= length; i++) {
		if (i < length && text[i] != separator)
			continue;
		PERUN_GROW(parts, *count, capacity);
		parts[(*count)++] = perun_strndup(text + first, i - first);
		first = i + 1;
	}
	return parts;
}

static void free_parts(char **parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perun_free(parts[i]);
	perun_free(parts);
}

/* A number where it is one, else the text. */
static struct perun_json *value_of(const char *text)
{
	struct perun_json *value = NULL;
	double number;

	if (perun_json_parse_double(text, strlen(text), &number) &&
	    perun_json_parse(NULL, text, strlen(text), NULL, &value) == PERUN_OK)
		return value;
	return perun_json_text(text);
}

/* What the header "NAME|COMPARISON|UNIT|AGGREGATION|DESCRIPTION" says of a value. */
static struct perun_json *stat_of(const char *header, const char *value)
{
	static const char *const names[] = {"name", "cmp", "unit", "aggregate_by", "description"};
	struct perun_json *stat = perun_json_object(), *values = perun_json_array();
	size_t count;
	char **parts = split(header, strlen(header), '|', &count);

	for (size_t i = 0; i < count && i < sizeof names / sizeof *names; i++)
		perun_json_set(stat, names[i], perun_json_text(parts[i]));
	perun_json_append(values, value_of(value));
	perun_json_set(stat, "value", values);
	free_parts(parts, count);
	return stat;
}

struct columns {
	char **headers;
	size_t count;
	const char *directory;
	bool apart;
};

static int add_entry(struct perun_ctx *ctx, const char *text, size_t length,
		     const struct columns *columns, struct import_entries *entries)
{
	struct import_entry entry = {0};
	const char *directory = columns->directory;
	size_t count;
	char **parts = split(text, length, ',', &count);
	int status = PERUN_OK;

	if (count > 2 + columns->count)
		status = perun_fail(ctx, PERUN_USAGE,
				    "%.*s: more values than headers: --stats-headers names them",
				    (int)length, text);
	entry.path = !directory || *parts[0] == '/' ? perun_strdup(parts[0])
						    : perun_format("%s/%s", directory, parts[0]);
	if (count > 1 && *parts[1]) {
		entry.exit_codes = perun_json_array();
		perun_json_append(entry.exit_codes, value_of(parts[1]));
	}
	for (size_t i = 2; !status && i < count; i++) {
		if (!entry.stats)
			entry.stats = perun_json_array();
		perun_json_append(entry.stats, stat_of(columns->headers[i - 2], parts[i]));
	}
	PERUN_GROW(entries->items, entries->count, entries->capacity);
	entries->items[entries->count++] = entry;
	free_parts(parts, count);
	return status;
}

/* A list: its first line names the columns. */
static int add_lines(struct perun_ctx *ctx, const char *path, const char *text, size_t size,
		     const struct columns *given, struct import_entries *entries)
{
	struct columns columns = {.directory = given->directory};
	size_t line = 0, count = 0;
	char **headers = NULL;
	int status = PERUN_OK;

	for (size_t at = 0; !status && at < size; line++) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t next = end ? (size_t)(end - text) + 1 : size;
		size_t length = end ? next - at - 1 : size - at;

		if (length && text[at + length - 1] == '\r')
			length--;
		if (line == 0) {
			headers = split(text + at, length, ',', &count);
			if (count < 2 || strcmp(headers[0], "Profile") != 0)
				status = perun_fail(
					ctx, PERUN_INPUT,
					"%s: expected Profile,Exit_code as the first line", path);
			columns.headers = headers + 2;
			columns.count = count > 2 ? count - 2 : 0;
		} else if (length) {
			status = add_entry(ctx, text + at, length, &columns, entries);
		}
		at = next;
	}
	free_parts(headers, count);
	return status;
}

static int add_list(struct perun_ctx *ctx, const char *path, const struct columns *given,
		    struct import_entries *entries)
{
	struct perun_input *input;
	const void *text;
	size_t size;
	int status = perun_input_open(ctx, path, &input);

	if (status)
		return status;
	status = perun_input_map(ctx, input, (uint64_t)1 << 30, &text, &size);
	if (!status)
		status = add_lines(ctx, path, text, size, given, entries);
	perun_input_close(input);
	return status;
}

static bool is_list(const char *word)
{
	size_t length = strlen(word);

	return length > 4 && strcmp(word + length - 4, ".csv") == 0;
}

static int add_word(struct perun_ctx *ctx, const char *word, const struct columns *columns,
		    struct import_entries *entries)
{
	const char *directory = columns->directory;
	bool below = directory && *word != '/' && strcmp(word, "-") != 0;
	char *path = below ? perun_format("%s/%s", directory, word) : perun_strdup(word);
	int status = PERUN_OK;

	if (columns->apart && is_list(word)) {
		status = add_list(ctx, path, columns, entries);
	} else if (!columns->apart || access(path, F_OK) == 0) {
		PERUN_GROW(entries->items, entries->count, entries->capacity);
		entries->items[entries->count++] = (struct import_entry){.path = path};
		return PERUN_OK;
	} else {
		status = add_entry(ctx, word, strlen(word), columns, entries);
	}
	perun_free(path);
	return status;
}

int import_entries_read(struct perun_ctx *ctx, const char *const *words, size_t count,
			const char *directory, const char *headers, bool apart,
			struct import_entries *entries)
{
	struct columns columns = {.directory = directory, .apart = apart};
	int status = PERUN_OK;

	if (headers)
		columns.headers = split(headers, strlen(headers), ',', &columns.count);
	for (size_t i = 0; !status && i < count; i++)
		status = add_word(ctx, words[i], &columns, entries);
	free_parts(columns.headers, columns.count);
	entries->paths = perun_alloc_zero(entries->count + 1, sizeof *entries->paths);
	entries->places = perun_json_object();
	for (size_t i = 0; i < entries->count; i++) {
		entries->paths[i] = entries->items[i].path;
		perun_json_set(entries->places, entries->paths[i], perun_json_uint64(i));
	}
	return status;
}

void import_entries_free(struct import_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		perun_free(entries->items[i].path);
		perun_json_free(entries->items[i].exit_codes);
		perun_json_free(entries->items[i].stats);
	}
	perun_free(entries->items);
	perun_free((void *)entries->paths);
	perun_json_free(entries->places);
}

const struct import_entry *import_entries_find(const struct import_entries *entries,
					       const char *path)
{
	uint64_t place;

	return perun_json_as_uint64(perun_json_get(entries->places, path), &place)
		       ? &entries->items[place]
		       : NULL;
}
