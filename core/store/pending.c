/* SPDX-License-Identifier: BSD-3-Clause */
/* Pending profiles: the files of jobs/ and the index that remembers what they are. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/path.h>

#include "core/store/labels.h"
#include "core/store/store.h"

#define JOBS "jobs"

/* Names that the Python program takes for pending profiles. */
static bool is_pending_name(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, "perf") == 0 && !perun_is_temporary(name);
}

static int compare_paths(const void *one, const void *other)
{
	return strcmp(((const struct perun_entry *)one)->path,
		      ((const struct perun_entry *)other)->path);
}

/*
 * What jobs/.index says, sorted by path. It only spares reading the files themselves: where it cannot
 * be trusted it is left out.
 */
static int read_known(struct perun_ctx *ctx, struct perun_store *store, struct perun_entries *known)
{
	struct perun_index_file file;
	int status = perun_index_file_read(ctx, store, PERUN_JOBS_INDEX, &file);

	perun_entries_start(known);
	if (status)
		return status;
	if (file.state == PERUN_INDEX_DAMAGED)
		perun_warn(ctx,
			   "%s/" PERUN_JOBS_INDEX " is damaged; the pending profiles were read "
			   "instead",
			   store->path);
	if (file.state == PERUN_INDEX_GOOD || file.state == PERUN_INDEX_UNKNOWN) {
		struct perun_ctx *quiet = perun_ctx_new(NULL);
		enum perun_index_layout layout;
		struct perun_entries read;

		if (perun_index_decode(quiet, PERUN_JOBS_INDEX,
				       file.bytes.data ? file.bytes.data : "", file.bytes.length,
				       &read, &layout)) {
			perun_warn(ctx, "%s; the pending profiles were read instead",
				   perun_ctx_error(quiet));
		} else if (layout != PERUN_INDEX_V1) {
			perun_entries_free(known);
			*known = read;
			if (known->count)
				qsort(known->items, known->count, sizeof *known->items,
				      compare_paths);
		} else {
			perun_entries_free(&read);
		}
		perun_ctx_free(quiet);
	}
	perun_index_file_free(&file);
	return PERUN_OK;
}

static const struct perun_entry *find_known(const struct perun_entries *known, const char *path,
					    uint32_t time)
{
	struct perun_entry wanted = {.path = path};
	const struct perun_entry *found = NULL;

	if (known->count)
		found = bsearch(&wanted, known->items, known->count, sizeof *known->items,
				compare_paths);
	return found && found->time == time ? found : NULL;
}

static void copy_entry(struct perun_entries *entries, const struct perun_entry *entry)
{
	struct perun_entry copy = *entry;
	const char **texts[] = {&copy.path,     &copy.type,      &copy.cmd,           &copy.args,
				&copy.workload, &copy.collector, &copy.postprocessors};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = perun_entries_text(entries, *texts[i], strlen(*texts[i]));
	perun_entries_append(entries, &copy);
}

/* The checksum of a pending profile is that of its path. */
static void path_checksum(const struct perun_store *store, const char *name,
			  char checksum[PERUN_CHECKSUM_SIZE])
{
	char *path = perun_format("%s/" JOBS "/%s", store->path, name);

	perun_sha_of(path, strlen(path), checksum);
	perun_free(path);
}

static void add_profile(struct perun_store *store, struct perun_entries *entries, const char *name,
			uint32_t time, const struct perun_profile *profile)
{
	struct perun_entry entry = {.time = time};
	struct perun_facts facts;

	perun_facts_of_document(perun_profile_document(profile), &facts);
	perun_facts_to_entry(&facts, entries, &entry);
	perun_facts_free(&facts);
	path_checksum(store, name, entry.checksum);
	entry.path = perun_entries_text(entries, name, strlen(name));
	perun_entries_append(entries, &entry);
}

/* A file that the index does not know, or that changed since. */
static void add_file(struct perun_ctx *ctx, struct perun_store *store,
		     struct perun_entries *entries, const char *name, uint32_t time)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_profile *profile;

	if (perun_store_load_pending(quiet, store, name, &profile)) {
		perun_warn(ctx, "pending profile left out: %s", perun_ctx_error(quiet));
	} else {
		add_profile(store, entries, name, time, profile);
		perun_profile_unref(profile);
	}
	perun_ctx_free(quiet);
}

