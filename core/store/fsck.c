/* SPDX-License-Identifier: BSD-3-Clause */
/* Checking a whole store. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/store/scan.h"
#include "perun/lib/advice.h"

/* An object and what was found in it. */
struct checked {
	const char *path, *checksum;
	char *problem; /* NULL when it is whole */
	bool named;    /* by an index */
	enum perun_object_kind kind;
	struct perun_facts facts;
};

struct fsck {
	struct perun_ctx *ctx, *quiet;
	struct perun_store *store;
	bool adopt;
	perun_fsck_visit *visit;
	void *data;
	struct perun_scan scan;
	struct checked *objects; /* sorted by checksum */
	size_t object_count;
	const char **adopted; /* checksums of minor versions whose index is taken over */
	size_t adopted_count;
	uint64_t checked, problems;
};

PERUN_PRINTF(4, 5)
static void report(struct fsck *fsck, bool harm, const char *path, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = perun_vformat(format, args);
	va_end(args);
	if (fsck->visit)
		fsck->visit(fsck->data, path, text);
	perun_free(text);
	fsck->problems += harm;
}

#define problem(fsck, ...)      report(fsck, true, __VA_ARGS__)
#define note_problem(fsck, ...) report(fsck, false, __VA_ARGS__)

/* The text of the last failure, which is forgotten by the next one. */
static const char *reason(struct fsck *fsck)
{
	static const char none[] = "unknown failure";
	const char *text = perun_ctx_error(fsck->quiet);

	return text ? text : none;
}

/* ---- objects --------------------------------------------------------------------------------- */

static int verify_object(struct perun_ctx *ctx, const struct perun_store *store,
			 struct checked *checked)
{
	struct perun_object object;
	int status = perun_object_read(ctx, store, checked->checksum, true, &object);

	if (status)
		return status;
	checked->kind = object.kind;
	if (object.kind == PERUN_OBJECT_PROFILE) {
		status = perun_facts_read(ctx, object.body, (size_t)object.length, &checked->facts);
		if (!status &&
		    strcmp(checked->facts.type ? checked->facts.type : "", object.type) != 0)
			status = perun_fail(ctx, PERUN_INPUT,
					    "its header says type %s, its profile %s", object.type,
					    checked->facts.type ? checked->facts.type : "none");
	}
	perun_object_free(&object);
	return status;
}

static int check_object(struct perun_ctx *ctx, size_t i, void *data)
{
	struct fsck *fsck = data;
	struct checked *checked = &fsck->objects[i];

	if (perun_cancelled(ctx))
		return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	if (verify_object(ctx, fsck->store, checked) == PERUN_OK)
		return PERUN_OK;
	checked->problem = perun_strdup(perun_ctx_error(ctx));
	if (!checked->problem)
		checked->problem = perun_strdup("cannot be read");
	perun_ctx_clear(ctx);
	return PERUN_OK;
}

static int check_objects(struct fsck *fsck)
{
	int status;

	fsck->objects = perun_alloc_zero(fsck->scan.count + 1, sizeof *fsck->objects);
	for (size_t i = 0; i < fsck->scan.count; i++) {
		struct checked *checked = &fsck->objects[fsck->object_count];

		if (fsck->scan.items[i].kind != PERUN_SCAN_OBJECT)
			continue;
		checked->path = fsck->scan.items[i].path;
		checked->checksum = fsck->scan.items[i].checksum;
		fsck->object_count++;
	}
	status = perun_parallel_for(fsck->ctx, fsck->object_count, check_object, fsck);
	for (size_t i = 0; i < fsck->object_count && !status; i++) {
		if (fsck->objects[i].problem)
			problem(fsck, fsck->objects[i].path, "%s", fsck->objects[i].problem);
	}
	fsck->checked += fsck->object_count;
	return status;
}

static int compare_checked(const void *key, const void *item)
{
	return strcmp(key, ((const struct checked *)item)->checksum);
}

