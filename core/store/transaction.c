/* SPDX-License-Identifier: BSD-3-Clause */
/* Changing several files durably: temporary files, one flush, renames, one flush. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/store/fanout.h"

#define TEMPORARY_PREFIX ".new-"
#define TEMPORARY_SIZE   96
/* Up to this many files are flushed one by one, so that a small change does not wait for all the
 * unwritten data of other programs on the same file system. */
#define FLUSH_SINGLY 16

/* This many are renamed by one thread at a time. */
#define RENAME_PART 500

struct staged {
	char *path;
	unsigned number; /* of the temporary file */
	enum perun_stage stage;
	bool renamed, is_new;
	bool is_fresh; /* nothing names it before the end */
	bool in_fan;   /* written into a new directory of objects */
};

struct perun_transaction {
	struct perun_store *store;
	int lock;
	char prefix[32]; /* of the names of its temporary files */
	atomic_uint next;
	struct perun_fans *fans;
	pthread_mutex_t mutex; /* of the list */
	struct staged *staged;
	size_t count, capacity;
	atomic_bool made_directory;
	bool flushed;    /* everything at once: also the directories of fresh files */
	bool last_stage; /* was begun: what is in its place stays */
	bool failed;     /* to be committed: what is in its place may not be flushed */
};

bool perun_is_temporary(const char *name)
{
	return strncmp(name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) == 0;
}

/* The directory part of `path` with its slash, and its length. */
static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Beside `path`; snprintf() takes as long as the lookup of the name. */
static void temporary_path(const struct perun_transaction *transaction, const char *path,
			   unsigned number, char out[TEMPORARY_SIZE])
{
	size_t directory = directory_length(path), prefix = strlen(transaction->prefix), length = 0;
	char digits[10];

	do
		digits[length++] = (char)('0' + number % 10);
	while ((number /= 10));
	if (directory + prefix + length >= TEMPORARY_SIZE)
		directory = 0; /* no path of the store is so long */
	memcpy(out, path, directory);
	memcpy(out + directory, transaction->prefix, prefix);
	out += directory + prefix;
	while (length > 0)
		*out++ = digits[--length];
	*out = '\0';
}

/* ---- leftovers ------------------------------------------------------------------------------- */

