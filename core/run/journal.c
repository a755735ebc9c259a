/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals of runs: which measurements were finished, so that an interrupted run can be resumed. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/advice.h>
#include <perun/lib/hash.h>
#include <perun/lib/path.h>

#include "core/path/write.h"
#include "core/run/journal.h"
#include "core/store/store.h"

/*
 * A file of lines of JSON. The first has the plan; "saving" is written and flushed before a profile is
 * put in its place, "saved" after it. A line that a kill cut short is dropped.
 */
#define MAX_KEPT  16          /* journals of other plans */
#define MAX_BYTES (64U << 20) /* of a journal that is read */

struct record {
	char *minor, *key, *name;
	uint64_t hash; /* of the profile's text */
	bool saved;
};

struct perun_journal {
	struct perun_store *store;
	char *path;
	int file; /* locked */
	struct record *items;
	size_t count, capacity;
	size_t before; /* of them from earlier sessions */
	bool resumed;
};

static uint64_t hash_bytes(const char *text, size_t length)
{
	return perun_fnv1a(text, length, PERUN_FNV1A);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Everything, or nothing when it cannot be read. */
static bool read_all(int file, struct perun_buffer *text)
{
	struct stat info;
	ssize_t count = 1;

	if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MAX_BYTES)
		return false;
	while (count > 0) {
		char *room = perun_buffer_reserve(text, 65536);

		count = pread(file, room, 65536, (off_t)text->length);
		if (count < 0 && errno == EINTR)
			count = 1;
		else if (count > 0)
			text->length += (size_t)count;
	}
	return count == 0;
}

static int append(struct perun_journal *journal, struct perun_ctx *ctx, struct perun_json *line)
{
	struct perun_buffer text = {0};
	int error;

	perun_json_print(line, &text, PERUN_JSON_PYTHON, 0);
	perun_buffer_add_char(&text, '\n');
	error = perun_write_all(journal->file, text.data, text.length);
	if (!error && fdatasync(journal->file) != 0)
		error = errno;
	perun_buffer_free(&text);
	perun_json_free(line);
	if (error)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s", journal->path);
	return PERUN_OK;
}

/* Whether jobs/ has the file that a record names. */
static bool is_there(const struct perun_journal *journal, const struct record *record)
{
	char *path = perun_format("%s/jobs/%s", perun_store_path(journal->store), record->name);
	int file = perun_path_open(path, O_RDONLY | O_NONBLOCK, 0);
	struct perun_buffer text = {0};
	bool same = file >= 0 && read_all(file, &text) &&
		    hash_bytes(text.data ? text.data : "", text.length) == record->hash;

	if (file >= 0)
		close(file);
	perun_buffer_free(&text);
	perun_free(path);
	return same;
}

/* Whether it was registered since: by its name in the index of its version. */
static bool is_registered(const struct perun_journal *journal, const struct record *record)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_store *store = journal->store;
	struct perun_entries entries = {0};
	bool found = false;

	if (perun_store_has_index(quiet, store, record->minor) &&
	    perun_store_entries(quiet, store, record->minor, &entries) == PERUN_OK) {
		for (size_t i = 0; i < entries.count; i++)
			found |= strcmp(entries.items[i].path, record->name) == 0;
		perun_entries_free(&entries);
	}
	perun_ctx_free(quiet);
	return found;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void add_record(struct perun_journal *journal, const char *minor, const char *key,
		       const char *name, uint64_t hash)
{
	PERUN_GROW(journal->items, journal->count, journal->capacity);
	journal->items[journal->count++] = (struct record){perun_strdup(minor), perun_strdup(key),
							   perun_strdup(name), hash, false};
}

static const char *text_of(const struct perun_json *line, const char *key)
{
	return perun_json_as_string(perun_json_get(line, key), NULL);
}

static void read_record(struct perun_journal *journal, const struct perun_json *line)
{
	const char *minor = text_of(line, "version"), *key = text_of(line, "saving");
	const char *name = text_of(line, "name"), *hash = text_of(line, "hash");

	if (perun_json_get(line, "saved") && journal->count)
		journal->items[journal->count - 1].saved = true;
	else if (minor && key && name && hash && perun_is_checksum(minor) && !strchr(name, '/'))
		add_record(journal, minor, key, name, strtoull(hash, NULL, 16));
}

