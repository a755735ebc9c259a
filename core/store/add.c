/* SPDX-License-Identifier: BSD-3-Clause */
/* Registering files with a minor version, all in one durable step. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/context/structs.h"
#include "core/context/context.h"
#include "core/store/labels.h"
#include "core/store/prepare.h"

/* Larger files are read one after the other: each is packed on all processors anyway. */
#define LARGE ((off_t)4 << 20)
/* From this number of files on, listing the objects once is quicker than asking for each. */
#define LIST_FROM     512
#define PART          32 /* files that a thread takes at a time when there are that many */
#define REMOVERS      16
#define EXPANDED_ROWS 500
/* Removing a file takes longer than this (nanoseconds) only if it waits. */
#define REMOVAL_WAITS  50000
#define REMOVALS_TRIED 16

/* A preparer for each thread that works at the moment. */
struct preparers {
	pthread_mutex_t mutex;
	struct perun_preparer **free;
	size_t count, capacity;
};

struct add {
	struct perun_store *store;
	struct perun_transaction *transaction;
	struct perun_preparation how;
	struct perun_source *sources;
	size_t count;
	const struct perun_saved *saved; /* of each file; NULL = all of them are read */
	struct preparers preparers;
	bool large;  /* which ones are prepared now */
	size_t part; /* how many a thread takes at a time */
};

/* ---- reading and packing --------------------------------------------------------------------- */

static struct perun_preparer *take_preparer(struct add *add)
{
	struct preparers *preparers = &add->preparers;
	struct perun_preparer *preparer = NULL;

	pthread_mutex_lock(&preparers->mutex);
	if (preparers->count)
		preparer = preparers->free[--preparers->count];
	pthread_mutex_unlock(&preparers->mutex);
	return preparer ? preparer : perun_preparer_new(add->store, add->count >= LIST_FROM);
}

static void give_preparer(struct add *add, struct perun_preparer *preparer)
{
	struct preparers *preparers = &add->preparers;

	pthread_mutex_lock(&preparers->mutex);
	PERUN_GROW(preparers->free, preparers->count, preparers->capacity);
	preparers->free[preparers->count++] = preparer;
	pthread_mutex_unlock(&preparers->mutex);
}

static int prepare_one(struct perun_ctx *ctx, struct add *add, struct perun_preparer *preparer,
		       struct perun_source *source)
{
	int status;

	if (perun_cancelled(ctx))
		return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	if (!perun_source_is_saved(source))
		perun_source_look(preparer, source);
	if (!add->large && !source->error_number && source->info.st_size > LARGE)
		status = PERUN_OK;
	else
		status = perun_source_prepare(ctx, add->transaction, preparer, &add->how, source);
	perun_source_leave(preparer);
	return status;
}

/* Those that are not large, a few at a time: taking one is not free. */
static int prepare_some(struct perun_ctx *ctx, size_t part, void *data)
{
	struct add *add = data;
	struct perun_preparer *preparer = take_preparer(add);
	size_t first = part * add->part;
	size_t end = add->count - first < add->part ? add->count : first + add->part;
	int status = PERUN_OK;

	for (size_t i = first; i < end && !status; i++)
		status = prepare_one(ctx, add, preparer, &add->sources[i]);
	give_preparer(add, preparer);
	return status;
}

static int prepare_large(struct perun_ctx *ctx, struct add *add)
{
	struct perun_preparer *preparer = take_preparer(add);
	int status = PERUN_OK;

	add->large = true;
	for (size_t i = 0; i < add->count && !status; i++) {
		if (add->sources[i].name)
			continue;
		perun_progress(ctx, "adding profiles", i, add->count);
		status = prepare_one(ctx, add, preparer, &add->sources[i]);
	}
	give_preparer(add, preparer);
	return status;
}

static int prepare_all(struct perun_ctx *ctx, struct add *add)
{
	int status = PERUN_OK;

	add->part = add->count < LIST_FROM ? 1 : PART;
	if (add->count >= LIST_FROM)
		perun_names_list(add->store);
	if (add->count > 1)
		status = perun_parallel_for(ctx, (add->count - 1) / add->part + 1, prepare_some,
					    add);
	if (!status)
		status = prepare_large(ctx, add);
	perun_progress(ctx, "adding profiles", add->count, add->count);
	return status;
}

/* ---- the index ------------------------------------------------------------------------------- */

struct addition {
	struct perun_entry entry;
	size_t rank; /* in which it was given */
	struct perun_source *source;
};