/* Temporary files of a directory, or all of a temporary one. */
static void remove_leftovers_in(struct perun_store *store, const char *path, bool all,
				size_t *removed)
{
	char **names;
	size_t count;

	if (perun_list_directory(NULL, store, path, &names, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		char *name;

		if (!all && !perun_is_temporary(names[i]))
			continue;
		name = perun_format("%s/%s", path, names[i]);
		if (perun_beneath_unlink(store->directory, name, 0) == 0)
			++*removed;
		perun_free(name);
	}
	perun_free(names);
}

void perun_remove_leftovers(struct perun_store *store, size_t *removed)
{
	char **names;
	size_t count;

	*removed = 0;
	remove_leftovers_in(store, ".", false, removed);
	remove_leftovers_in(store, "jobs", false, removed);
	if (perun_list_directory(NULL, store, "objects", &names, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		bool temporary = perun_is_temporary(names[i]);
		char path[300];

		snprintf(path, sizeof path, "objects/%s", names[i]);
		remove_leftovers_in(store, path, temporary, removed);
		if (temporary)
			perun_beneath_unlink(store->directory, path, AT_REMOVEDIR);
	}
	perun_free(names);
}

/* ---- beginning and writing ------------------------------------------------------------------- */

/*
 * After a command that was killed or failed: what it left under temporary names goes, and what it put in its place
 * is flushed, since the next one takes what it finds, such as an object that is there already, for safe.
 */
static int settle(struct perun_ctx *ctx, struct perun_store *store)
{
	size_t removed;

	perun_remove_leftovers(store, &removed);
	if (syncfs(store->directory) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot flush %s", store->path);
	return PERUN_OK;
}

int perun_transaction_begin(struct perun_ctx *ctx, struct perun_store *store, const char *command,
			    struct perun_transaction **result)
{
	struct perun_transaction *transaction;
	char digits[PERUN_RANDOM_SIZE];
	bool died;
	int lock, status;

	*result = NULL;
	status = perun_lock(ctx, store, command, &lock, &died);
	if (status)
		return status;
	if (died)
		status = settle(ctx, store);
	if (status) {
		close(lock); /* the next one tries again */
		return status;
	}
	perun_names_forget(store); /* others may have added some before the lock */
	transaction = perun_alloc_zero(1, sizeof *transaction);
	transaction->store = store;
	transaction->lock = lock;
	/* What others can guess they may have put there before. */
	perun_random_digits(digits);
	snprintf(transaction->prefix, sizeof transaction->prefix, TEMPORARY_PREFIX "%s-", digits);
	transaction->fans = perun_fans_new(store, transaction->prefix);
	atomic_init(&transaction->next, 0);
	pthread_mutex_init(&transaction->mutex, NULL);
	*result = transaction;
	return PERUN_OK;
}

struct perun_store *perun_transaction_store(const struct perun_transaction *transaction)
{
	return transaction->store;
}

static int create(struct perun_transaction *transaction, const char *temporary)
{
	int at = transaction->store->directory;
	const int flags = O_WRONLY | O_CREAT | O_EXCL;
	int fd = perun_beneath_open(at, temporary, flags, 0666);
	char directory[TEMPORARY_SIZE];
	size_t length = directory_length(temporary);

	if (fd >= 0 || errno != ENOENT || length == 0)
		return fd;
	memcpy(directory, temporary, length - 1);
	directory[length - 1] = '\0';
	if (perun_beneath_ensure_directory(at, directory, 0777) != 0)
		return -1;
	transaction->made_directory = true;
	return perun_beneath_open(at, temporary, flags, 0666);
}

/* Write the temporary file; 0 or an errno, and then nothing is left of it. */
static int write_temporary(struct perun_transaction *transaction, const char *temporary,
			   const struct perun_piece *pieces, size_t count, struct stat *info)
{
	int fd = create(transaction, temporary);
	int error = fd < 0 ? errno : 0;

	if (fd < 0)
		return error;
	for (size_t i = 0; i < count && !error; i++)
		error = pieces[i].data ? perun_write_all(fd, pieces[i].data, pieces[i].size)
				       : perun_copy_all(pieces[i].fd, fd, pieces[i].size);
	if (!error && info && fstat(fd, info) != 0)
		error = errno;
	if (close(fd) != 0 && !error)
		error = errno;
	if (error)
		perun_beneath_unlink(transaction->store->directory, temporary, 0);
	return error;
}

static int fail_rename(struct perun_ctx *ctx, const struct perun_transaction *transaction,
		       int error, const char *path)
{
	return perun_fail_errno(ctx, error == EEXIST ? PERUN_USAGE : PERUN_INPUT, error,
				"cannot put %s/%s in its place", transaction->store->path, path);
}

static void append_staged(struct perun_transaction *transaction, struct staged staged)
{
	staged.path = perun_strdup(staged.path);
	pthread_mutex_lock(&transaction->mutex);
	PERUN_GROW(transaction->staged, transaction->count, transaction->capacity);
	transaction->staged[transaction->count++] = staged;
	pthread_mutex_unlock(&transaction->mutex);
}

static int stage(struct perun_ctx *ctx, struct perun_transaction *transaction, struct staged staged,
		 const struct perun_piece *pieces, size_t count, struct stat *info)
{
	int at = transaction->store->directory, error;
	const char *path = staged.path;
	char temporary[TEMPORARY_SIZE];

	staged.number = atomic_fetch_add(&transaction->next, 1);
	temporary_path(transaction, path, staged.number, temporary);
	error = write_temporary(transaction, temporary, pieces, count, info);
	if (error)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s/%s",
					transaction->store->path, path);
	if (staged.is_fresh && perun_beneath_rename(at, temporary, path, 0) != 0) {
		error = errno;
		perun_beneath_unlink(at, temporary, 0);
		return fail_rename(ctx, transaction, error, path);
	}
	staged.renamed = staged.is_fresh;
	append_staged(transaction, staged);
	return PERUN_OK;
}

/* Under its own name, in a directory that has a temporary one. */
static int stage_in_fan(struct perun_ctx *ctx, struct perun_transaction *transaction,
			struct staged staged, const char *inner, const struct perun_piece *pieces,
			size_t count)
{
	int error = write_temporary(transaction, inner, pieces, count, NULL);

	/* The same profile given twice: whatever becomes of the other one becomes of the command. */
	if (error == EEXIST)
		return PERUN_OK;
	if (error)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s/%s",
					transaction->store->path, staged.path);
	staged.in_fan = true;
	append_staged(transaction, staged);
	return PERUN_OK;
}

int perun_transaction_write(struct perun_ctx *ctx, struct perun_transaction *transaction,
			    enum perun_stage when, const char *path,
			    const struct perun_piece *pieces, size_t count, struct stat *info)
{
	struct staged staged = {.path = (char *)path, .stage = when};

	return stage(ctx, transaction, staged, pieces, count, info);
}

int perun_transaction_write_fresh(struct perun_ctx *ctx, struct perun_transaction *transaction,
				  const char *path, const struct perun_piece *pieces, size_t count)
{
	struct staged staged = {.path = (char *)path, .stage = PERUN_STAGE_FIRST, .is_fresh = true};
	char inner[TEMPORARY_SIZE];

	if (perun_fans_take(transaction->fans, path, inner, sizeof inner))
		return stage_in_fan(ctx, transaction, staged, inner, pieces, count);
	return stage(ctx, transaction, staged, pieces, count, NULL);
}

int perun_transaction_write_harmless(struct perun_ctx *ctx, struct perun_transaction *transaction,
				     const char *path, const struct perun_piece *pieces,
				     size_t count)
{
	int error = write_temporary(transaction, path, pieces, count, NULL);

	/* A killed command left one. */
	if (error == EEXIST)
		return perun_transaction_write(ctx, transaction, PERUN_STAGE_FIRST, path, pieces,
					       count, NULL);
	if (error)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s/%s",
					transaction->store->path, path);
	append_staged(transaction, (struct staged){.path = (char *)path,
						   .stage = PERUN_STAGE_FIRST,
						   .is_fresh = true,
						   .renamed = true});
	return PERUN_OK;
}

