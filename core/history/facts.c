/* SPDX-License-Identifier: BSD-3-Clause */
/* What profiles say of their measurements, read once and kept. */
#include <string.h>

#include "core/context/hash.h"
#include "core/history/cache.h"
#include "core/history/history.h"
#include "core/store/store.h"

struct item {
	char checksum[PERUN_CHECKSUM_SIZE];
	struct perun_profile *profile;
};

struct perun_profile_facts {
	struct perun_store *store;
	struct perun_history_cache *cache;
	struct item *items;
	size_t count, capacity;
	size_t *slots; /* open addressing: number of an item + 1, 0 = free */
	size_t slot_count;
};

struct perun_profile_facts *perun_profile_facts_open(struct perun_store *store)
{
	struct perun_profile_facts *facts = perun_alloc_zero(1, sizeof *facts);

	facts->store = store;
	facts->cache = perun_history_cache_open(store);
	return facts;
}

void perun_profile_facts_close(struct perun_profile_facts *facts)
{
	if (!facts)
		return;
	for (size_t i = 0; i < facts->count; i++)
		perun_profile_unref(facts->items[i].profile);
	perun_history_cache_close(facts->cache);
	perun_free(facts->items);
	perun_free(facts->slots);
	perun_free(facts);
}

/* ---- the table ------------------------------------------------------------------------------- */

static size_t *slot_of(const struct perun_profile_facts *facts, const char *checksum)
{
	size_t mask = facts->slot_count - 1;
	size_t slot = (size_t)perun_hash_bytes(checksum, strlen(checksum), 0) & mask;

	while (facts->slots[slot] &&
	       strcmp(facts->items[facts->slots[slot] - 1].checksum, checksum) != 0)
		slot = (slot + 1) & mask;
	return &facts->slots[slot];
}

static void grow(struct perun_profile_facts *facts)
{
	facts->slot_count = facts->slot_count ? facts->slot_count * 2 : 64;
	perun_free(facts->slots);
	facts->slots = perun_alloc_zero(facts->slot_count, sizeof *facts->slots);
	for (size_t i = 0; i < facts->count; i++)
		*slot_of(facts, facts->items[i].checksum) = i + 1;
}

/* ---- one profile ----------------------------------------------------------------------------- */

static bool read_kept(struct perun_profile_facts *facts, const char *checksum,
		      struct perun_json **document)
{
	struct perun_buffer body = {0};
	bool kept = perun_history_cache_read(facts->cache, PERUN_RECORD_FACTS, checksum, &body) &&
		    perun_json_parse(NULL, body.data, body.length, NULL, document) == PERUN_OK;

	perun_buffer_free(&body);
	return kept;
}

bool perun_profile_facts_known(struct perun_profile_facts *facts, const char *checksum)
{
	return perun_history_cache_has(facts->cache, PERUN_RECORD_FACTS, checksum);
}

void perun_profile_facts_add(struct perun_profile_facts *facts, const char *checksum,
			     const struct perun_json *document)
{
	struct perun_buffer body = {0};

	perun_json_print(document, &body, PERUN_JSON_COMPACT, 0);
	perun_history_cache_add(facts->cache, PERUN_RECORD_FACTS, checksum, body.data, body.length);
	perun_buffer_free(&body);
}

static int read_facts(struct perun_ctx *ctx, struct perun_profile_facts *facts,
		      const char *checksum, struct perun_json **document)
{
	int status = perun_store_read_facts(ctx, facts->store, checksum, document);

	if (!status)
		perun_profile_facts_add(facts, checksum, *document);
	return status;
}

int perun_profile_facts_find(struct perun_ctx *ctx, struct perun_profile_facts *facts,
			     const char *checksum, const struct perun_profile **profile)
{
	struct perun_json *document = NULL;
	struct perun_builder *builder;
	struct item item = {0};
	size_t *slot;
	int status = PERUN_OK;

	*profile = NULL;
	if (2 * facts->count >= facts->slot_count)
		grow(facts);
	slot = slot_of(facts, checksum);
	if (*slot) {
		*profile = facts->items[*slot - 1].profile;
		return PERUN_OK;
	}
	if (!read_kept(facts, checksum, &document))
		status = read_facts(ctx, facts, checksum, &document);
	if (status)
		return status;
	builder = perun_builder_new();
	for (size_t i = 0; i < perun_json_count(document); i++)
		perun_json_set(perun_builder_document(builder),
			       perun_json_key_at(document, i, NULL),
			       perun_json_clone(perun_json_at(document, i)));
	perun_json_free(document);
	status = perun_builder_finish(ctx, builder, &item.profile);
	if (status)
		return status;
	(void)perun_snprintf(item.checksum, sizeof item.checksum, "%s", checksum);
	PERUN_GROW(facts->items, facts->count, facts->capacity);
	facts->items[facts->count++] = item;
	*slot = facts->count;
	*profile = item.profile;
	return PERUN_OK;
}