/* One of the list, or one that appeared since it was made; NULL when there is none. */
static struct checked *find_object(struct fsck *fsck, const char *checksum, struct checked *late)
{
	struct checked *found = bsearch(checksum, fsck->objects, fsck->object_count,
					sizeof *fsck->objects, compare_checked);

	memset(late, 0, sizeof *late);
	if (found)
		return found;
	late->checksum = checksum;
	if (verify_object(fsck->quiet, fsck->store, late) == PERUN_OK)
		return late;
	perun_facts_free(&late->facts);
	return NULL;
}

/*
 * What no index names is there for nothing yet: of an interrupted command its attachment may be missing, and is written
 * when it is given again.
 */
static void check_attachments(struct fsck *fsck)
{
	for (size_t i = 0; i < fsck->object_count; i++) {
		const struct checked *object = &fsck->objects[i], *attachment;
		struct checked late;

		if (object->problem || !object->facts.attachment)
			continue;
		attachment = find_object(fsck, object->facts.attachment, &late);
		if (!attachment && !object->named)
			note_problem(fsck, object->path,
				     "its attachment %s is missing, but no version has it "
				     "(harmless%s)",
				     object->facts.attachment, perun_advice(PERUN_ADVICE_GC));
		else if (!attachment)
			problem(fsck, object->path, "its attachment %s is missing",
				object->facts.attachment);
		else if (!attachment->problem && attachment->kind != PERUN_OBJECT_ATTACHMENT)
			problem(fsck, object->path, "%s is not an attachment",
				object->facts.attachment);
		perun_facts_free(&late.facts);
		perun_ctx_clear(fsck->quiet);
	}
}

/* ---- indexes --------------------------------------------------------------------------------- */

static bool differs(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "") != 0;
}

/* Other programs may have their own ideas of these texts: reported, no more. */
static void compare_texts(struct fsck *fsck, const char *path, const struct perun_entry *entry,
			  const struct perun_facts *facts)
{
	const char *what = NULL;
	char text[512];

	if (differs(entry->cmd, facts->cmd))
		what = "command";
	else if (differs(entry->workload, facts->workload))
		what = "workload";
	else if (differs(entry->collector, facts->collector))
		what = "collector";
	else if (differs(entry->postprocessors, facts->postprocessors))
		what = "postprocessors";
	if (!what)
		return;
	snprintf(text, sizeof text, "%s: %s not as in its object (harmless)", entry->path, what);
	note_problem(fsck, path, "%s", text);
}

static void check_entry(struct fsck *fsck, const char *path, const struct perun_entry *entry,
			bool has_texts)
{
	struct checked late;
	struct checked *object = find_object(fsck, entry->checksum, &late);

	if (object)
		object->named = true;
	if (!object)
		problem(fsck, path, "%s: object %s is missing or damaged", entry->path,
			entry->checksum);
	else if (object->problem)
		problem(fsck, path, "%s: object %s is damaged", entry->path, entry->checksum);
	else if (object->kind != PERUN_OBJECT_PROFILE)
		problem(fsck, path, "%s: object %s is not a profile", entry->path, entry->checksum);
	else if (has_texts && differs(entry->type, object->facts.type))
		problem(fsck, path, "%s: type %s, but object %s says %s", entry->path, entry->type,
			entry->checksum, object->facts.type);
	else if (has_texts)
		compare_texts(fsck, path, entry, &object->facts);
	perun_facts_free(&late.facts);
	perun_ctx_clear(fsck->quiet);
}

static void check_foreign(struct fsck *fsck, const struct perun_scan_item *item,
			  const struct perun_index_file *file)
{
	if (fsck->adopt) {
		fsck->adopted[fsck->adopted_count++] = item->checksum;
	} else if (file->sums.bad) {
		problem(fsck, item->path, "its file of checksums is damaged%s",
			perun_advice(PERUN_ADVICE_ADOPT_CHECKSUMS));
	} else if (file->same_size) {
		problem(fsck, item->path,
			"it was changed at the same size, by another program or by damage%s",
			perun_advice(PERUN_ADVICE_ADOPT));
	} else {
		note_problem(fsck, item->path, "it was changed by another program (harmless%s)",
			     perun_advice(PERUN_ADVICE_ADOPT));
	}
}

