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
	const char *text; /* NULL where times are compared */
	uint64_t moment;  /* YYYYMMDDhhmmss, local */
	uint64_t exact;   /* of a pending profile's file, in nanoseconds, when times are compared */
	size_t place;
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

/* The Python program compares the local time as text: its digits. */
static uint64_t moment_of(time_t seconds)
{
	uint64_t moment = 0;
	struct tm local;

	if (!localtime_r(&seconds, &local))
		return 0;
	for (size_t i = 0; i < 6; i++)
		moment = 100 * moment +
			 (uint64_t)(const int[]){local.tm_year + 1900, local.tm_mon + 1,
						 local.tm_mday,        local.tm_hour,
						 local.tm_min,         local.tm_sec}[i];
	return moment;
}

static const char *text_of(const struct perun_entry *entry, const char *key, bool pending)
{
	if (strcmp(key, "time") == 0)
		return NULL;
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

static int descending(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* Descending; equal ones in the order of the file. */
static int compare(const void *one, const void *other)
{
	const struct item *a = one, *b = other;
	int order = a->text ? strcmp(b->text, a->text) : descending(a->moment, b->moment);

	if (order == 0)
		order = descending(a->exact, b->exact);
	return order ? order : descending(b->place, a->place);
}

/* Of those that were measured within a second, the newest is to be 0@p. */
static uint64_t exact_time(const struct perun_store *store, const struct perun_entry *entry)
{
	char *path = perun_format("jobs/%s", entry->path);
	struct stat info;
	uint64_t exact = 0;

	if (perun_beneath_stat(store->directory, path, &info) == 0)
		exact = (uint64_t)info.st_mtim.tv_sec * 1000000000 + (uint64_t)info.st_mtim.tv_nsec;
	perun_free(path);
	return exact;
}

/* Moves each entry to where its item is, cycle by cycle: they are large. */
static void permute(struct perun_entry *entries, struct item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct perun_entry first = entries[i];
		size_t to = i;

		for (size_t from; (from = items[to].place) != i; to = from) {
			entries[to] = entries[from];
			items[to].place = to;
		}
		entries[to] = first;
		items[to].place = to;
	}
}

static void sort_by(const struct perun_store *store, struct perun_entries *entries, const char *key)
{
	const struct perun_entries_memory *memory = entries->memory;
	bool pending = memory && memory->pending, by_time = strcmp(key, "time") == 0;
	struct item *items = perun_alloc(entries->count * sizeof *items + 1);

	for (size_t i = 0; i < entries->count; i++) {
		const struct perun_entry *entry = &entries->items[i];

		items[i] = (struct item){
			.text = text_of(entry, key, pending),
			.moment = by_time ? moment_of(entry->time) : 0,
			.exact = by_time && pending ? exact_time(store, entry) : 0,
			.place = i,
		};
	}
	qsort(items, entries->count, sizeof *items, compare);
	permute(entries->items, items, entries->count);
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
