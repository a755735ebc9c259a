/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a directory, for commands that are given thousands of files of it. */
#include <dirent.h>
#include <stdint.h>
#include <string.h>

#include <perun/context.h>
#include <perun/lib/hash.h>

#include "core/lookup/directory-names.h"

static size_t slot_of(const struct perun_file_names *list, const char *name)
{
	size_t slot = (size_t)perun_hash_text(name, strlen(name)) & list->mask;

	while (list->slots[slot] && strcmp(list->names + list->slots[slot] - 1, name) != 0)
		slot = (slot + 1) & list->mask;
	return slot;
}

void perun_file_names_read(struct perun_file_names *list, const char *path)
{
	DIR *directory = opendir(path);
	struct perun_buffer names = {0};
	struct dirent *entry;
	size_t count = 0;

	perun_file_names_free(list);
	list->directory = perun_strdup(path);
	while (directory && (entry = readdir(directory))) {
		if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
			continue;
		perun_buffer_add(&names, entry->d_name, strlen(entry->d_name) + 1);
		count++;
	}
	if (directory)
		closedir(directory);
	list->mask = 15;
	while (list->mask < 2 * count)
		list->mask = 2 * list->mask + 1;
	list->slots = perun_alloc_zero(list->mask + 1, sizeof *list->slots);
	list->names = perun_buffer_take(&names);
	for (const char *name = list->names; count > 0; count--) {
		list->slots[slot_of(list, name)] = (size_t)(name - list->names) + 1;
		name += strlen(name) + 1;
	}
}

void perun_file_names_free(struct perun_file_names *list)
{
	perun_free(list->directory);
	perun_free(list->names);
	perun_free(list->slots);
	*list = (struct perun_file_names){0};
}

bool perun_file_names_has(const struct perun_file_names *list, const char *name)
{
	return list->directory && list->slots[slot_of(list, name)] != 0;
}