int perun_store_pending(struct perun_ctx *ctx, struct perun_store *store,
			struct perun_entries *entries)
{
	struct perun_entries known;
	char **names = NULL;
	size_t count = 0;
	int status = read_known(ctx, store, &known);

	perun_entries_start(entries);
	((struct perun_entries_memory *)entries->memory)->pending = true;
	if (!status)
		status = perun_list_directory(ctx, store, JOBS, &names, &count);
	for (size_t i = 0; i < count && !status; i++) {
		char *path = perun_format(JOBS "/%s", names[i]);
		const struct perun_entry *entry;
		struct stat info;

		if (is_pending_name(names[i]) &&
		    perun_beneath_stat(store->directory, path, &info) == 0 &&
		    S_ISREG(info.st_mode)) {
			uint32_t time = perun_entry_time(&info.st_mtim, NULL);

			entry = find_known(&known, names[i], time);
			if (entry)
				copy_entry(entries, entry);
			else
				add_file(ctx, store, entries, names[i], time);
		}
		perun_free(path);
	}
	perun_free(names);
	perun_entries_free(&known);
	if (status)
		perun_entries_free(entries);
	return status;
}

static int check_pending_path(struct perun_ctx *ctx, const char *path)
{
	if (path[0] != '\0' && path[0] != '.' && !strchr(path, '/'))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE, "'%s' is not the name of a pending profile", path);
}

int perun_store_load_pending(struct perun_ctx *ctx, struct perun_store *store, const char *path,
			     struct perun_profile **profile)
{
	int status = check_pending_path(ctx, path);
	char *file;

	*profile = NULL;
	if (status)
		return status;
	file = perun_format("%s/" JOBS "/%s", store->path, path);
	status = perun_read_profile_file(ctx, file, profile);
	if (!status)
		perun_store_apply_directions(ctx, store, *profile);
	perun_free(file);
	return status;
}

/* ---- changing -------------------------------------------------------------------------------- */

/* Write jobs/.index again with all pending profiles, and `name` among them if there is a profile. */
static int write_index(struct perun_ctx *ctx, struct perun_store *store,
		       struct perun_transaction *transaction, const char *name,
		       const struct stat *info, const struct perun_profile *profile)
{
	struct perun_index_file file;
	struct perun_entries entries;
	int status = perun_store_pending(ctx, store, &entries);

	if (status)
		return status;
	if (profile) {
		bool there;
		size_t place;
		struct perun_entry entry;

		add_profile(store, &entries, name, perun_entry_time(&info->st_mtim, NULL), profile);
		entry = entries.items[--entries.count];
		place = perun_entries_place(&entries, &entry, &there);
		memmove(entries.items + place + 1, entries.items + place,
			(entries.count - place) * sizeof entry);
		entries.items[place] = entry;
		entries.count++;
	}
	status = perun_index_file_read(ctx, store, PERUN_JOBS_INDEX, &file);
	if (!status) {
		status = perun_index_write(ctx, transaction, PERUN_JOBS_INDEX, &entries, &file);
		perun_index_file_free(&file);
	}
	perun_entries_free(&entries);
	return status;
}