static int compare_entries(const struct perun_entry *one, const struct perun_entry *other)
{
	int order = strcmp(one->path, other->path);

	return order ? order : (one->time > other->time) - (one->time < other->time);
}

/* By name and time; of equal ones the last given first: each goes before those that are there. */
static int compare_additions(const void *one, const void *other)
{
	const struct addition *a = one, *b = other;
	int order = compare_entries(&a->entry, &b->entry);

	return order ? order : (a->rank < b->rank) - (a->rank > b->rank);
}

static bool is_same(const struct perun_entry *one, const struct perun_entry *other)
{
	return strcmp(one->checksum, other->checksum) == 0 && strcmp(one->path, other->path) == 0;
}

/* The time at which the version first got this content under this name; that of `entry` if it is new. */
static uint32_t first_time(const struct perun_entries *entries, const struct addition *additions,
			   size_t count, const struct perun_entry *entry)
{
	for (size_t i = 0; i < count; i++) {
		if (is_same(&additions[i].entry, entry))
			return additions[i].entry.time;
	}
	for (size_t i = 0; i < entries->count; i++) {
		if (is_same(&entries->items[i], entry))
			return entries->items[i].time;
	}
	return entry->time;
}

static size_t list_additions(struct add *add, struct perun_entries *entries,
			     struct addition *additions)
{
	struct perun_entry_time last = {0};
	size_t count = 0;

	for (size_t i = 0; i < add->count; i++) {
		struct perun_source *source = &add->sources[i];
		struct addition *addition = &additions[count];

		if (source->status)
			continue;
		memset(addition, 0, sizeof *addition);
		addition->rank = i;
		addition->source = source;
		addition->entry.time = perun_entry_time(&source->time, &last);
		addition->entry.path =
			perun_entries_text(entries, source->name, strlen(source->name));
		memcpy(addition->entry.checksum, source->checksum, PERUN_CHECKSUM_SIZE);
		if (add->how.import && add->how.import->once)
			addition->entry.time =
				first_time(entries, additions, count, &addition->entry);
		perun_facts_to_entry(&source->facts, entries, &addition->entry);
		count++;
	}
	qsort(additions, count, sizeof *additions, compare_additions);
	return count;
}

/* Whether entry `at` or one of the equal ones around has the same object too. */
static bool is_there(const struct perun_entries *entries, size_t at,
		     const struct perun_entry *entry)
{
	for (size_t i = at; i < entries->count; i++) {
		if (compare_entries(&entries->items[i], entry) != 0)
			break;
		if (strcmp(entries->items[i].checksum, entry->checksum) == 0)
			return true;
	}
	return false;
}

/* Merge into a list that is sorted, as all are that were not damaged or made by hand. */
static size_t merge(struct perun_entries *entries, struct addition *additions, size_t count)
{
	struct perun_entries merged;
	size_t at = 0, added = 0;

	perun_entries_start(&merged);
	for (size_t i = 0; i < count; i++) {
		const struct perun_entry *entry = &additions[i].entry;
		bool same_as_last = i > 0 && compare_entries(entry, &additions[i - 1].entry) == 0;

		while (at < entries->count && compare_entries(&entries->items[at], entry) < 0)
			perun_entries_append(&merged, &entries->items[at++]);
		additions[i].source->already = is_there(entries, at, entry);
		for (size_t j = merged.count; same_as_last && j-- > 0;) {
			if (compare_entries(&merged.items[j], entry) != 0)
				break;
			if (strcmp(merged.items[j].checksum, entry->checksum) == 0)
				additions[i].source->already = true;
		}
		if (additions[i].source->already)
			continue;
		perun_entries_append(&merged, entry);
		added++;
	}
	while (at < entries->count)
		perun_entries_append(&merged, &entries->items[at++]);
	/* The texts stay with the list that owns them. */
	struct perun_entry *items = entries->items;
	entries->items = merged.items;
	entries->count = merged.count;
	((struct perun_entries_memory *)entries->memory)->capacity =
		((struct perun_entries_memory *)merged.memory)->capacity;
	merged.items = items;
	perun_entries_free(&merged);
	return added;
}

