/* SPDX-License-Identifier: BSD-3-Clause */
/* Index files with the checksums beside them: reading, judging, writing. */
#include <stdio.h>
#include <string.h>

#include "core/store/store.h"
#include "perun/lib/advice.h"

#define SUM_LIMIT     4096
#define SUM_PATH_SIZE (PERUN_OBJECT_PATH_SIZE + 8)
#define ATTEMPTS      10

static void sum_path(const char *path, char out[SUM_PATH_SIZE])
{
	snprintf(out, SUM_PATH_SIZE, "%s.sum", path);
}

void perun_index_file_free(struct perun_index_file *file)
{
	perun_buffer_free(&file->bytes);
}

static bool same_time(const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

static bool is_recorded_time(const struct perun_sum *recorded, const struct perun_sum *sum)
{
	return recorded->checksum[0] && same_time(&recorded->time, &sum->time);
}

static bool is_recorded_size(const struct perun_sum *recorded, const struct perun_sum *sum)
{
	return recorded->checksum[0] && recorded->size == sum->size;
}

/*
 * The sums are written before the index: whichever of the two the index matches, it is whole. One
 * that matches neither was written by another program, unless it has the time that we recorded.
 */
static void judge(struct perun_index_file *file)
{
	const struct perun_sums *sums = &file->sums;
	const struct perun_sum *sum = &file->sum;

	file->same_size = false;
	if (!S_ISREG(file->info.st_mode)) {
		/* A first index that was about to be written has no previous one. */
		file->state = sums->exists && sums->previous.checksum[0] ? PERUN_INDEX_DAMAGED
									 : PERUN_INDEX_NONE;
	} else if (!sums->exists) {
		file->state = PERUN_INDEX_UNKNOWN;
	} else if (sums->bad) {
		file->state = PERUN_INDEX_FOREIGN;
		file->same_size = true;
	} else if (strcmp(sum->checksum, sums->current.checksum) == 0 ||
		   strcmp(sum->checksum, sums->previous.checksum) == 0) {
		file->state = PERUN_INDEX_GOOD;
	} else if (is_recorded_time(&sums->current, sum) ||
		   is_recorded_time(&sums->previous, sum)) {
		file->state = PERUN_INDEX_DAMAGED;
	} else {
		file->state = PERUN_INDEX_FOREIGN;
		file->same_size = is_recorded_size(&sums->current, sum) ||
				  is_recorded_size(&sums->previous, sum);
	}
}

static int read_once(struct perun_ctx *ctx, struct perun_store *store, const char *path,
		     struct perun_index_file *file)
{
	struct perun_buffer text = {0};
	char beside[SUM_PATH_SIZE];
	struct stat info;
	int status;

	sum_path(path, beside);
	/* First the sums, then the index: those of an index that is being replaced know both. */
	status = perun_file_read(ctx, store, beside, SUM_LIMIT, &text, &info);
	memset(&file->sums, 0, sizeof file->sums);
	if (!status && S_ISREG(info.st_mode))
		perun_sums_decode(text.data ? text.data : "", text.length, &file->sums);
	perun_buffer_free(&text);
	if (!status)
		status = perun_file_read(ctx, store, path, PERUN_INDEX_LIMIT, &file->bytes,
					 &file->info);
	if (status)
		return status;
	memset(&file->sum, 0, sizeof file->sum);
	if (S_ISREG(file->info.st_mode)) {
		perun_sha_of(file->bytes.data ? file->bytes.data : "", file->bytes.length,
			     file->sum.checksum);
		file->sum.size = file->bytes.length;
		file->sum.time = file->info.st_mtim;
	}
	judge(file);
	return PERUN_OK;
}

int perun_index_file_read(struct perun_ctx *ctx, struct perun_store *store, const char *path,
			  struct perun_index_file *file)
{
	memset(file, 0, sizeof *file);
	for (int i = 0; i < ATTEMPTS; i++) {
		struct stat before = file->info;
		int status = read_once(ctx, store, path, file);

		if (status) {
			perun_index_file_free(file);
			return status;
		}
		/* Between the two reads others may have written both files, even twice. */
		if (file->state != PERUN_INDEX_DAMAGED && file->state != PERUN_INDEX_FOREIGN)
			break;
		if (i > 0 && perun_same_file(&before, &file->info))
			break;
	}
	return PERUN_OK;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Fill in what version 1 does not have from the objects. */
static int complete_from_objects(struct perun_ctx *ctx, struct perun_store *store,
				 struct perun_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		struct perun_entry *entry = &entries->items[i];
		struct perun_object object;
		struct perun_facts facts;
		int status = perun_object_read(ctx, store, entry->checksum, true, &object);

		if (status)
			return perun_fail(ctx, PERUN_OK, "%s", entry->path);
		status = perun_facts_read(ctx, object.body, (size_t)object.length, &facts);
		if (!status)
			perun_facts_to_entry(&facts, entries, entry);
		perun_facts_free(&facts);
		perun_object_free(&object);
		if (status)
			return perun_fail(ctx, PERUN_OK, "object %s", entry->checksum);
	}
	return PERUN_OK;
}

/* Compare an entry with the header of its object. */
static int check_entry(struct perun_ctx *ctx, struct perun_store *store,
		       const struct perun_entry *entry)
{
	struct perun_object object;
	int status = perun_object_peek(ctx, store, entry->checksum, &object);

	if (status)
		return perun_fail(ctx, PERUN_OK, "%s", entry->path);
	if (object.kind != PERUN_OBJECT_PROFILE)
		status = perun_fail(ctx, PERUN_INPUT, "%s: object %s is not a profile", entry->path,
				    entry->checksum);
	else if (strcmp(object.type, entry->type) != 0)
		status = perun_fail(ctx, PERUN_INPUT,
				    "%s: the index says type %s, object %s says %s", entry->path,
				    entry->type, entry->checksum, object.type);
	perun_object_free(&object);
	return status;
}

static int check_foreign(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			 const struct perun_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		int status = check_entry(ctx, store, &entries->items[i]);

		if (status)
			return perun_fail(ctx, PERUN_OK,
					  "the index of %s was changed by another program and does "
					  "not agree with its objects",
					  minor);
	}
	perun_warn(
		ctx,
		"the index of %.12s was changed by another program; its %zu profiles are there%s",
		minor, entries->count, perun_advice(PERUN_ADVICE_ADOPT));
	return PERUN_OK;
}

