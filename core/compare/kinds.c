/* SPDX-License-Identifier: BSD-3-Clause */
/* An index of entries by what they measure. */
#include "core/compare/kinds.h"
#include "core/history/values.h"

static void add_text(struct perun_buffer *key, const char *text)
{
	perun_bytes_add_text(key, text ? text : "");
}

static void make_key(const struct entry_kinds *kinds, const struct perun_entry *entry,
		     struct perun_buffer *key)
{
	perun_buffer_clear(key);
	add_text(key, entry->type);
	add_text(key, entry->cmd);
	add_text(key, entry->collector);
	add_text(key, kinds->workloads ? entry->workload : "");
}

void entry_kinds_make(struct entry_kinds *kinds, const struct perun_entries *entries,
		      bool workloads)
{
	perun_id *kind = perun_alloc((entries->count + 1) * sizeof *kind);
	struct perun_buffer key = {0};
	size_t *ends;

	*kinds = (struct entry_kinds){
		.workloads = workloads,
		.keys = perun_pool_new(false),
		.starts = perun_alloc_zero(entries->count + 2, sizeof *kinds->starts),
		.members = perun_alloc((entries->count + 1) * sizeof *kinds->members)};
	/* A counting sort: `ends` of a kind is its start until its entries are placed. */
	ends = kinds->starts + 1;
	for (size_t i = 0; i < entries->count; i++) {
		make_key(kinds, perun_entries_at(entries, i), &key);
		kind[i] = perun_pool_add(&kinds->keys, key.data, key.length);
		ends[kind[i] + 1]++;
	}
	for (size_t i = 1; i <= entries->count; i++)
		ends[i] += ends[i - 1];
	for (size_t i = 0; i < entries->count; i++)
		kinds->members[ends[kind[i]]++] = (uint32_t)i;
	perun_buffer_free(&key);
	perun_free(kind);
}

void entry_kinds_clear(struct entry_kinds *kinds)
{
	perun_pool_unref(kinds->keys);
	perun_free(kinds->starts);
	perun_free(kinds->members);
}

const uint32_t *entry_kinds_find(const struct entry_kinds *kinds, const struct perun_entry *entry,
				 size_t *count)
{
	struct perun_buffer key = {0};
	perun_id kind;

	make_key(kinds, entry, &key);
	kind = perun_pool_find(kinds->keys, key.data, key.length);
	perun_buffer_free(&key);
	*count = 0;
	if (kind == PERUN_NO_ID)
		return NULL;
	*count = kinds->starts[kind + 1] - kinds->starts[kind];
	return kinds->members + kinds->starts[kind];
}
