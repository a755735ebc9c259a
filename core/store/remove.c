/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking profiles out of an index. */
#include <stdlib.h>
#include <string.h>

#include "core/store/store.h"

/* An entry of the index, until it is taken out. */
struct place {
	const struct perun_entry *entry;
	size_t number;
	bool gone;
};

static int by_name(const struct perun_entry *one, const struct perun_entry *other)
{
	int order = strcmp(one->checksum, other->checksum);

	return order ? order : strcmp(one->path, other->path);
}

static int compare(const void *one, const void *other)
{
	const struct place *a = one, *b = other;
	int order = by_name(a->entry, b->entry);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The first of those that do not come before the wanted one. */
static size_t lower_bound(const struct place *places, size_t count,
			  const struct perun_entry *wanted)
{
	size_t first = 0;

	while (first < count) {
		size_t middle = first + (count - first) / 2;

		if (by_name(places[middle].entry, wanted) < 0)
			first = middle + 1;
		else
			count = middle;
	}
	return first;
}

/* The first entry of the same name and object, the one of the same time before others. */
static struct place *find(struct place *places, size_t count, const struct perun_entry *wanted)
{
	struct place *found = NULL;

	for (size_t i = lower_bound(places, count, wanted);
	     i < count && by_name(places[i].entry, wanted) == 0; i++) {
		if (places[i].gone)
			continue;
		if (places[i].entry->time == wanted->time)
			return &places[i];
		if (!found)
			found = &places[i];
	}
	return found;
}

static int take_out(struct perun_ctx *ctx, struct perun_entries *entries, const char *minor,
		    const struct perun_entry *const *wanted, size_t count)
{
	struct place *places = perun_alloc_zero(entries->count + 1, sizeof *places);
	bool *gone = perun_alloc_zero(entries->count + 1, sizeof *gone);
	size_t left = 0;
	int status = PERUN_OK;

	for (size_t i = 0; i < entries->count; i++)
		places[i] = (struct place){&entries->items[i], i, false};
	if (entries->count)
		qsort(places, entries->count, sizeof *places, compare);
	for (size_t i = 0; i < count && !status; i++) {
		struct place *place = find(places, entries->count, wanted[i]);

		if (place)
			place->gone = gone[place->number] = true;
		else
			status = perun_fail(ctx, PERUN_USAGE, "%s is not registered with %s",
					    wanted[i]->path, minor);
	}
	for (size_t i = 0; i < entries->count && !status; i++) {
		if (!gone[i])
			entries->items[left++] = entries->items[i];
	}
	entries->count = status ? entries->count : left;
	perun_free(places);
	perun_free(gone);
	return status;
}

int perun_store_remove(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
		       const struct perun_entry *const *wanted, size_t count)
{
	struct perun_transaction *transaction;
	struct perun_index_file file;
	struct perun_entries entries;
	char path[PERUN_OBJECT_PATH_SIZE];
	int status = perun_check_minor(ctx, minor);

	if (!status)
		status = perun_transaction_begin(ctx, store, "rm", &transaction);
	if (status)
		return status;
	status = perun_index_load(ctx, store, minor, &entries, &file);
	if (!status) {
		status = take_out(ctx, &entries, minor, wanted, count);
		perun_object_path(minor, "", path);
		if (!status)
			status = perun_index_write(ctx, transaction, path, &entries, &file);
		if (!status)
			status = perun_transaction_commit(ctx, transaction);
		perun_index_file_free(&file);
		perun_entries_free(&entries);
	}
	perun_transaction_end(transaction);
	return status;
}