int perun_transaction_write_new(struct perun_ctx *ctx, struct perun_transaction *transaction,
				const char *path, const struct perun_piece *pieces, size_t count,
				struct stat *info)
{
	struct staged staged = {.path = (char *)path, .stage = PERUN_STAGE_FIRST, .is_new = true};

	return stage(ctx, transaction, staged, pieces, count, info);
}

/* ---- committing ------------------------------------------------------------------------------ */

static int fail(struct perun_ctx *ctx, const struct perun_transaction *transaction, int error,
		const char *what, const char *path)
{
	return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot %s %s/%s", what,
				transaction->store->path, path);
}

/* Flush one file or directory to the disk; 0 or an errno. */
static int flush(const struct perun_transaction *transaction, const char *path, int flags)
{
	int fd = perun_beneath_open(transaction->store->directory, path,
				    O_RDONLY | O_NONBLOCK | flags, 0);
	int error = fd < 0 ? errno : 0;

	if (fd < 0)
		return error;
	/* File systems that cannot flush a directory say EINVAL. */
	if (fsync(fd) != 0 && errno != EINVAL)
		error = errno;
	close(fd);
	return error;
}

static int flush_contents(struct perun_ctx *ctx, struct perun_transaction *transaction)
{
	if (transaction->count > FLUSH_SINGLY && syncfs(transaction->store->directory) == 0) {
		transaction->flushed = true;
		return PERUN_OK;
	}
	for (size_t i = 0; i < transaction->count; i++) {
		const struct staged *staged = &transaction->staged[i];
		char temporary[TEMPORARY_SIZE];
		int error;

		temporary_path(transaction, staged->path, staged->number, temporary);
		error = flush(transaction, staged->renamed ? staged->path : temporary, 0);
		if (error)
			return fail(ctx, transaction, error, "write", staged->path);
	}
	return PERUN_OK;
}

