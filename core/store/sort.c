/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which tags number entries. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <perun/lib/path.h>

#include "core/store/store.h"

#define SORT_KEY "format.sort_profiles_by"

struct item {
	struct perun_entry entry;
	size_t place;
	const char *text;
	char own[48];          /* room for a time */
	struct timespec exact; /* of a pending profile's file, when times are compared */
};

static const char *const keys[] = {"time",     "source",    "type",     "cmd",
				   "workload", "collector", "checksum", "realpath"};

static bool is_key(const char *key)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (strcmp(keys[i], key) == 0)
			return true;
	}
	return false;
}

/* The Python program compares the local time as text. */
static const char *time_text(struct item *item)
{
	time_t seconds = item->entry.time;
	struct tm local;

	if (!localtime_r(&seconds, &local) ||
	    strftime(item->own, sizeof item->own, "%Y-%m-%d %H:%M:%S", &local) == 0)
		item->own[0] = '\0';
	return item->own;
}

static const char *text_of(struct item *item, const char *key, bool pending)
{
	const struct perun_entry *entry = &item->entry;

	if (strcmp(key, "time") == 0)
		return time_text(item);
	if (strcmp(key, "type") == 0)
		return entry->type;
	if (strcmp(key, "cmd") == 0)
		return entry->cmd;
	if (strcmp(key, "workload") == 0)
		return entry->workload;
	if (strcmp(key, "collector") == 0)
		return entry->collector;
	/* The file of a registered profile is its object. */
	if (strcmp(key, "checksum") == 0 || (strcmp(key, "realpath") == 0 && !pending))
		return entry->checksum;
	return entry->path;
}

static int compare_times(const struct timespec *a, const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

/* Descending; equal ones in the order of the file. */
static int compare(const void *one, const void *other)
{
	const struct item *a = *(struct item *const *)one, *b = *(struct item *const *)other;
	int order = strcmp(b->text, a->text);

	if (order == 0)
		order = compare_times(&b->exact, &a->exact);
	if (order == 0)
		order = a->place < b->place ? -1 : a->place > b->place;
	return order;
}

/* Of those that were measured within a second, the newest is to be 0@p. */
static void find_exact_time(const struct perun_store *store, struct item *item)
{
	char *path = perun_format("jobs/%s", item->entry.path);
	struct stat info;

	if (perun_beneath_stat(store->directory, path, &info) == 0)
		item->exact = info.st_mtim;
	perun_free(path);
}

static void sort_by(const struct perun_store *store, struct perun_entries *entries, const char *key)
{
	const struct perun_entries_memory *memory = entries->memory;
	bool exact = memory && memory->pending && strcmp(key, "time") == 0;
	struct item *items = perun_alloc_zero(entries->count + 1, sizeof *items);
	struct item **order = perun_alloc_zero(entries->count + 1, sizeof *order);

	for (size_t i = 0; i < entries->count; i++) {
		items[i].entry = entries->items[i];
		items[i].place = i;
		items[i].text = text_of(&items[i], key, memory && memory->pending);
		if (exact)
			find_exact_time(store, &items[i]);
		order[i] = &items[i];
	}
	qsort(order, entries->count, sizeof(struct item *), compare);
	for (size_t i = 0; i < entries->count; i++)
		entries->items[i] = order[i]->entry;
	perun_free(order);
	perun_free(items);
}

int perun_store_sort(struct perun_ctx *ctx, struct perun_store *store,
		     struct perun_entries *entries, const char *key)
{
	char *configured = NULL;
	int status = PERUN_OK;

	if (!key)
		status = perun_config_get(ctx, store, PERUN_CONFIG_NEAREST, SORT_KEY, &configured);
	if (!status && !key)
		key = configured ? configured : "time";
	if (!status && !is_key(key))
		status = perun_fail(
			ctx, PERUN_USAGE,
			"profiles cannot be sorted by '%s'%s; choose one of time, source, "
			"type, cmd, workload, collector, checksum, realpath",
			key, configured ? " (" SORT_KEY ")" : "");
	if (!status)
		sort_by(store, entries, key);
	perun_free(configured);
	return status;
}
