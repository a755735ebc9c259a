/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which tags number entries. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <perun/json.h>
#include <perun/lib/path.h>

#include "core/store/store.h"

#define SORT_KEY   "format.sort_profiles_by"
#define SORT_ORDER "format.sort_profiles_order"

struct item {
	const char *text; /* NULL where times are compared */
	uint64_t moment;  /* YYYYMMDDhhmmss, local */
	uint64_t exact;   /* of a pending profile's file, in nanoseconds, when times are compared */
	size_t place;
	bool ascending;
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

/* Equal ones stay in their order. */
static int compare(const void *one, const void *other)
{
	const struct item *a = one, *b = other;
	int order = a->text ? strcmp(b->text, a->text) : descending(a->moment, b->moment);

	if (order == 0)
		order = descending(a->exact, b->exact);
	if (a->ascending)
		order = -order;
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

static void sort_by(const struct perun_store *store, struct perun_entries *entries, const char *key,
		    bool ascending)
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
			.ascending = ascending,
		};
	}
	qsort(items, entries->count, sizeof *items, compare);
	permute(entries->items, items, entries->count);
	perun_free(items);
}

static int check_key(struct perun_ctx *ctx, const char *key, const char *setting)
{
	if (key && is_key(key))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE,
			  "profiles cannot be sorted by '%s'%s; choose one of time, source, "
			  "type, cmd, workload, collector, checksum, realpath",
			  key ? key : "", setting);
}

/* ---- as configured: one key or several, the first one counts most --------------------------- */

/* Value `i` of a list; one value that is not in a list is for all. NULL where there is none. */
static const char *word_at(const struct perun_json *value, size_t i)
{
	if (perun_json_type(value) == PERUN_JSON_TYPE_ARRAY)
		value = perun_json_at(value, i);
	return perun_json_as_string(value, NULL);
}

static int read_order(struct perun_ctx *ctx, const struct perun_json *orders, size_t i,
		      bool *ascending)
{
	const char *order = word_at(orders, i);

	*ascending = order && strcmp(order, "asc") == 0;
	if (!order || *ascending || strcmp(order, "desc") == 0)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE, SORT_ORDER ": expected asc or desc, not '%s'", order);
}

/* By the last key first: what is sorted by the one before it keeps that order where it is equal. */
static int sort_by_all(struct perun_ctx *ctx, const struct perun_store *store,
		       struct perun_entries *entries, const struct perun_json *sort_keys,
		       const struct perun_json *orders)
{
	bool listed = perun_json_type(sort_keys) == PERUN_JSON_TYPE_ARRAY, ascending;
	size_t count = listed ? perun_json_count(sort_keys) : 1;
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = check_key(ctx, word_at(sort_keys, i), " (" SORT_KEY ")");
	for (size_t i = count; i-- > 0 && !status;) {
		status = read_order(ctx, orders, i, &ascending);
		if (!status)
			sort_by(store, entries, word_at(sort_keys, i), ascending);
	}
	return status;
}

static int sort_as_configured(struct perun_ctx *ctx, struct perun_store *store,
			      struct perun_entries *entries)
{
	struct perun_json *sort_keys = NULL, *orders = NULL;
	int status = perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, SORT_KEY, &sort_keys);

	if (!status)
		status = perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, SORT_ORDER,
					       &orders);
	if (!status && !sort_keys)
		sort_keys = perun_json_text("time");
	if (!status)
		status = sort_by_all(ctx, store, entries, sort_keys, orders);
	perun_json_free(sort_keys);
	perun_json_free(orders);
	return status;
}

int perun_store_sort(struct perun_ctx *ctx, struct perun_store *store,
		     struct perun_entries *entries, const char *key)
{
	int status = key ? check_key(ctx, key, "") : sort_as_configured(ctx, store, entries);

	if (!status && key)
		sort_by(store, entries, key, false);
	return status;
}