/* After the cause of a failure: what to do. */
static int advise_fsck(struct perun_ctx *ctx, int status)
{
	char *cause = perun_strdup(perun_ctx_error(ctx));

	if (cause && status == PERUN_INPUT) {
		perun_ctx_clear(ctx);
		perun_fail(ctx, status, "%s%s", cause, perun_advice(PERUN_ADVICE_FSCK));
	}
	perun_free(cause);
	return status;
}

static int load_file(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
		     const struct perun_index_file *file, struct perun_entries *entries)
{
	enum perun_index_layout layout;
	char what[PERUN_CHECKSUM_SIZE + 16];
	int status;

	snprintf(what, sizeof what, "the index of %s", minor);
	if (file->state == PERUN_INDEX_DAMAGED)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s is damaged: its checksum is not the recorded one; take it "
				  "from a copy%s",
				  what, perun_advice(PERUN_ADVICE_FSCK_OR_COPY));
	if (file->state == PERUN_INDEX_NONE) {
		perun_entries_start(entries);
		return PERUN_OK;
	}
	status = perun_index_decode(ctx, what, file->bytes.data ? file->bytes.data : "",
				    file->bytes.length, entries, &layout);
	if (!status && layout == PERUN_INDEX_V1)
		status = complete_from_objects(ctx, store, entries);
	if (!status && file->state == PERUN_INDEX_FOREIGN)
		status = check_foreign(ctx, store, minor, entries);
	if (status) {
		perun_entries_free(entries);
		return advise_fsck(ctx, status);
	}
	return PERUN_OK;
}

int perun_index_load(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
		     struct perun_entries *entries, struct perun_index_file *file)
{
	struct perun_index_file own;
	char path[PERUN_OBJECT_PATH_SIZE];
	int status = perun_check_minor(ctx, minor);

	memset(entries, 0, sizeof *entries);
	if (file)
		memset(file, 0, sizeof *file);
	if (status)
		return status;
	perun_object_path(minor, "", path);
	status = perun_index_file_read(ctx, store, path, &own);
	if (status)
		return status;
	status = load_file(ctx, store, minor, &own, entries);
	if (file && !status)
		*file = own;
	else
		perun_index_file_free(&own);
	return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * Write the sums beside an index: of the new one, and of the one before if there was one. Where there was none, nothing
 * reads them before the index is there.
 */
static int write_sums(struct perun_ctx *ctx, struct perun_transaction *transaction,
		      const char *path, const struct perun_sums *sums, bool is_there)
{
	struct perun_buffer text = {0};
	struct perun_piece piece;
	char beside[SUM_PATH_SIZE];
	int status;

	perun_sums_encode(sums, &text);
	sum_path(path, beside);
	piece = (struct perun_piece){text.data, text.length, -1};
	status = sums->previous.checksum[0] || is_there
			 ? perun_transaction_write(ctx, transaction, PERUN_STAGE_FIRST, beside,
						   &piece, 1, NULL)
			 : perun_transaction_write_harmless(ctx, transaction, beside, &piece, 1);
	perun_buffer_free(&text);
	return status;
}

int perun_index_write(struct perun_ctx *ctx, struct perun_transaction *transaction,
		      const char *path, const struct perun_entries *entries,
		      const struct perun_index_file *file)
{
	struct perun_buffer bytes = {0};
	struct perun_sums sums = {0};
	struct perun_piece piece;
	struct stat info;
	int status;

	perun_index_encode(entries, &bytes);
	piece = (struct perun_piece){bytes.data, bytes.length, -1};
	status =
		perun_transaction_write(ctx, transaction, PERUN_STAGE_LAST, path, &piece, 1, &info);
	if (!status) {
		perun_sha_of(bytes.data, bytes.length, sums.current.checksum);
		sums.current.size = bytes.length;
		sums.current.time = info.st_mtim;
		if (file && file->state != PERUN_INDEX_NONE)
			sums.previous = file->sum;
		status = write_sums(ctx, transaction, path, &sums, false);
	}
	perun_buffer_free(&bytes);
	return status;
}

int perun_index_adopt(struct perun_ctx *ctx, struct perun_store *store,
		      struct perun_transaction *transaction, const char *minor)
{
	struct perun_index_file file;
	struct perun_sums sums = {0};
	char path[PERUN_OBJECT_PATH_SIZE];
	int status;

	perun_object_path(minor, "", path);
	status = perun_index_file_read(ctx, store, path, &file);
	if (status)
		return status;
	sums.current = file.sum;
	if (file.state == PERUN_INDEX_FOREIGN || file.state == PERUN_INDEX_UNKNOWN)
		status = write_sums(ctx, transaction, path, &sums, true);
	perun_index_file_free(&file);
	return status;
}