/* A name below jobs/ that is free: "x.perf", "x-1.perf", "x-2.perf" ... */
static char *free_name(struct perun_store *store, const struct perun_profile *profile,
		       const char *name_template)
{
	char *name = NULL;

	for (unsigned counter = 0;; counter++) {
		char *base = perun_expand_template(profile, name_template, counter);
		int stem = (int)strlen(base) - 5; /* without ".perf" */
		char *path;
		bool taken;

		name = counter && !strstr(name_template, "%counter%")
			       ? perun_format("%.*s-%u.perf", stem, base, counter)
			       : perun_strdup(base);
		path = perun_format(JOBS "/%s", name);
		taken = faccessat(store->directory, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
		perun_free(path);
		perun_free(base);
		if (!taken)
			return name;
		perun_free(name);
	}
}

/* Who gets the name and the text of a new file before it is there. */
struct note {
	perun_pending_note *call;
	void *data;
};

/* So that lists of pending profiles need not read them. */
static void note_labels(const struct perun_store *store, const char *name, const struct stat *info,
			const struct perun_profile *profile)
{
	char *labels = perun_labels_text(perun_json_get(perun_profile_document(profile), "header"));
	struct perun_entry entry = {.time = perun_entry_time(&info->st_mtim, NULL)};
	char key[PERUN_CHECKSUM_SIZE];
	struct perun_buffer line = {0};

	path_checksum(store, name, entry.checksum);
	perun_labels_pending_key(&entry, key);
	perun_labels_line(&line, key, labels);
	perun_labels_note(store, &line);
	perun_buffer_free(&line);
	perun_free(labels);
}

static int write_pending(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_profile *profile, const struct perun_piece *text,
			 const char *name_template, const struct note *note,
			 struct perun_saved *saved)
{
	struct perun_transaction *transaction;
	int status = perun_transaction_begin(ctx, store, "collect", &transaction);
	struct stat info;
	char *name, *file;

	if (status)
		return status;
	name = free_name(store, profile, name_template);
	file = perun_format(JOBS "/%s", name);
	status = perun_transaction_write_new(ctx, transaction, file, text, 1, &info);
	if (!status)
		status = write_index(ctx, store, transaction, name, &info, profile);
	if (!status && note->call)
		status = note->call(note->data, ctx, name, text->data, text->size);
	if (!status)
		status = perun_transaction_commit(ctx, transaction);
	if (!status) {
		saved->path = perun_format("%s/%s", store->path, file);
		note_labels(store, name, &info, profile);
	}
	/* While the store is locked: nobody can have changed it. A file without a state is read when it is added. */
	if (!status && perun_beneath_stat(store->directory, file, &saved->info) != 0)
		saved->info.st_nlink = 0;
	perun_transaction_end(transaction);
	perun_free(file);
	perun_free(name);
	return status;
}

int perun_pending_template(struct perun_ctx *ctx, struct perun_store *store, char **name_template)
{
	int status = perun_config_get(ctx, store, PERUN_CONFIG_NEAREST,
				      "format.output_profile_template", name_template);

	if (status || (*name_template && **name_template))
		return status;
	perun_free(*name_template);
	*name_template = perun_strdup("%collector%-%cmd%-%workload%-%date%");
	return PERUN_OK;
}

int perun_store_save_pending(struct perun_ctx *ctx, struct perun_store *store,
			     const struct perun_profile *profile, const char *name_template,
			     char **path)
{
	struct perun_saved saved;
	int status = perun_store_save(ctx, store, profile, name_template, NULL, NULL, &saved);

	*path = saved.path;
	return status;
}

int perun_store_save(struct perun_ctx *ctx, struct perun_store *store,
		     const struct perun_profile *profile, const char *name_template,
		     perun_pending_note *note, void *data, struct perun_saved *saved)
{
	struct note caller = {note, data};
	struct perun_buffer text = {0};
	struct perun_output *output;
	char *configured = NULL;
	int status = PERUN_OK;

	memset(saved, 0, sizeof *saved);
	if (!name_template || !*name_template) {
		status = perun_pending_template(ctx, store, &configured);
		name_template = configured;
	}
	if (!status) {
		output = perun_output_to_buffer(&text);
		status = perun_write_profile(ctx, profile, "perun", NULL, output);
		if (!status)
			status = perun_output_commit(ctx, output);
		perun_output_close(output);
	}
	if (!status) {
		struct perun_piece piece = {text.data, text.length, -1};

		status = write_pending(ctx, store, profile, &piece, name_template, &caller, saved);
	}
	perun_buffer_free(&text);
	perun_free(configured);
	return status;
}

int perun_store_remove_pending(struct perun_ctx *ctx, struct perun_store *store,
			       const struct perun_entry *const *entries, size_t count)
{
	struct perun_transaction *transaction;
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = check_pending_path(ctx, entries[i]->path);
	if (!status)
		status = perun_transaction_begin(ctx, store, "rm", &transaction);
	if (status)
		return status;
	for (size_t i = 0; i < count && !status; i++) {
		char *path = perun_format(JOBS "/%s", entries[i]->path);

		if (perun_beneath_unlink(store->directory, path, 0) != 0)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot remove %s/%s",
						  store->path, path);
		perun_free(path);
	}
	if (!status && (write_index(ctx, store, transaction, NULL, NULL, NULL) ||
			perun_transaction_commit(ctx, transaction))) {
		/* On a full disk, say: the files are gone, and every reader leaves them out. */
		perun_warn(ctx, "removed, but %s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
	}
	perun_transaction_end(transaction);
	return status;
}