/* One by one, where the Python program would put them. */
static size_t insert_each(struct perun_entries *entries, struct addition *additions, size_t count)
{
	size_t added = 0;

	for (size_t i = 0; i < count; i++) {
		const struct perun_entry *entry = &additions[i].entry;
		bool there, same = false;
		size_t place = perun_entries_place(entries, entry, &there);

		for (size_t j = 0; j < entries->count && there; j++)
			same |= compare_entries(&entries->items[j], entry) == 0 &&
				strcmp(entries->items[j].checksum, entry->checksum) == 0;
		additions[i].source->already = same;
		if (same)
			continue;
		perun_entries_append(entries, entry);
		memmove(entries->items + place + 1, entries->items + place,
			(entries->count - 1 - place) * sizeof *entry);
		entries->items[place] = *entry;
		added++;
	}
	return added;
}

static bool is_sorted(const struct perun_entries *entries)
{
	for (size_t i = 1; i < entries->count; i++) {
		if (compare_entries(&entries->items[i - 1], &entries->items[i]) > 0)
			return false;
	}
	return true;
}

static int update_index(struct perun_ctx *ctx, struct add *add, struct perun_entries *entries,
			const struct perun_index_file *file)
{
	struct addition *additions = perun_alloc_zero(add->count + 1, sizeof *additions);
	size_t count = list_additions(add, entries, additions), added;
	char path[PERUN_OBJECT_PATH_SIZE];
	int status = PERUN_OK;

	if (is_sorted(entries))
		added = merge(entries, additions, count);
	else
		added = insert_each(entries, additions, count);
	perun_free(additions);
	perun_object_path(add->how.minor, "", path);
	if (added || (count && file->state == PERUN_INDEX_FOREIGN))
		status = perun_index_write(ctx, add->transaction, path, entries, file);
	return status;
}

/* ---- removing the sources --------------------------------------------------------------------- */

/* The directory of a path, as it really is; the caller frees it with free(). */
static char *real_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? perun_strndup(path, (size_t)(slash - path) + 1) : NULL;
	char *real = realpath(directory ? directory : ".", NULL);

	perun_free(directory);
	return real;
}

static bool same_directory(const char *a, const char *b)
{
	const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
	size_t length = end_a ? (size_t)(end_a - a) : 0;

	return (!end_a && !end_b) ||
	       (end_a && end_b && length == (size_t)(end_b - b) && strncmp(a, b, length) == 0);
}

/* What lies in .perun/jobs is Perun's own and moves into the store; any other file is the user's. */
static void spare_files_of_user(struct add *add)
{
	char *jobs = perun_format("%s/jobs", perun_store_path(add->store)), *directory;
	const struct perun_source *before = NULL;

	for (size_t i = 0; i < add->count; before = &add->sources[i++]) {
		if (before && same_directory(before->path, add->sources[i].path)) {
			add->sources[i].stays = before->stays;
			continue;
		}
		directory = real_directory(add->sources[i].path);
		add->sources[i].stays = !directory || strcmp(directory, jobs) != 0;
		free(directory);
	}
	perun_free(jobs);
}

/*
 * The last step: nothing of the user's goes before its copy is safe. Where blocks are discarded on the
 * device as they are freed, removing a file mostly waits: so there are more threads than processors.
 */
struct removal {
	struct add *add;
	atomic_size_t next;
};

static void remove_source(struct perun_source *source)
{
	struct stat now;

	/* A directory may hold more than was read, and a pipe is not a file of the user's. */
	if (source->stays || source->status || !S_ISREG(source->info.st_mode) ||
	    perun_path_stat(source->path, &now) != 0)
		return;
	source->changed = !perun_same_file(&source->info, &now);
	if (!source->changed && perun_path_unlink(source->path) != 0 && errno != ENOENT)
		source->error_number = errno;
}

static void remove_some(void *data)
{
	struct removal *removal = data;
	size_t i;

	while ((i = atomic_fetch_add(&removal->next, 1)) < removal->add->count)
		remove_source(&removal->add->sources[i]);
}

