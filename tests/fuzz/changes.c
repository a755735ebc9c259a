/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the changes of a minor version. What is read and written again is the same. */
#include "tests/fuzz/place.h"

#define OTHER "fedcba9876543210fedcba9876543210fedcba98"

static bool same_number(double one, double other)
{
	return one == other || (one != one && other != other);
}

static bool is_among(const struct perun_stored_change *change,
		     const struct perun_stored_changes *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct perun_stored_change *other = perun_stored_changes_at(list, i);

		if (strcmp(change->change->location, other->change->location) == 0 &&
		    strcmp(change->change->type, other->change->type) == 0 &&
		    change->change->result == other->change->result &&
		    same_number(change->change->rate, other->change->rate) &&
		    same_number(change->change->relative, other->change->relative) &&
		    strcmp(change->minor, other->minor) == 0 &&
		    strcmp(change->command, other->command) == 0)
			return true;
	}
	return false;
}

static void save(struct perun_ctx *ctx, struct perun_store *store,
		 const struct perun_stored_changes *changes)
{
	const struct perun_stored_change **all = perun_alloc_zero(changes->count + 1, sizeof *all);

	for (size_t i = 0; i < changes->count; i++)
		all[i] = perun_stored_changes_at(changes, i);
	MUST(perun_store_save_changes(ctx, store, OTHER, all, changes->count) == PERUN_OK);
	perun_free(all);
}

/* What was read can be saved, and stays what it is when it is saved again. */
static void check_saved(struct perun_ctx *ctx, const struct perun_stored_changes *changes)
{
	struct perun_store *store = fuzz_store();
	struct perun_stored_changes once, twice;

	fuzz_store_write(OTHER, ".changes", "", 0);
	save(ctx, store, changes);
	MUST(perun_store_changes(ctx, store, OTHER, &once) == PERUN_OK);
	MUST(once.count <= changes->count && (once.count > 0) == (changes->count > 0));
	save(ctx, store, &once);
	MUST(perun_store_changes(ctx, store, OTHER, &twice) == PERUN_OK);
	MUST(twice.count == once.count);
	for (size_t i = 0; i < twice.count; i++)
		MUST(is_among(perun_stored_changes_at(&twice, i), &once));
	perun_stored_changes_free(&once);
	perun_stored_changes_free(&twice);
}

void fuzz_changes(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_stored_changes changes;
	static unsigned turn;

	fuzz_store_write(MINOR, ".changes", data, size);
	MUST(perun_store_changes(ctx, fuzz_store(), MINOR, &changes) == PERUN_OK);
	/* Saving flushes files: slow, so not each time. */
	if (changes.count && turn++ % 8 == 0)
		check_saved(ctx, &changes);
	perun_stored_changes_free(&changes);
	perun_ctx_free(ctx);
}
