/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines "CHECKSUM KEY=VALUE ...;" in .perun/cache/labels. Objects never change, so lines stay true. They are appended
 * after an empty line; one that a kill cut off has no semicolon at its end, and does not count.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/lookup.h>
#include <perun/lib/path.h>

#include "core/profile/pool.h"
#include "core/store/labels.h"

#define NOTES       "cache/labels"
#define NOTES_LIMIT ((uint64_t)1 << 30)

struct perun_labels {
	struct perun_store *store;
	char **wanted; /* as the notes have them */
	size_t wanted_count;
	struct perun_label_notes *notes; /* NULL = nothing is wanted */
	struct perun_buffer found;       /* lines to be appended */
};

/* ---- texts ----------------------------------------------------------------------------------- */

static void add_encoded(struct perun_buffer *out, const char *text, size_t length)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-/:@+,";

	for (size_t i = 0; i < length; i++) {
		if (text[i] && strchr(plain, text[i]))
			perun_buffer_add_char(out, text[i]);
		else
			perun_buffer_printf(out, "%%%02x", (unsigned char)text[i]);
	}
}

static void add_label(struct perun_buffer *out, const char *key, size_t key_length,
		      const char *value, size_t length)
{
	perun_buffer_add_char(out, ' ');
	add_encoded(out, key, key_length);
	perun_buffer_add_char(out, '=');
	add_encoded(out, value, length);
}

char *perun_labels_text(const struct perun_json *header)
{
	const struct perun_json *labels = perun_json_get(header, "labels");
	struct perun_buffer text = {0};
	size_t key_length, length;
	const char *value;

	for (size_t i = 0; i < perun_json_count(labels); i++) {
		const char *key = perun_json_key_at(labels, i, &key_length);

		value = perun_json_as_string(perun_json_at(labels, i), &length);
		if (key && value)
			add_label(&text, key, key_length, value, length);
	}
	value = perun_json_as_string(perun_json_get(header, "label"), &length);
	if (value && !perun_json_get(labels, "label"))
		add_label(&text, "label", strlen("label"), value, length);
	return text.length ? perun_buffer_take(&text) : NULL;
}

void perun_labels_line(struct perun_buffer *lines, const char *checksum, const char *text)
{
	perun_buffer_add(lines, checksum, PERUN_SHA1_DIGITS);
	perun_buffer_add_text(lines, text ? text : "");
	perun_buffer_add_text(lines, ";\n");
}

void perun_labels_note(const struct perun_store *store, const struct perun_buffer *lines)
{
	int file = lines->length
			   ? perun_beneath_open_own(store->directory, NOTES, O_APPEND | O_CREAT)
			   : -1;

	if (file < 0)
		return;
	if (perun_write_all(file, "\n", 1) == 0)
		perun_write_all(file, lines->data, lines->length);
	close(file);
}

/* Labels as the notes have them. */
static bool has_all(const struct perun_labels *labels, const char *text)
{
	for (size_t i = 0; i < labels->wanted_count; i++) {
		const char *wanted = labels->wanted[i], *at = text;
		size_t length = strlen(wanted);

		while ((at = strstr(at, wanted)) && at[length] && at[length] != ' ')
			at += length;
		if (!at)
			return false;
	}
	return true;
}

/* ---- what was noted -------------------------------------------------------------------------- */

static bool is_line(const char *line, size_t length)
{
	return length > PERUN_SHA1_DIGITS && line[length - 1] == ';' &&
	       strspn(line, "0123456789abcdef") == PERUN_SHA1_DIGITS &&
	       (length == PERUN_SHA1_DIGITS + 1 || line[PERUN_SHA1_DIGITS] == ' ');
}

static int hexadecimal(char digit)
{
	return digit >= '0' && digit <= '9'   ? digit - '0'
	       : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
					      : -1;
}

/* " KEY=VALUE ..." of a note, as it was before add_encoded(): lines. */
static char *decoded(const char *text)
{
	struct perun_buffer out = {0};

	for (text += *text == ' '; *text; text++) {
		int high = *text == '%' ? hexadecimal(text[1]) : -1;
		int low = high >= 0 ? hexadecimal(text[2]) : -1;
		char byte = low >= 0 ? (char)(high * 16 + low) : *text == ' ' ? '\n' : *text;

		/* Each label stays a line. */
		perun_buffer_add_char(&out, low >= 0 && byte == '\n' ? ' ' : byte);
		text += low >= 0 ? 2 : 0;
	}
	return perun_buffer_take(&out);
}

/* All notes of profiles with labels; the last line of each counts. */
struct perun_label_notes {
	struct perun_buffer text;
	struct perun_pool *noted; /* checksums */
	const char **labels;      /* of each; in `text` */
	size_t count, capacity;
};

static void note_line(struct perun_label_notes *notes, const char *line)
{
	perun_id id = perun_pool_add(&notes->noted, line, PERUN_SHA1_DIGITS);

	if (id == PERUN_NO_ID)
		return;
	if (id == notes->count) {
		PERUN_GROW(notes->labels, notes->count, notes->capacity);
		notes->count++;
	}
	notes->labels[id] = line + PERUN_SHA1_DIGITS;
}

static int read_notes(struct perun_ctx *ctx, const struct perun_store *store,
		      struct perun_label_notes **result)
{
	struct perun_label_notes *notes = *result = perun_alloc_zero(1, sizeof *notes);
	char *line, *end, *newline;
	struct stat info;
	int status = perun_file_read(ctx, store, NOTES, NOTES_LIMIT, &notes->text, &info);