static bool same_directory(const char *one, const char *other)
{
	size_t length = directory_length(one);

	return length == directory_length(other) && strncmp(one, other, length) == 0;
}

/* Whether the directory of a file must be flushed after a stage. */
static bool is_to_flush(const struct perun_transaction *transaction, size_t i,
			enum perun_stage when)
{
	const struct staged *staged = &transaction->staged[i];

	return staged->stage == when && !(staged->is_fresh && transaction->flushed);
}

/* Flush the directories of the files of a stage. */
static int flush_directories(struct perun_ctx *ctx, const struct perun_transaction *transaction,
			     enum perun_stage when)
{
	size_t files = 0;

	for (size_t i = 0; i < transaction->count; i++)
		files += is_to_flush(transaction, i, when);
	if (files > FLUSH_SINGLY && syncfs(transaction->store->directory) == 0)
		return PERUN_OK;
	if (transaction->made_directory && when == PERUN_STAGE_FIRST && !transaction->flushed)
		flush(transaction, "objects", O_DIRECTORY);
	for (size_t i = 0; i < transaction->count; i++) {
		const struct staged *staged = &transaction->staged[i];
		char *directory;
		size_t j = 0;
		int error;

		if (!is_to_flush(transaction, i, when))
			continue;
		/* Each directory once: at its first file of this stage. */
		while (j < i && !(is_to_flush(transaction, j, when) &&
				  same_directory(transaction->staged[j].path, staged->path)))
			j++;
		if (j < i)
			continue;
		directory =
			perun_format("%.*s.", (int)directory_length(staged->path), staged->path);
		error = flush(transaction, directory, O_DIRECTORY);
		perun_free(directory);
		if (error)
			return fail(ctx, transaction, error, "write", staged->path);
	}
	return PERUN_OK;
}