/* How many threads are worth it, after trying a few files alone. */
static size_t count_removers(struct removal *removal)
{
	struct timespec start, end;
	size_t tried = 0;

	if (removal->add->count < 4 * REMOVALS_TRIED)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (tried < REMOVALS_TRIED)
		remove_source(&removal->add->sources[tried++]);
	clock_gettime(CLOCK_MONOTONIC, &end);
	atomic_store(&removal->next, tried);
	return (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec >
			       (long long)tried * REMOVAL_WAITS
		       ? REMOVERS
		       : 1;
}

static void remove_sources(struct perun_ctx *ctx, struct add *add)
{
	struct removal removal = {.add = add};
	struct perun_thread threads[REMOVERS];
	size_t started = 0, wanted;

	atomic_init(&removal.next, 0);
	if (!add->how.options->move)
		spare_files_of_user(add);
	wanted = count_removers(&removal);
	while (started < wanted && perun_thread_start(&threads[started], remove_some, &removal))
		started++;
	remove_some(&removal);
	while (started > 0)
		perun_thread_join(&threads[--started]);
	for (size_t i = 0; i < add->count; i++) {
		const struct perun_source *source = &add->sources[i];

		if (source->changed)
			perun_warn(ctx,
				   "%s changed since it was read; it was added and not removed",
				   source->path);
		else if (source->error_number && !source->status)
			perun_warn(ctx, "%s was added but cannot be removed: %s", source->path,
				   strerror(source->error_number));
	}
}

/* Profiles of other formats with no more rows have these stored, too, so that other programs show them. */
static uint64_t expanded_rows(struct perun_ctx *ctx, struct perun_store *store)
{
	int64_t rows = perun_store_limit(ctx, store, "store.expanded_rows", EXPANDED_ROWS);

	return rows > 0 ? (uint64_t)rows : 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Of an import all files are good, or nothing is registered. */
static int settle_import(struct perun_ctx *ctx, struct add *add)
{
	for (size_t i = 0; i < add->count; i++) {
		const struct perun_source *source = &add->sources[i];

		if (source->status)
			return perun_fail(ctx, source->status, "%s", source->error);
	}
	return PERUN_OK;
}

/* What has labels is found by them without opening its object. */
static void note_labels(const struct add *add)
{
	struct perun_buffer lines = {0};

	for (size_t i = 0; i < add->count; i++) {
		const struct perun_source *source = &add->sources[i];

		if (!source->status && source->facts.labels)
			perun_labels_line(&lines, source->checksum, source->facts.labels);
	}
	perun_labels_note(add->store, &lines);
	perun_buffer_free(&lines);
}

static int add_files(struct perun_ctx *ctx, struct add *add)
{
	struct perun_index_file file = {0};
	struct perun_entries entries;
	int status = perun_index_load(ctx, add->store, add->how.minor, &entries, &file);

	if (status)
		return status;
	status = prepare_all(ctx, add);
	if (!status && add->how.import)
		status = settle_import(ctx, add);
	if (!status)
		status = update_index(ctx, add, &entries, &file);
	if (!status)
		status = perun_transaction_commit(ctx, add->transaction);
	if (!status)
		note_labels(add);
	if (!status && !add->how.options->keep)
		remove_sources(ctx, add);
	perun_index_file_free(&file);
	perun_entries_free(&entries);
	return status;
}

static int give_results(struct perun_ctx *ctx, struct add *add, struct perun_additions **results)
{
	struct perun_additions *additions = perun_alloc_zero(1, sizeof *additions);
	struct perun_added *made = perun_alloc_zero(add->count + 1, sizeof *made);
	int status = PERUN_OK;

	*additions = (struct perun_additions){made, add->count};
	for (size_t i = 0; i < add->count; i++) {
		struct perun_source *source = &add->sources[i];

		made[i].struct_size = sizeof *made;
		made[i].path = perun_strdup(source->path);
		memcpy(made[i].checksum, source->checksum, PERUN_CHECKSUM_SIZE);
		made[i].already = source->already;
		made[i].status = source->status;
		made[i].error = source->error;
		(void)stpcpy(made[i].minor, source->status ? source->origin : add->how.minor);
		source->error = NULL;
		if (!status && made[i].status)
			status = perun_fail(ctx, made[i].status, "%s", made[i].error);
	}
	if (results)
		*results = additions;
	else
		perun_additions_free(additions);
	return status;
}

static void free_add(struct add *add)
{
	for (size_t i = 0; i < add->count; i++)
		perun_source_free(&add->sources[i]);
	perun_free(add->sources);
	while (add->preparers.count > 0)
		perun_preparer_free(add->preparers.free[--add->preparers.count]);
	perun_free(add->preparers.free);
	pthread_mutex_destroy(&add->preparers.mutex);
}

static int run_add(struct perun_ctx *ctx, struct add *add, const char *const *paths,
		   struct perun_additions **results)
{
	int status = perun_check_minor(ctx, add->how.minor);

	pthread_mutex_init(&add->preparers.mutex, NULL);
	if (results)
		*results = NULL;
	add->sources = perun_alloc_zero(add->count + 1, sizeof *add->sources);
	for (size_t i = 0; i < add->count; i++)
		add->sources[i] =
			(struct perun_source){.path = paths[i],
					      .number = i,
					      .fd = -1,
					      .saved = add->saved ? &add->saved[i] : NULL};
	/* Streams end when they end: until then others may change the store. */
	for (size_t i = 0; !status && add->how.import && i < add->count; i++)
		status = perun_source_spool(ctx, add->store, &add->sources[i]);
	if (!status)
		status = perun_transaction_begin(
			ctx, add->store, add->how.import ? "import" : "add", &add->transaction);
	if (!status) {
		status = add_files(ctx, add);
		perun_transaction_end(add->transaction);
	}
	if (!status)
		status = give_results(ctx, add, results);
	free_add(add);
	return status;
}

static int add_to(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
		  const char *const *paths, size_t count, const struct perun_add_options *options,
		  struct perun_additions **results)
{
	struct perun_add_options own;
	struct add add = {.store = store, .how = {.minor = minor, .options = &own}, .count = count};

	PERUN_STRUCT_TAKE(&own, options);
	add.how.expanded_rows = expanded_rows(ctx, store);
	return run_add(ctx, &add, paths, results);
}

int perun_store_add(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
		    const char *const *paths, size_t count, const struct perun_add_options *options,
		    struct perun_additions **results)
{
	struct perun_additions *additions;
	struct perun_vcs *vcs;
	char *head = NULL;
	int status = PERUN_OK;

	if (minor)
		return add_to(ctx, store, minor, paths, count, options, results);
	if (results)
		*results = NULL;
	status = perun_store_vcs(ctx, store, &vcs);
	if (!status)
		status = perun_vcs_get_minor_head(ctx, vcs, &head);
	if (status)
		return status;
	status = add_to(ctx, store, head, paths, count, options, &additions);
	if (status && additions)
		status = perun_add_to_origins(ctx, store, paths, options, additions);
	if (results)
		*results = additions;
	else
		perun_additions_free(additions);
	perun_free(head);
	return status;
}

int perun_store_add_saved(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			  const struct perun_saved *saved, size_t count)
{
	struct perun_add_options own = {.struct_size = sizeof own};
	struct add add = {.store = store,
			  .how = {.minor = minor, .options = &own},
			  .count = count,
			  .saved = saved};
	const char **paths = perun_alloc_zero(count + 1, sizeof *paths);
	int status;

	for (size_t i = 0; i < count; i++)
		paths[i] = saved[i].path;
	add.how.expanded_rows = expanded_rows(ctx, store);
	status = run_add(ctx, &add, paths, NULL);
	perun_free((void *)paths);
	return status;
}

/* It is a file's name, and that of one profile. */
static int check_name(struct perun_ctx *ctx, const char *name, size_t count)
{
	if (count != 1)
		return perun_fail(ctx, PERUN_USAGE, "%zu profiles cannot have one name", count);
	if (!*name || *name == '.' || strpbrk(name, "/\n") || strlen(name) > 200)
		return perun_fail(ctx, PERUN_USAGE,
				  "a profile cannot be called %s: expected the name of a file, "
				  "without a folder",
				  *name ? name : "''");
	return PERUN_OK;
}

int perun_store_import(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
		       const char *const *paths, size_t count,
		       const struct perun_import_options *options, struct perun_additions **results)
{
	struct perun_import_options import;
	struct perun_add_options how = {.struct_size = sizeof how, .keep = true};
	struct add add = {.store = store,
			  .how = {.minor = minor, .options = &how, .import = &import},
			  .count = count};
	char *name_template = NULL;
	int status = perun_pending_template(ctx, store, &name_template);

	PERUN_STRUCT_TAKE(&import, options);
	if (results)
		*results = NULL;
	how.expand = import.expand;
	add.how.name_template = name_template;
	add.how.expanded_rows = expanded_rows(ctx, store);
	if (!status && import.name)
		status = check_name(ctx, import.name, count);
	if (!status)
		status = run_add(ctx, &add, paths, results);
	perun_free(name_template);
	return status;
}

const struct perun_added *perun_additions_at(const struct perun_additions *additions, size_t i)
{
	return i < additions->count ? &additions->items[i] : NULL;
}

void perun_additions_free(struct perun_additions *additions)
{
	if (!additions)
		return;
	for (size_t i = 0; i < additions->count; i++) {
		perun_free((char *)additions->items[i].path);
		perun_free((char *)additions->items[i].error);
	}
	perun_free(additions->items);
	perun_free(additions);
}