/* Whether the file is the journal of the plan; what it has is noted, `*end` is after its last line. */
static bool read_journal(struct perun_journal *journal, const char *plan, size_t *end)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_buffer text = {0};
	bool ours = false;

	*end = 0;
	if (read_all(journal->file, &text)) {
		for (size_t at = 0; at < text.length;) {
			char *stop = memchr(text.data + at, '\n', text.length - at);
			size_t length = stop ? (size_t)(stop - text.data) - at : 0;
			struct perun_json *line = NULL;

			if (!stop || perun_json_parse(quiet, text.data + at, length, NULL, &line))
				break;
			if (at == 0)
				ours = text_of(line, "plan") &&
				       !strcmp(text_of(line, "plan"), plan);
			else
				read_record(journal, line);
			perun_json_free(line);
			if (!ours)
				break;
			at += length + 1;
			*end = at;
		}
	}
	perun_buffer_free(&text);
	perun_ctx_free(quiet);
	return ours;
}

static void drop_records(struct perun_journal *journal, size_t from)
{
	for (size_t i = from; i < journal->count; i++) {
		perun_free(journal->items[i].minor);
		perun_free(journal->items[i].key);
		perun_free(journal->items[i].name);
	}
	journal->count = from;
}

/* Of the records, those whose profile came to its place. */
static void settle(struct perun_journal *journal)
{
	size_t kept = 0;

	for (size_t i = 0; i < journal->count; i++) {
		struct record *record = &journal->items[i];

		if (record->saved || is_there(journal, record) || is_registered(journal, record)) {
			struct record swap = journal->items[kept];

			journal->items[kept++] = *record;
			*record = swap;
		}
	}
	drop_records(journal, kept);
	journal->before = kept;
}

/* All parts of a journal, its path given. */
static void remove_parts(const char *journal)
{
	char *folder = perun_format("%s.parts", journal);

	perun_path_remove_tree(folder);
	perun_free(folder);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* 16 digits; their parts have an ending. */
static bool is_journal(const char *name)
{
	return strlen(name) == 16 && name[strspn(name, "0123456789abcdef")] == '\0';
}

struct found {
	char *path;
	time_t time;
};

static int oldest_first(const void *one, const void *other)
{
	const struct found *a = one, *b = other;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* Unless its run still goes on. */
static void remove_stale(const char *path)
{
	int lock = perun_path_open_locked(path, 0, LOCK_EX);

	if (lock < 0)
		return;
	remove_parts(path);
	perun_path_unlink(path);
	close(lock);
}

/* Remove the oldest of too many. */
static void tidy(const char *folder)
{
	int fd = perun_path_open(folder, O_RDONLY | O_DIRECTORY, 0);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct found *items = NULL;
	size_t count = 0, capacity = 0;
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *path = perun_format("%s/%s", folder, entry->d_name);
		struct stat info;

		if (is_journal(entry->d_name) && perun_path_stat(path, &info) == 0) {
			PERUN_GROW(items, count, capacity);
			items[count++] = (struct found){path, info.st_mtime};
		} else {
			perun_free(path);
		}
	}
	if (count)
		qsort(items, count, sizeof *items, oldest_first);
	for (size_t i = 0; i < count; i++) {
		if (i + MAX_KEPT < count)
			remove_stale(items[i].path);
		perun_free(items[i].path);
	}
	perun_free(items);
	if (stream)
		closedir(stream);
}

static int begin(struct perun_ctx *ctx, struct perun_journal *journal, const char *plan, size_t end)
{
	struct perun_json *line;
	bool failed;

	/* What was cut short must not run together with what follows. */
	while ((failed = ftruncate(journal->file, (off_t)end) != 0) && errno == EINTR)
		;
	if (failed)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", journal->path);
	if (end > 0)
		return PERUN_OK;
	line = perun_json_object();
	perun_json_set(line, "plan", perun_json_text(plan));
	return append(journal, ctx, line);
}

int perun_journal_open(struct perun_ctx *ctx, struct perun_store *store, const char *plan,
		       bool resume, struct perun_journal **journal)
{
	struct perun_journal *new = perun_alloc_zero(1, sizeof *new);
	char *folder = perun_format("%s/tmp/runs", perun_store_path(store));
	size_t end = 0;
	bool busy = false;
	int status = path_make_directories(ctx, folder);

	*journal = NULL;
	new->store = store;
	new->path = perun_format("%s/%016" PRIx64, folder, hash_bytes(plan, strlen(plan)));
	new->file = -1;
	if (!status) {
		tidy(folder);
		new->file = perun_path_open_locked(new->path, O_CREAT | O_APPEND, LOCK_EX);
		busy = new->file < 0 && errno == EWOULDBLOCK;
		if (new->file < 0 && !busy)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s",
						  new->path);
	}
	perun_free(folder);
	if (busy) {
		perun_note(ctx, "another process runs the same; this run cannot be resumed");
		perun_journal_close(new, false);
		return PERUN_OK;
	}
	if (!status && read_journal(new, plan, &end)) {
		settle(new);
		if (!resume && new->count)
			perun_note(ctx,
				   "a run of the same was interrupted after %zu measurement%s%s",
				   new->count, new->count == 1 ? "" : "s",
				   perun_advice(PERUN_ADVICE_RESUMABLE));
		new->resumed = resume;
	}
	if (!new->resumed) {
		if (!status)
			remove_parts(new->path);
		drop_records(new, 0);
		new->before = end = 0;
	}
	if (!status)
		status = begin(ctx, new, plan, end);
	if (status)
		perun_journal_close(new, false);
	else
		*journal = new;
	return status;
}

