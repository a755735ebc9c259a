/* SPDX-License-Identifier: BSD-3-Clause */
/* Removing objects that nothing names. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/context/structs.h"
#include "core/store/scan.h"

/* Checksums in order. */
struct set {
	char (*items)[PERUN_CHECKSUM_SIZE];
	size_t count, capacity;
};

/* An object that no index names. */
struct candidate {
	const struct perun_scan_item *item;
	enum perun_object_kind kind;
	uint64_t size;
};

struct gc {
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_gc_options options;
	struct perun_scan scan;
	struct set named;       /* by an index */
	struct set attachments; /* of these */
	struct candidate *candidates;
	size_t count;
	bool keep_attachments; /* one that names some cannot be read */
};

static int compare(const void *one, const void *other)
{
	return strcmp(one, other);
}

static void put(struct set *set, const char *checksum)
{
	PERUN_GROW(set->items, set->count, set->capacity);
	(void)snprintf(set->items[set->count++], PERUN_CHECKSUM_SIZE, "%s", checksum);
}

static void sort(struct set *set)
{
	if (set->count)
		qsort(set->items, set->count, sizeof *set->items, compare);
}

static bool has(const struct set *set, const char *checksum)
{
	return set->count && bsearch(checksum, set->items, set->count, sizeof *set->items, compare);
}

/* ---- what is needed -------------------------------------------------------------------------- */

/* Also indexes of versions that the vcs no longer knows count. */
static int read_index(struct gc *gc, const struct perun_scan_item *item)
{
	struct perun_index_file file;
	struct perun_entries entries;
	int status = perun_index_file_read(gc->ctx, gc->store, item->path, &file);

	if (status)
		return status;
	if (file.state == PERUN_INDEX_DAMAGED)
		status = perun_fail(gc->ctx, PERUN_INPUT, "%s is damaged", item->path);
	else
		status = perun_index_decode(gc->ctx, item->path,
					    file.bytes.data ? file.bytes.data : "",
					    file.bytes.length, &entries, NULL);
	perun_index_file_free(&file);
	if (status)
		return perun_fail(gc->ctx, PERUN_OK,
				  "nothing was removed: cannot determine which objects are in use");
	for (size_t i = 0; i < entries.count; i++)
		put(&gc->named, entries.items[i].checksum);
	perun_entries_free(&entries);
	return PERUN_OK;
}

static int read_indexes(struct gc *gc)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < gc->scan.count && !status; i++) {
		if (gc->scan.items[i].kind == PERUN_SCAN_INDEX)
			status = read_index(gc, &gc->scan.items[i]);
	}
	sort(&gc->named);
	return status;
}

/* Only asked for when there are attachments that might go: it reads all that is named. */
static void read_attachments(struct gc *gc)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);

	for (size_t i = 0; i < gc->named.count; i++) {
		struct perun_object object;
		struct perun_facts facts;

		if (i > 0 && strcmp(gc->named.items[i], gc->named.items[i - 1]) == 0)
			continue;
		if (perun_object_read(quiet, gc->store, gc->named.items[i], true, &object)) {
			gc->keep_attachments = true;
			perun_ctx_clear(quiet);
			continue;
		}
		if (perun_facts_read(quiet, object.body, (size_t)object.length, &facts))
			gc->keep_attachments = true;
		else if (facts.attachment)
			put(&gc->attachments, facts.attachment);
		perun_facts_free(&facts);
		perun_object_free(&object);
		perun_ctx_clear(quiet);
	}
	sort(&gc->attachments);
	perun_ctx_free(quiet);
}

/* ---- what is not ----------------------------------------------------------------------------- */

/*
 * The seconds of the precise clock: time() may lag behind the time that a file was just given, so that
 * at the turn of a second a new file would seem to come from the future.
 */
static int64_t now_in_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec;
}