static void check_decoded(struct fsck *fsck, const struct perun_scan_item *item,
			  const struct perun_index_file *file)
{
	struct perun_entries entries;
	enum perun_index_layout layout;
	uint64_t before = fsck->problems;

	if (perun_index_decode(fsck->quiet, "the index", file->bytes.data ? file->bytes.data : "",
			       file->bytes.length, &entries, &layout)) {
		problem(fsck, item->path, "%s", reason(fsck));
		perun_ctx_clear(fsck->quiet);
		return;
	}
	for (size_t i = 0; i < entries.count; i++)
		check_entry(fsck, item->path, &entries.items[i], layout != PERUN_INDEX_V1);
	perun_entries_free(&entries);
	if (fsck->problems == before && file->state == PERUN_INDEX_FOREIGN)
		check_foreign(fsck, item, file);
	else if (fsck->problems == before && file->state == PERUN_INDEX_UNKNOWN && fsck->adopt)
		fsck->adopted[fsck->adopted_count++] = item->checksum;
}

static void check_index(struct fsck *fsck, const struct perun_scan_item *item)
{
	struct perun_index_file file;

	fsck->checked++;
	if (perun_index_file_read(fsck->quiet, fsck->store, item->path, &file)) {
		problem(fsck, item->path, "%s", reason(fsck));
		perun_ctx_clear(fsck->quiet);
		return;
	}
	if (file.state == PERUN_INDEX_DAMAGED)
		problem(fsck, item->path,
			"the index is damaged: its checksum is not the recorded one");
	else if (file.state != PERUN_INDEX_NONE)
		check_decoded(fsck, item, &file);
	perun_index_file_free(&file);
}

/* A file of sums whose index is gone, or damaged so that it does not look like one. */
static void check_sums(struct fsck *fsck, const struct perun_scan_item *item)
{
	struct perun_index_file file;
	char path[PERUN_OBJECT_PATH_SIZE];

	perun_object_path(item->checksum, "", path);
	if (perun_index_file_read(fsck->quiet, fsck->store, path, &file)) {
		perun_ctx_clear(fsck->quiet);
		return;
	}
	if (file.state == PERUN_INDEX_DAMAGED && !S_ISREG(file.info.st_mode))
		problem(fsck, path, "the index is missing; its checksums are there");
	else if (file.sums.bad && file.state == PERUN_INDEX_NONE)
		note_problem(fsck, item->path,
			     "damaged checksums of an index that is not there (harmless)");
	perun_index_file_free(&file);
}

