/* SPDX-License-Identifier: BSD-3-Clause */
/* Registering profiles with many versions at once: a history that was measured elsewhere. */
#include <stdlib.h>
#include <string.h>

#include <perun/format.h>
#include <perun/lib/history.h>

#include "core/store/pack.h"

/* From this number of profiles on, listing the objects once is quicker than asking for each. */
#define LIST_FROM 512
#define PART      32 /* profiles that a thread takes at a time */

struct addition {
	struct perun_version_profile *profile;
	struct perun_facts facts;
};

struct additions {
	struct perun_store *store;
	struct perun_transaction *transaction;
	struct addition *items;
	size_t count;
};

/* ---- objects --------------------------------------------------------------------------------- */

struct packing {
	struct perun_ctx *ctx;
	struct perun_packer *packer;
};

static int to_packer(void *data, const void *bytes, size_t size)
{
	struct packing *packing = data;

	return perun_packer_add(packing->ctx, packing->packer, bytes, size);
}

/* The body of the object: the profile as the Python program stores it. */
static int pack_profile(struct packing *packing, const struct perun_profile *profile)
{
	static const char *const as_stored[] = {"stored=yes", NULL};
	struct perun_output *output = perun_output_to_sink(to_packer, packing);
	int status;

	perun_packer_start(packing->packer);
	status = perun_write_profile(packing->ctx, profile, "perun", as_stored, output);
	if (!status)
		status = perun_output_commit(packing->ctx, output);
	perun_output_close(output);
	return status;
}

static int stage_object(struct packing *packing, struct additions *all, struct addition *addition)
{
	struct perun_piece pieces[PERUN_PACKED_PIECES];
	char *checksum = addition->profile->checksum, path[PERUN_OBJECT_PATH_SIZE];
	bool lacks;
	size_t count;
	int status = perun_packer_name(packing->ctx, packing->packer, PERUN_OBJECT_PROFILE,
				       addition->facts.type, checksum);

	if (status)
		return status;
	lacks = perun_names_lack(all->store, checksum);
	if (!lacks && perun_object_exists(all->store, checksum))
		return PERUN_OK;
	count = perun_packer_pack(packing->packer, pieces);
	perun_object_path(checksum, "", path);
	return lacks ? perun_transaction_write_fresh(packing->ctx, all->transaction, path, pieces,
						     count)
		     : perun_transaction_write(packing->ctx, all->transaction, PERUN_STAGE_FIRST,
					       path, pieces, count, NULL);
}

static int stage_some(struct perun_ctx *ctx, size_t part, void *data)
{
	struct additions *all = data;
	struct packing packing = {ctx, perun_packer_new(all->store, all->count >= LIST_FROM)};
	size_t end = part * PART + PART < all->count ? part * PART + PART : all->count;
	int status = PERUN_OK;

	for (size_t i = part * PART; !status && i < end; i++) {
		struct addition *addition = &all->items[i];
		const struct perun_profile *profile = addition->profile->profile;

		perun_facts_of_document(perun_profile_document(profile), &addition->facts);
		status = pack_profile(&packing, profile);
		if (!status)
			status = stage_object(&packing, all, addition);
	}
	perun_packer_free(packing.packer);
	return status;
}

/* ---- indexes --------------------------------------------------------------------------------- */

static int compare_additions(const void *one, const void *other)
{
	const struct addition *a = one, *b = other;
	int order = strcmp(a->profile->minor, b->profile->minor);

	return order ? order : strcmp(a->profile->name, b->profile->name);
}

/* Remove the entries of a name; true when one of them has the object. Then nothing is removed. */
static bool clear_name(struct perun_entries *entries, struct perun_version_profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < entries->count; i++) {
		if (strcmp(entries->items[i].path, profile->name) == 0 &&
		    strcmp(entries->items[i].checksum, profile->checksum) == 0)
			return profile->already = true;
	}
	for (size_t i = 0; i < entries->count; i++) {
		if (strcmp(entries->items[i].path, profile->name) != 0)
			entries->items[kept++] = entries->items[i];
	}
	profile->replaced = kept < entries->count;
	entries->count = kept;
	return false;
}

static void put_entry(struct perun_entries *entries, const struct addition *addition)
{
	const struct perun_version_profile *profile = addition->profile;
	struct perun_entry entry = {.struct_size = sizeof entry, .time = profile->time};
	size_t place;
	bool there;

	entry.path = perun_entries_text(entries, profile->name, strlen(profile->name));
	memcpy(entry.checksum, profile->checksum, PERUN_CHECKSUM_SIZE);
	perun_facts_to_entry(&addition->facts, entries, &entry);
	place = perun_entries_place(entries, &entry, &there);
	perun_entries_append(entries, &entry);
	memmove(entries->items + place + 1, entries->items + place,
		(entries->count - 1 - place) * sizeof entry);
	entries->items[place] = entry;
}

/* The additions of one version. */
static int update_index(struct perun_ctx *ctx, struct additions *all, struct addition *first,
			size_t count)
{
	const char *minor = first->profile->minor;
	struct perun_index_file file = {0};
	struct perun_entries entries;
	char path[PERUN_OBJECT_PATH_SIZE];
	bool changed = false;
	int status = perun_index_load(ctx, all->store, minor, &entries, &file);

	if (status)
		return status;
	for (size_t i = 0; i < count; i++) {
		if (clear_name(&entries, first[i].profile))
			continue;
		put_entry(&entries, &first[i]);
		changed = true;
	}
	perun_object_path(minor, "", path);
	if (changed)
		status = perun_index_write(ctx, all->transaction, path, &entries, &file);
	perun_index_file_free(&file);
	perun_entries_free(&entries);
	return status;
}

static int update_indexes(struct perun_ctx *ctx, struct additions *all)
{
	int status = PERUN_OK;

	qsort(all->items, all->count, sizeof *all->items, compare_additions);
	for (size_t i = 0, next; !status && i < all->count; i = next) {
		for (next = i + 1; next < all->count; next++) {
			if (strcmp(all->items[i].profile->minor, all->items[next].profile->minor))
				break;
		}
		status = update_index(ctx, all, &all->items[i], next - i);
	}
	return status;
}

int perun_store_add_profiles(struct perun_ctx *ctx, struct perun_store *store,
			     struct perun_version_profile *profiles, size_t count)
{
	struct additions all = {.store = store, .count = count};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = perun_check_minor(ctx, profiles[i].minor);
	if (status || !count)
		return status;
	status = perun_transaction_begin(ctx, store, "import", &all.transaction);
	if (status)
		return status;
	all.items = perun_alloc_zero(count, sizeof *all.items);
	for (size_t i = 0; i < count; i++)
		all.items[i].profile = &profiles[i];
	if (count >= LIST_FROM)
		perun_names_list(store);
	status = perun_parallel_for(ctx, (count - 1) / PART + 1, stage_some, &all);
	if (!status)
		status = perun_transaction_place(ctx, all.transaction);
	if (!status)
		status = update_indexes(ctx, &all);
	if (!status)
		status = perun_transaction_commit(ctx, all.transaction);
	perun_transaction_end(all.transaction);
	for (size_t i = 0; i < count; i++)
		perun_facts_free(&all.items[i].facts);
	perun_free(all.items);
	return status;
}
