/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of many registered profiles stay as they grow older. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <perun/lib/retention.h>
#include <perun/vcs.h>

#include "core/context/structs.h"
#include "core/options/value.h"
#include "core/profile/pool.h"
#include "core/store/scan.h"

#define HOUR 3600
#define DAY  86400

struct retaining {
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_retention how;
	int64_t now;
	struct perun_pool *kept; /* checksums of versions of which everything stays */
	perun_retention_visit *visit;
	void *data;
};

/* ---- settings -------------------------------------------------------------------------------- */

static int read_age(struct perun_ctx *ctx, struct perun_store *store, const char *key, int64_t *age)
{
	char *text = NULL;
	double seconds = 0;
	int status = perun_config_get(ctx, store, PERUN_CONFIG_NEAREST, key, &text);

	if (!status && text && (!option_parse_duration(text, &seconds) || !(seconds < 1e12)))
		status = perun_fail(ctx, PERUN_INPUT, "%s: expected a time such as 7d, not '%s'",
				    key, text);
	*age = (int64_t)seconds;
	perun_free(text);
	return status;
}

int perun_retention_find(struct perun_ctx *ctx, struct perun_store *store,
			 struct perun_retention *retention)
{
	int status = read_age(ctx, store, "store.retention.all", &retention->all);

	if (!status)
		status = read_age(ctx, store, "store.retention.hourly", &retention->hourly);
	if (!status && retention->hourly > 0 && retention->hourly < retention->all)
		status = perun_fail(ctx, PERUN_INPUT,
				    "store.retention.hourly is less than store.retention.all");
	return status;
}

/* ---- what stays whole ------------------------------------------------------------------------ */

static void keep(struct retaining *all, const char *version)
{
	if (version)
		perun_pool_add(&all->kept, version, strlen(version));
}

/* Branches, whose heads a server may measure every minute. */
struct naming {
	struct retaining *all;
	struct perun_pool *branches;
};

static int add_branch(void *data, const struct perun_major_version *branch)
{
	struct naming *naming = data;

	perun_pool_add(&naming->branches, branch->name, strlen(branch->name));
	return PERUN_OK;
}

static bool is_branch(const struct naming *naming, const char *name)
{
	return perun_pool_find(naming->branches, name, strlen(name)) != PERUN_NO_ID ||
	       strcmp(name, "HEAD") == 0;
}

static int keep_tagged(void *data, const struct perun_major_version *version)
{
	struct naming *naming = data;
	const char *remote = strchr(version->name, '/');

	if (!is_branch(naming, version->name) && !(remote && is_branch(naming, remote + 1)))
		keep(naming->all, version->head);
	return PERUN_OK;
}

static int find_tagged(struct retaining *all)
{
	struct naming naming = {all, perun_pool_new(true)};
	struct perun_vcs *vcs;
	int status = perun_store_vcs(all->ctx, all->store, &vcs);

	if (!status)
		status = perun_vcs_walk_major_versions(all->ctx, vcs, add_branch, &naming);
	if (!status)
		status = perun_vcs_walk_names(all->ctx, vcs, keep_tagged, &naming);
	perun_pool_unref(naming.branches);
	return status;
}

/* Both versions of each finding. */
static int find_judged(struct retaining *all, const struct perun_scan *scan)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < scan->count && !status; i++) {
		struct perun_stored_changes changes;

		if (scan->items[i].kind != PERUN_SCAN_CHANGES)
			continue;
		status = perun_store_changes(all->ctx, all->store, scan->items[i].checksum,
					     &changes);
		if (status)
			break;
		for (size_t k = 0; k < changes.count; k++)
			keep(all, perun_stored_changes_at(&changes, k)->minor);
		if (changes.count)
			keep(all, scan->items[i].checksum);
		perun_stored_changes_free(&changes);
	}
	return status;
}

/* ---- what goes ------------------------------------------------------------------------------- */

static int newest_first(const void *one, const void *other)
{
	const struct perun_entry *const *a = one, *const *b = other;

	if ((*a)->time != (*b)->time)
		return (*a)->time > (*b)->time ? -1 : 1;
	return strcmp((*a)->checksum, (*b)->checksum);
}

static void add_part(struct perun_buffer *key, const char *text)
{
	perun_buffer_add_text(key, text ? text : "");
	perun_buffer_add_char(key, '\0');
}

/* The hour or the day of what is measured, but for the labels. */
static void describe(const struct retaining *all, const struct perun_entry *entry,
		     struct perun_buffer *key)
{
	bool hourly = all->now - (int64_t)entry->time < all->how.hourly;

	perun_buffer_clear(key);
	add_part(key, entry->type);
	add_part(key, entry->cmd);
	add_part(key, entry->args);
	add_part(key, entry->workload);
	add_part(key, entry->collector);
	add_part(key, entry->postprocessors);
	perun_buffer_printf(key, hourly ? "hour %u" : "day %u",
			    entry->time / (hourly ? HOUR : DAY));
}

