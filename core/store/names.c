/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files lie below objects/: listed once, for walks over long histories. */
#include <stdlib.h>
#include <string.h>

#include "core/store/store.h"

/* The names in one of the 256 directories, the first 20 bytes of each, sorted. */
struct names {
	bool listed, failed;
	size_t count;
	unsigned char (*items)[20];
};

struct perun_names {
	struct names directories[256];
};

static int compare(const void *one, const void *other)
{
	return memcmp(one, other, 20);
}

static void list(struct perun_store *store, const char *minor, struct names *directory)
{
	char path[12], checksum[PERUN_CHECKSUM_SIZE];
	char **names;
	size_t count;

	directory->listed = true;
	memcpy(path, "objects/", 8);
	memcpy(path + 8, minor, 2);
	path[10] = '\0';
	if (perun_list_directory(NULL, store, path, &names, &count)) {
		directory->failed = true;
		return;
	}
	directory->items = perun_alloc((count + 1) * sizeof *directory->items);
	memcpy(checksum, minor, 2);
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]);

		if (length > sizeof checksum - 3)
			continue;
		memcpy(checksum + 2, names[i], length + 1);
		if (perun_is_checksum(checksum))
			perun_hex_decode(checksum, directory->items[directory->count++]);
	}
	perun_free(names);
	qsort(directory->items, directory->count, sizeof *directory->items, compare);
}

bool perun_store_has_index(struct perun_ctx *ctx, struct perun_store *store, const char *minor)
{
	unsigned char bytes[20];
	struct names *directory;

	(void)ctx;
	if (!perun_is_checksum(minor))
		return false;
	if (!store->names)
		store->names = perun_alloc_zero(1, sizeof *store->names);
	perun_hex_decode(minor, bytes);
	directory = &store->names->directories[bytes[0]];
	if (!directory->listed)
		list(store, minor, directory);
	if (directory->failed)
		return true; /* whoever reads the index will report it */
	return bsearch(bytes, directory->items, directory->count, sizeof *directory->items,
		       compare) != NULL;
}

void perun_names_list(struct perun_store *store)
{
	static const char digits[] = "0123456789abcdef";
	char checksum[PERUN_CHECKSUM_SIZE];

	memset(checksum, '0', PERUN_SHA1_DIGITS);
	checksum[PERUN_SHA1_DIGITS] = '\0';
	for (size_t i = 0; i < 256; i++) {
		checksum[0] = digits[i / 16];
		checksum[1] = digits[i % 16];
		perun_store_has_index(NULL, store, checksum);
	}
}

bool perun_names_lack(const struct perun_store *store, const char *checksum)
{
	const struct names *directory;
	unsigned char bytes[20];

	if (!store->names)
		return false;
	perun_hex_decode(checksum, bytes);
	directory = &store->names->directories[bytes[0]];
	return directory->listed && !directory->failed &&
	       !bsearch(bytes, directory->items, directory->count, sizeof *directory->items,
			compare);
}

bool perun_names_none(const struct perun_store *store, size_t number)
{
	const struct names *directory;

	if (!store->names)
		return false;
	directory = &store->names->directories[number];
	return directory->listed && !directory->failed && directory->count == 0;
}

void perun_names_forget(struct perun_store *store)
{
	if (!store->names)
		return;
	for (size_t i = 0; i < 256; i++)
		perun_free(store->names->directories[i].items);
	perun_free(store->names);
	store->names = NULL;
}