/* Rename without replacing, also where the file system knows no such thing. 0 or an errno. */
static int rename_new(int at, const char *from, const char *to)
{
	struct stat info;

	if (perun_beneath_rename(at, from, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	if (perun_beneath_stat(at, to, &info) == 0)
		return EEXIST;
	return perun_beneath_rename(at, from, to, 0) ? errno : 0;
}

/* The files of a stage, directory by directory: threads that rename in one wait for each other. */
struct renaming {
	struct perun_transaction *transaction;
	struct staged **files;
	size_t count, parts;
};

/* The directory that renamed files are in, open. */
struct renaming_place {
	const char *path; /* of a file in it; NULL = none is open */
	int at;
};

static int enter(const struct perun_transaction *transaction, const char *path,
		 struct renaming_place *place)
{
	int store = transaction->store->directory;
	const char *name;

	if (place->path && same_directory(place->path, path))
		return 0;
	perun_beneath_leave(store, place->at);
	place->at = perun_beneath_parent(store, path, &name);
	place->path = place->at < 0 ? NULL : path;
	return place->at < 0 ? errno : 0;
}

static int rename_staged(struct perun_ctx *ctx, struct perun_transaction *transaction,
			 struct staged *staged, struct renaming_place *place)
{
	size_t directory = directory_length(staged->path);
	int error = enter(transaction, staged->path, place);
	char temporary[TEMPORARY_SIZE];

	temporary_path(transaction, staged->path + directory, staged->number, temporary);
	if (!error && staged->is_new)
		error = rename_new(place->at, temporary, staged->path + directory);
	else if (!error)
		error = perun_beneath_rename(place->at, temporary, staged->path + directory, 0)
				? errno
				: 0;
	if (error)
		return fail_rename(ctx, transaction, error, staged->path);
	staged->renamed = true;
	return PERUN_OK;
}

static int rename_part(struct perun_ctx *ctx, size_t part, void *data)
{
	const struct renaming *renaming = data;
	struct perun_transaction *transaction = renaming->transaction;
	size_t end = renaming->count * (part + 1) / renaming->parts;
	struct renaming_place place = {.at = -1};
	int status = PERUN_OK;

	for (size_t i = renaming->count * part / renaming->parts; i < end && !status; i++)
		status = rename_staged(ctx, transaction, renaming->files[i], &place);
	perun_beneath_leave(transaction->store->directory, place.at);
	return status;
}

static int by_directory(const void *one, const void *other)
{
	const struct staged *a = *(struct staged *const *)one, *b = *(struct staged *const *)other;

	return strcmp(a->path, b->path);
}

static int rename_stage(struct perun_ctx *ctx, struct perun_transaction *transaction,
			enum perun_stage when)
{
	struct renaming renaming = {
		.transaction = transaction,
		.files = perun_alloc((transaction->count + 1) * sizeof *renaming.files)};
	int status;

	transaction->last_stage = when == PERUN_STAGE_LAST;
	for (size_t i = 0; i < transaction->count; i++)
		if (transaction->staged[i].stage == when && !transaction->staged[i].renamed)
			renaming.files[renaming.count++] = &transaction->staged[i];
	if (renaming.count > RENAME_PART)
		qsort(renaming.files, renaming.count, sizeof *renaming.files, by_directory);
	renaming.parts = renaming.count / RENAME_PART + 1;
	status = perun_parallel_for(ctx, renaming.parts, rename_part, &renaming);
	perun_free(renaming.files);
	return status;
}

/* Put new directories of objects in their places; what others made meanwhile is filled file by file. */
int perun_transaction_place(struct perun_ctx *ctx, struct perun_transaction *transaction)
{
	int at = transaction->store->directory, error = perun_fans_place(transaction->fans);

	if (error)
		return fail_rename(ctx, transaction, error, "objects");
	for (size_t i = 0; i < transaction->count; i++) {
		struct staged *staged = &transaction->staged[i];
		char inner[TEMPORARY_SIZE];

		if (!staged->in_fan)
			continue;
		if (perun_fans_waiting(transaction->fans, staged->path, inner, sizeof inner) &&
		    perun_beneath_rename(at, inner, staged->path, 0) != 0)
			return fail_rename(ctx, transaction, errno, staged->path);
		staged->renamed = true;
		transaction->made_directory = true;
	}
	perun_fans_sweep(transaction->fans);
	return PERUN_OK;
}

int perun_transaction_commit(struct perun_ctx *ctx, struct perun_transaction *transaction)
{
	int status = perun_transaction_place(ctx, transaction);

	if (!status)
		status = flush_contents(ctx, transaction);
	for (int when = PERUN_STAGE_FIRST; when <= PERUN_STAGE_LAST && !status; when++) {
		status = rename_stage(ctx, transaction, when);
		if (!status)
			status = flush_directories(ctx, transaction, when);
	}
	transaction->failed = status != PERUN_OK;
	return status;
}

/* Nothing stays of a file that was not put in its place, or was and that nothing names. */
static void undo_staged(const struct perun_transaction *transaction, const struct staged *staged)
{
	int at = transaction->store->directory;
	char temporary[TEMPORARY_SIZE];

	if (staged->in_fan && !staged->renamed &&
	    perun_fans_waiting(transaction->fans, staged->path, temporary, sizeof temporary)) {
		perun_beneath_unlink(at, temporary, 0);
	} else if (!staged->in_fan && !staged->renamed) {
		temporary_path(transaction, staged->path, staged->number, temporary);
		perun_beneath_unlink(at, temporary, 0);
	} else if (staged->is_fresh && !transaction->last_stage) {
		perun_beneath_unlink(at, staged->path, 0);
	}
}

void perun_transaction_end(struct perun_transaction *transaction)
{
	if (!transaction)
		return;
	for (size_t i = 0; i < transaction->count; i++) {
		undo_staged(transaction, &transaction->staged[i]);
		perun_free(transaction->staged[i].path);
	}
	perun_fans_sweep(transaction->fans);
	perun_fans_free(transaction->fans);
	perun_free(transaction->staged);
	pthread_mutex_destroy(&transaction->mutex);
	if (transaction->failed)
		close(transaction
			      ->lock); /* as if it were killed: the next one settles what is left */
	else
		perun_unlock(transaction->lock);
	perun_names_forget(transaction->store);
	perun_free(transaction);
}