/* They are in the object. */
static int add_labels(const struct retaining *all, const struct perun_entry *entry,
		      struct perun_buffer *key)
{
	struct perun_object object;
	struct perun_facts facts;
	int status = perun_object_read(all->ctx, all->store, entry->checksum, true, &object);

	if (status)
		return status;
	status = perun_facts_read(all->ctx, object.body, (size_t)object.length, &facts);
	perun_object_free(&object);
	if (status)
		return status;
	add_part(key, facts.labels);
	perun_facts_free(&facts);
	return PERUN_OK;
}

/* Whether none was seen before of what the key names. */
static bool is_first(struct perun_pool **seen, const struct perun_buffer *key)
{
	if (perun_pool_find(*seen, key->data, key->length) != PERUN_NO_ID)
		return false;
	perun_pool_add(seen, key->data, key->length);
	return true;
}

/* How many there are in the hour or the day of each, whatever their labels. */
static size_t *count_neighbours(const struct retaining *all,
				const struct perun_entry *const *entries, size_t count)
{
	struct perun_pool *keys = perun_pool_new(false);
	struct perun_buffer key = {0};
	perun_id *ids = perun_alloc((count + 1) * sizeof *ids);
	size_t *of_key = perun_alloc_zero(count + 1, sizeof *of_key);
	size_t *neighbours = perun_alloc((count + 1) * sizeof *neighbours);

	for (size_t i = 0; i < count; i++) {
		describe(all, entries[i], &key);
		ids[i] = perun_pool_add(&keys, key.data, key.length);
		of_key[ids[i]]++;
	}
	for (size_t i = 0; i < count; i++)
		neighbours[i] = of_key[ids[i]];
	perun_pool_unref(keys);
	perun_buffer_free(&key);
	perun_free(ids);
	perun_free(of_key);
	return neighbours;
}

/*
 * Of entries that are too old for all to stay, the newest first, those that go become the first ones. No object is opened of
 * one that is alone in its hour or day, as most are that went through this before.
 */
static int choose(struct retaining *all, const struct perun_entry **entries, size_t count,
		  size_t *going)
{
	size_t *neighbours = count_neighbours(all, entries, count);
	struct perun_pool *seen = perun_pool_new(false);
	struct perun_buffer key = {0};
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++) {
		if (neighbours[i] == 1)
			continue;
		describe(all, entries[i], &key);
		status = add_labels(all, entries[i], &key);
		if (!status && !is_first(&seen, &key))
			entries[(*going)++] = entries[i];
	}
	perun_pool_unref(seen);
	perun_buffer_free(&key);
	perun_free(neighbours);
	return status;
}

static int retain_version(struct retaining *all, const char *version)
{
	struct perun_entries entries;
	const struct perun_entry **old;
	size_t count = 0, going = 0;
	int status = perun_index_load(all->ctx, all->store, version, &entries, NULL);

	if (status)
		return status;
	old = perun_alloc((entries.count + 1) * sizeof *old);
	for (size_t i = 0; i < entries.count; i++) {
		if (all->now - (int64_t)entries.items[i].time >= all->how.all)
			old[count++] = &entries.items[i];
	}
	if (count)
		qsort((void *)old, count, sizeof *old, newest_first);
	status = choose(all, old, count, &going);
	if (!status && going && !all->how.dry_run)
		status = perun_store_remove(all->ctx, all->store, version, old, going);
	for (size_t i = 0; i < going && !status && all->visit; i++)
		all->visit(all->data, version, old[i]);
	perun_free((void *)old);
	perun_entries_free(&entries);
	return status;
}

int perun_store_retain(struct perun_ctx *ctx, struct perun_store *store,
		       const struct perun_retention *retention, perun_retention_visit *visit,
		       void *data)
{
	struct retaining all = {.ctx = ctx,
				.store = store,
				.now = (int64_t)time(NULL),
				.visit = visit,
				.data = data};
	struct perun_scan scan;
	int status;

	PERUN_STRUCT_TAKE(&all.how, retention);
	if (all.how.all <= 0)
		return PERUN_OK;
	status = perun_scan(ctx, store, &scan);
	if (status)
		return status;
	all.kept = perun_pool_new(false);
	status = find_tagged(&all);
	if (!status)
		status = find_judged(&all, &scan);
	for (size_t i = 0; i < scan.count && !status; i++) {
		const char *version = scan.items[i].checksum;

		if (scan.items[i].kind == PERUN_SCAN_INDEX &&
		    perun_pool_find(all.kept, version, strlen(version)) == PERUN_NO_ID)
			status = retain_version(&all, version);
	}
	perun_pool_unref(all.kept);
	perun_scan_free(&scan);
	return status;
}
