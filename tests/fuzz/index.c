/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: indexes of the store. What is read is written and read as the same. */
#include "core/store/store.h"
#include "tests/fuzz/fuzz.h"

static bool same_text(const char *one, const char *other)
{
	return strcmp(one, other) == 0;
}

static bool same_entry(const struct perun_entry *one, const struct perun_entry *other)
{
	return one->time == other->time && same_text(one->checksum, other->checksum) &&
	       same_text(one->path, other->path) && same_text(one->type, other->type) &&
	       same_text(one->cmd, other->cmd) && same_text(one->workload, other->workload) &&
	       same_text(one->collector, other->collector) &&
	       same_text(one->postprocessors, other->postprocessors);
}

static void check_written(const struct perun_entries *entries, enum perun_index_layout layout,
			  const uint8_t *data, size_t size)
{
	struct perun_buffer bytes = {0};
	struct perun_entries again;
	enum perun_index_layout written;

	perun_index_encode(entries, &bytes);
	if (layout == PERUN_INDEX_FIVE_TEXTS && data[4] == 2)
		MUST(bytes.length == size && memcmp(bytes.data, data, size) == 0);
	MUST(perun_index_decode(NULL, "again", bytes.data, bytes.length, &again, &written) ==
	     PERUN_OK);
	MUST(written == PERUN_INDEX_FIVE_TEXTS);
	MUST(again.count == entries->count);
	for (size_t i = 0; i < again.count; i++)
		MUST(same_entry(&entries->items[i], &again.items[i]));
	perun_entries_free(&again);
	perun_buffer_free(&bytes);
}

void fuzz_index(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_entries entries;
	enum perun_index_layout layout;
	int status = perun_index_decode(ctx, "index", data, size, &entries, &layout);

	MUST(status == PERUN_OK || (status == PERUN_INPUT && perun_ctx_error(ctx)));
	if (status == PERUN_OK) {
		check_written(&entries, layout, data, size);
		perun_entries_free(&entries);
	}
	perun_ctx_free(ctx);
}
