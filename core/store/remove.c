/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking profiles out of an index. */
#include <string.h>

#include "core/store/store.h"

/* The first entry of the same name and object, the one of the same time before others. */
static size_t find(const struct perun_entries *entries, const struct perun_entry *wanted)
{
	size_t found = entries->count;

	for (size_t i = 0; i < entries->count; i++) {
		const struct perun_entry *entry = &entries->items[i];

		if (strcmp(entry->path, wanted->path) != 0 ||
		    strcmp(entry->checksum, wanted->checksum) != 0)
			continue;
		if (entry->time == wanted->time)
			return i;
		if (found == entries->count)
			found = i;
	}
	return found;
}

static int take_out(struct perun_ctx *ctx, struct perun_entries *entries, const char *minor,
		    const struct perun_entry *wanted)
{
	size_t place = find(entries, wanted);

	if (place == entries->count)
		return perun_fail(ctx, PERUN_USAGE, "%s is not registered with %s", wanted->path,
				  minor);
	entries->count--;
	memmove(entries->items + place, entries->items + place + 1,
		(entries->count - place) * sizeof *entries->items);
	return PERUN_OK;
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
		for (size_t i = 0; i < count && !status; i++)
			status = take_out(ctx, &entries, minor, wanted[i]);
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