/* An object in the making when the power failed; an index that was emptied has its checksums beside. */
static bool is_empty(const struct gc *gc, const struct perun_scan_item *item,
		     const struct stat *info)
{
	char path[PERUN_OBJECT_PATH_SIZE];
	struct stat sums;

	perun_object_path(item->checksum, ".sum", path);
	return info->st_size == 0 && perun_beneath_stat(gc->store->directory, path, &sums) != 0;
}

/* An old object that nothing names. What cannot be recognized stays: it may be a damaged index. */
static bool is_candidate(struct gc *gc, const struct perun_scan_item *item,
			 struct candidate *candidate)
{
	struct perun_ctx *quiet;
	struct perun_object object;
	struct stat info;
	bool found;

	if (item->kind != PERUN_SCAN_OBJECT || has(&gc->named, item->checksum) ||
	    perun_beneath_stat(gc->store->directory, item->path, &info) != 0 ||
	    !S_ISREG(info.st_mode) ||
	    now_in_seconds() - (int64_t)info.st_mtime < gc->options.older_than)
		return false;
	if (is_empty(gc, item, &info)) {
		*candidate = (struct candidate){.item = item};
		return true;
	}
	quiet = perun_ctx_new(NULL);
	found = perun_object_peek(quiet, gc->store, item->checksum, &object) == PERUN_OK;
	perun_ctx_free(quiet);
	if (!found)
		return false;
	candidate->item = item;
	candidate->kind = object.kind;
	candidate->size = (uint64_t)info.st_size;
	perun_object_free(&object);
	return true;
}

static void find_candidates(struct gc *gc)
{
	bool attachments = false;

	gc->candidates = perun_alloc_zero(gc->scan.count + 1, sizeof *gc->candidates);
	for (size_t i = 0; i < gc->scan.count; i++) {
		if (is_candidate(gc, &gc->scan.items[i], &gc->candidates[gc->count])) {
			attachments |= gc->candidates[gc->count].kind == PERUN_OBJECT_ATTACHMENT;
			gc->count++;
		}
	}
	if (attachments)
		read_attachments(gc);
}

static bool is_needed(const struct gc *gc, const struct candidate *candidate)
{
	return candidate->kind == PERUN_OBJECT_ATTACHMENT &&
	       (gc->keep_attachments || has(&gc->attachments, candidate->item->checksum));
}

static int remove_candidates(struct gc *gc, void (*visit)(void *, const char *, uint64_t),
			     void *data)
{
	for (size_t i = 0; i < gc->count; i++) {
		const struct candidate *candidate = &gc->candidates[i];

		if (is_needed(gc, candidate))
			continue;
		if (!gc->options.dry_run &&
		    perun_beneath_unlink(gc->store->directory, candidate->item->path, 0) != 0)
			return perun_fail_errno(gc->ctx, PERUN_INPUT, errno, "cannot remove %s/%s",
						gc->store->path, candidate->item->path);
		if (visit)
			visit(data, candidate->item->path, candidate->size);
	}
	return PERUN_OK;
}

int perun_store_gc(struct perun_ctx *ctx, struct perun_store *store,
		   const struct perun_gc_options *options,
		   void (*visit)(void *data, const char *path, uint64_t size), void *data)
{
	struct gc gc = {.ctx = ctx, .store = store};
	struct perun_transaction *transaction = NULL;
	size_t leftovers;
	int status = PERUN_OK;

	PERUN_STRUCT_TAKE(&gc.options, options);
	if (!gc.options.dry_run)
		status = perun_transaction_begin(ctx, store, "gc", &transaction);
	if (status)
		return status;
	if (transaction)
		perun_remove_leftovers(store, &leftovers);
	status = perun_scan(ctx, store, &gc.scan);
	if (!status)
		status = read_indexes(&gc);
	if (!status) {
		find_candidates(&gc);
		status = remove_candidates(&gc, visit, data);
	}
	perun_transaction_end(transaction);
	perun_free(gc.candidates);
	perun_free(gc.named.items);
	perun_free(gc.attachments.items);
	perun_scan_free(&gc.scan);
	return status;
}