/* ---- using ----------------------------------------------------------------------------------- */

size_t perun_journal_finished(const struct perun_journal *journal)
{
	return journal->count;
}

bool perun_journal_resumed(const struct perun_journal *journal)
{
	return journal->resumed;
}

bool perun_journal_has(const struct perun_journal *journal, const char *minor, const char *key)
{
	for (size_t i = 0; i < journal->count; i++) {
		if (strcmp(journal->items[i].minor, minor) == 0 &&
		    strcmp(journal->items[i].key, key) == 0)
			return true;
	}
	return false;
}

int perun_journal_saving(struct perun_journal *journal, struct perun_ctx *ctx, const char *minor,
			 const char *key, const char *name, const char *text, size_t length)
{
	uint64_t hash = hash_bytes(text, length);
	char digits[17];
	struct perun_json *line = perun_json_object();

	snprintf(digits, sizeof digits, "%016" PRIx64, hash);
	perun_json_set(line, "saving", perun_json_text(key));
	perun_json_set(line, "version", perun_json_text(minor));
	perun_json_set(line, "name", perun_json_text(name));
	perun_json_set(line, "hash", perun_json_text(digits));
	add_record(journal, minor, key, name, hash);
	return append(journal, ctx, line);
}

void perun_journal_saved(struct perun_journal *journal)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *line = perun_json_object();

	perun_json_set(line, "saved", perun_json_bool(true));
	journal->items[journal->count - 1].saved = true;
	/* Without it the file itself decides. */
	append(journal, quiet, line);
	perun_ctx_free(quiet);
}

char **perun_journal_pending(const struct perun_journal *journal, const char *minor)
{
	char **paths = perun_alloc_zero(journal->before + 1, sizeof *paths);
	size_t count = 0;

	for (size_t i = 0; i < journal->before; i++) {
		const struct record *record = &journal->items[i];

		if (strcmp(record->minor, minor) == 0 && is_there(journal, record))
			paths[count++] = perun_format(
				"%s/jobs/%s", perun_store_path(journal->store), record->name);
	}
	return paths;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static char *part_path(const struct perun_journal *journal, const char *minor, const char *key,
		       size_t part)
{
	return perun_format("%s.parts/%s-%016" PRIx64 "-%zu.perf", journal->path, minor,
			    hash_bytes(key, strlen(key)), part);
}

struct perun_profile *perun_journal_part(const struct perun_journal *journal, const char *minor,
					 const char *key, size_t part)
{
	char *path = part_path(journal, minor, key, part);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;
	struct stat info;

	if (!journal->resumed || perun_path_stat(path, &info) != 0 ||
	    perun_read_profile_file(quiet, path, &profile))
		profile = NULL;
	perun_ctx_free(quiet);
	perun_free(path);
	return profile;
}

void perun_journal_keep_part(const struct perun_journal *journal, const char *minor,
			     const char *key, size_t part, const struct perun_profile *profile)
{
	char *path = part_path(journal, minor, key, part);
	char *folder = perun_format("%s.parts", journal->path);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_output *output = NULL;

	perun_path_ensure_directory(folder, 0777);
	if (perun_output_open(quiet, path, &output) == PERUN_OK) {
		if (perun_write_profile(quiet, profile, "perun", NULL, output) == PERUN_OK)
			perun_output_commit(quiet, output);
		perun_output_close(output);
	}
	perun_ctx_free(quiet);
	perun_free(folder);
	perun_free(path);
}

void perun_journal_drop_parts(const struct perun_journal *journal, const char *minor,
			      const char *key, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *path = part_path(journal, minor, key, i);

		perun_path_unlink(path);
		perun_free(path);
	}
}

void perun_journal_close(struct perun_journal *journal, bool complete)
{
	if (!journal)
		return;
	if (complete && journal->file >= 0) {
		remove_parts(journal->path);
		perun_path_unlink(journal->path);
	}
	if (journal->file >= 0)
		close(journal->file);
	drop_records(journal, 0);
	perun_free(journal->items);
	perun_free(journal->path);
	perun_free(journal);
}