static void check_jobs(struct fsck *fsck)
{
	struct perun_index_file file;
	struct perun_entries entries;
	int status = perun_index_file_read(fsck->quiet, fsck->store, PERUN_JOBS_INDEX, &file);

	fsck->checked++;
	if (!status && file.state == PERUN_INDEX_DAMAGED)
		status = perun_fail(fsck->quiet, PERUN_INPUT,
				    "its checksum is not the recorded one");
	else if (!status && file.state != PERUN_INDEX_NONE)
		status = perun_index_decode(fsck->quiet, "the index",
					    file.bytes.data ? file.bytes.data : "",
					    file.bytes.length, &entries, NULL);
	if (status)
		problem(fsck, PERUN_JOBS_INDEX,
			"%s; it can be removed: the pending profiles are then read themselves",
			reason(fsck));
	else if (file.state != PERUN_INDEX_NONE)
		perun_entries_free(&entries);
	perun_index_file_free(&file);
	perun_ctx_clear(fsck->quiet);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void check_changes(struct fsck *fsck, const struct perun_scan_item *item)
{
	size_t bad;

	fsck->checked++;
	if (perun_changes_count_bad(fsck->quiet, fsck->store, item->checksum, &bad))
		problem(fsck, item->path, "%s", reason(fsck));
	else if (bad)
		problem(fsck, item->path, "%zu lines cannot be read", bad);
	perun_ctx_clear(fsck->quiet);
}

static void check_item(struct fsck *fsck, const struct perun_scan_item *item)
{
	switch (item->kind) {
	case PERUN_SCAN_INDEX:
		check_index(fsck, item);
		break;
	case PERUN_SCAN_OBJECT:
		break;
	case PERUN_SCAN_CHANGES:
		check_changes(fsck, item);
		break;
	case PERUN_SCAN_SUMS:
		check_sums(fsck, item);
		break;
	case PERUN_SCAN_LEFTOVER:
		note_problem(fsck, item->path, "left by an interrupted command (harmless%s)",
			     perun_advice(PERUN_ADVICE_GC));
		break;
	case PERUN_SCAN_STRAY:
		note_problem(fsck, item->path, "not a file of a store (harmless)");
		break;
	}
}

static void check_configuration(struct fsck *fsck)
{
	char *type = NULL;

	if (perun_config_get(fsck->quiet, fsck->store, PERUN_CONFIG_LOCAL, "vcs.type", &type))
		problem(fsck, PERUN_LOCAL_CONFIG, "%s", reason(fsck));
	else if (!type)
		problem(fsck, PERUN_LOCAL_CONFIG, "it does not say vcs.type%s",
			perun_advice(PERUN_ADVICE_INIT_WRITES));
	perun_free(type);
	perun_ctx_clear(fsck->quiet);
}

/* Record the checksums of indexes as they are now. */
static int adopt(struct fsck *fsck)
{
	struct perun_transaction *transaction;
	int status;

	if (fsck->adopted_count == 0)
		return PERUN_OK;
	status = perun_transaction_begin(fsck->ctx, fsck->store, "fsck", &transaction);
	for (size_t i = 0; i < fsck->adopted_count && !status; i++)
		status = perun_index_adopt(fsck->ctx, fsck->store, transaction, fsck->adopted[i]);
	if (!status)
		status = perun_transaction_commit(fsck->ctx, transaction);
	perun_transaction_end(transaction);
	return status;
}

static int check_all(struct fsck *fsck)
{
	int status = perun_scan(fsck->ctx, fsck->store, &fsck->scan);

	if (status)
		return status;
	if (faccessat(fsck->store->directory, "objects", F_OK, 0) != 0)
		problem(fsck, "objects", "the directory is missing%s",
			perun_advice(PERUN_ADVICE_INIT_MAKES));
	fsck->adopted = perun_alloc_zero(fsck->scan.count + 1, sizeof *fsck->adopted);
	status = check_objects(fsck);
	if (status)
		return status;
	for (size_t i = 0; i < fsck->scan.count; i++) {
		perun_progress(fsck->ctx, "checking", i, fsck->scan.count);
		check_item(fsck, &fsck->scan.items[i]);
	}
	check_attachments(fsck);
	perun_progress(fsck->ctx, "checking", fsck->scan.count, fsck->scan.count);
	check_jobs(fsck);
	check_configuration(fsck);
	return adopt(fsck);
}

int perun_store_fsck(struct perun_ctx *ctx, struct perun_store *store, bool adopt_foreign,
		     perun_fsck_visit *visit, void *data, uint64_t *checked)
{
	struct fsck fsck = {.ctx = ctx,
			    .quiet = perun_ctx_new(NULL),
			    .store = store,
			    .adopt = adopt_foreign,
			    .visit = visit,
			    .data = data};
	int status = check_all(&fsck);

	for (size_t i = 0; i < fsck.object_count; i++) {
		perun_free(fsck.objects[i].problem);
		perun_facts_free(&fsck.objects[i].facts);
	}
	perun_free(fsck.objects);
	perun_free(fsck.adopted);
	perun_scan_free(&fsck.scan);
	perun_ctx_free(fsck.quiet);
	if (checked)
		*checked = fsck.checked;
	if (!status && fsck.problems)
		status = perun_fail(ctx, PERUN_INPUT, "%ju problem%s in %s",
				    (uintmax_t)fsck.problems, fsck.problems == 1 ? "" : "s",
				    store->path);
	return status;
}