	notes->noted = perun_pool_new(false);
	line = notes->text.data;
	end = line ? line + notes->text.length : NULL;
	for (; line < end && (newline = memchr(line, '\n', (size_t)(end - line)));
	     line = newline + 1) {
		*newline = '\0';
		if (!is_line(line, (size_t)(newline - line)))
			continue;
		newline[-1] = '\0';
		note_line(notes, line);
	}
	return status;
}

void perun_label_notes_free(struct perun_label_notes *notes)
{
	if (!notes)
		return;
	perun_pool_unref(notes->noted);
	perun_buffer_free(&notes->text);
	perun_free(notes->labels);
	perun_free(notes);
}

void perun_labels_pending_key(const struct perun_entry *entry, char key[PERUN_CHECKSUM_SIZE])
{
	char *text = perun_format("%s %lu", entry->checksum, (unsigned long)entry->time);

	perun_sha_of(text, strlen(text), key);
	perun_free(text);
}

static const char *find_note(const struct perun_label_notes *notes, const char *key)
{
	perun_id id = perun_pool_find(notes->noted, key, PERUN_SHA1_DIGITS);

	return id == PERUN_NO_ID ? NULL : notes->labels[id];
}

/* A pending profile that nothing was noted of is read, once. */
static char *read_pending(const struct perun_store *store, const struct perun_entry *entry,
			  const char *key, struct perun_buffer *found)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *path = perun_format("%s/jobs/%s", store->path, entry->path), *labels = NULL;
	struct perun_profile *profile;

	if (perun_read_profile_file(quiet, path, &profile) == PERUN_OK) {
		labels = perun_labels_text(
			perun_json_get(perun_profile_document(profile), "header"));
		perun_labels_line(found, key, labels);
		perun_profile_unref(profile);
	}
	perun_free(path);
	perun_ctx_free(quiet);
	return labels;
}

void perun_lookup_labels(struct perun_ctx *ctx, struct perun_store *store,
			 struct perun_entries *entries)
{
	const struct perun_entries_memory *memory = entries->memory;
	struct perun_buffer found = {0};

	/* What cannot be read has no notes. */
	if (entries->count && !store->label_notes && read_notes(ctx, store, &store->label_notes))
		perun_ctx_clear(ctx);
	for (size_t i = 0; i < entries->count; i++) {
		struct perun_entry *entry = &entries->items[i];
		char key[PERUN_CHECKSUM_SIZE], *read = NULL, *labels;
		const char *noted;

		if (memory->pending)
			perun_labels_pending_key(entry, key);
		noted = find_note(store->label_notes, memory->pending ? key : entry->checksum);
		if (!noted && memory->pending)
			noted = read = read_pending(store, entry, key, &found);
		labels = decoded(noted ? noted : "");
		entry->labels = perun_entries_text(entries, labels, strlen(labels));
		perun_free(labels);
		perun_free(read);
	}
	perun_labels_note(store, &found);
	perun_buffer_free(&found);
}

/* ---- what is wanted -------------------------------------------------------------------------- */

static int take_wanted(struct perun_ctx *ctx, struct perun_labels *labels, const char *text)
{
	const char *equals = strchr(text, '=');
	struct perun_buffer label = {0};

	if (!equals || equals == text)
		return perun_fail(ctx, PERUN_USAGE, "label %s: expected KEY=VALUE",
				  *text ? text : "''");
	add_label(&label, text, (size_t)(equals - text), equals + 1, strlen(equals + 1));
	labels->wanted[labels->wanted_count++] = perun_buffer_take(&label);
	return PERUN_OK;
}

int perun_labels_open(struct perun_ctx *ctx, struct perun_store *store, const char *const *wanted,
		      size_t count, struct perun_labels **result)
{
	struct perun_labels *labels = *result = perun_alloc_zero(1, sizeof *labels);
	int status = PERUN_OK;

	labels->store = store;
	labels->wanted = perun_alloc_zero(count + 1, sizeof *labels->wanted);
	for (size_t i = 0; i < count && !status; i++)
		status = take_wanted(ctx, labels, wanted[i]);
	if (!status && count)
		status = read_notes(ctx, store, &labels->notes);
	return status;
}

static int read_labels(struct perun_ctx *ctx, const struct perun_labels *labels,
		       const char *checksum, struct perun_facts *facts)
{
	struct perun_object object;
	int status = perun_object_read(ctx, labels->store, checksum, true, &object);

	if (status)
		return status;
	status = perun_facts_read(ctx, object.body, (size_t)object.length, facts);
	perun_object_free(&object);
	return status;
}

int perun_labels_match(struct perun_ctx *ctx, struct perun_labels *labels, const char *checksum,
		       bool *matches)
{
	struct perun_facts facts;
	const char *noted;
	int status;

	*matches = true;
	if (!labels->wanted_count)
		return PERUN_OK;
	noted = find_note(labels->notes, checksum);
	if (noted) {
		*matches = has_all(labels, noted);
		return PERUN_OK;
	}
	status = read_labels(ctx, labels, checksum, &facts);
	if (status)
		return status;
	*matches = has_all(labels, facts.labels ? facts.labels : "");
	perun_labels_line(&labels->found, checksum, facts.labels);
	perun_facts_free(&facts);
	return PERUN_OK;
}

void perun_labels_close(struct perun_labels *labels)
{
	if (!labels)
		return;
	perun_labels_note(labels->store, &labels->found);
	for (size_t i = 0; i < labels->wanted_count; i++)
		perun_free(labels->wanted[i]);
	perun_free(labels->wanted);
	perun_label_notes_free(labels->notes);
	perun_buffer_free(&labels->found);
	perun_free(labels);
}
