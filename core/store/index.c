/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of an index: version 1, both layouts of version 2. */
#include <string.h>

#include "core/store/store.h"

/*
 *	"pidx" | version u32 | count u32 | entries; all integers little-endian
 *	entry of version 1: time u32 | 20 bytes of checksum | path | NUL
 *	entry of version 2: the same, then texts, each u32 length and bytes:
 *		type, cmd, workload, collector, postprocessors           (Python program since 0.21.7)
 *		type, cmd, args, workload, collector, postprocessors     (before, same version number)
 */
#define HEADER_SIZE    12
#define FIXED_SIZE     24 /* time and checksum */
#define SMALLEST_ENTRY 25

struct cursor {
	const unsigned char *data;
	size_t size, at;
};

static uint32_t get_u32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static void put_u32(struct perun_buffer *out, uint32_t value)
{
	unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8),
				  (unsigned char)(value >> 16), (unsigned char)(value >> 24)};

	perun_buffer_add(out, bytes, sizeof bytes);
}

/* Time, checksum and path; false when there is not that much left. */
static bool get_head(struct cursor *cursor, struct perun_entries *entries,
		     struct perun_entry *entry)
{
	const unsigned char *bytes = cursor->data + cursor->at;
	const unsigned char *end;

	if (cursor->size - cursor->at < SMALLEST_ENTRY)
		return false;
	end = memchr(bytes + FIXED_SIZE, 0, cursor->size - cursor->at - FIXED_SIZE);
	if (!end || end == bytes + FIXED_SIZE)
		return false;
	entry->time = get_u32(bytes);
	perun_hex_encode(bytes + 4, entry->checksum);
	entry->path = perun_entries_text(entries, (const char *)bytes + FIXED_SIZE,
					 (size_t)(end - bytes) - FIXED_SIZE);
	cursor->at += (size_t)(end - bytes) + 1;
	return true;
}

/* `*text` was that of the entry before, which mostly has the same; or NULL. */
static bool get_text(struct cursor *cursor, struct perun_entries *entries, const char **text)
{
	const char *bytes;
	size_t left = cursor->size - cursor->at;
	uint32_t length;

	if (left < 4)
		return false;
	length = get_u32(cursor->data + cursor->at);
	cursor->at += 4;
	bytes = (const char *)cursor->data + cursor->at;
	if (length > left - 4 || memchr(bytes, 0, length))
		return false;
	if (!*text || strncmp(*text, bytes, length) != 0 || (*text)[length])
		*text = perun_entries_text(entries, bytes, length);
	cursor->at += length;
	return true;
}

/* Whether `count` entries of this layout fill the file exactly; then they are in the list. */
static bool decode_as(enum perun_index_layout layout, struct cursor cursor, uint32_t count,
		      struct perun_entries *entries)
{
	struct perun_entry entry = {0};
	const char **texts[] = {&entry.type,     &entry.cmd,       &entry.args,
				&entry.workload, &entry.collector, &entry.postprocessors};

	perun_entries_start(entries);
	for (uint32_t i = 0; i < count; i++) {
		bool good = get_head(&cursor, entries, &entry);

		for (size_t j = 0; j < 6 && good && layout != PERUN_INDEX_V1; j++) {
			if (j != 2 || layout == PERUN_INDEX_SIX_TEXTS)
				good = get_text(&cursor, entries, texts[j]);
		}
		if (!good)
			break;
		perun_entries_append(entries, &entry);
	}
	if (entries->count == count && cursor.at == cursor.size)
		return true;
	perun_entries_free(entries);
	return false;
}

int perun_index_decode(struct perun_ctx *ctx, const char *what, const void *data, size_t size,
		       struct perun_entries *entries, enum perun_index_layout *layout)
{
	/* The second choice of version 1: the Python program's rm leaves such an index. */
	static const enum perun_index_layout candidates[2][3] = {
		{PERUN_INDEX_V1, PERUN_INDEX_FIVE_TEXTS, PERUN_INDEX_SIX_TEXTS},
		{PERUN_INDEX_FIVE_TEXTS, PERUN_INDEX_SIX_TEXTS, 0}};
	struct cursor cursor = {data, size, HEADER_SIZE};
	uint32_t version, count;

	memset(entries, 0, sizeof *entries);
	if (size < HEADER_SIZE || memcmp(data, "pidx", 4) != 0)
		return perun_fail(ctx, PERUN_INPUT, "%s is damaged: not an index", what);
	version = get_u32(cursor.data + 4);
	count = get_u32(cursor.data + 8);
	if (version < 1 || version > 2)
		return perun_fail(ctx, PERUN_INPUT, "%s has version %u; versions 1 and 2 are known",
				  what, version);
	if (count > (size - HEADER_SIZE) / SMALLEST_ENTRY)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s is damaged: it announces %u entries but has only %zu bytes",
				  what, count, size);
	for (size_t i = 0; i < 3 && candidates[version - 1][i]; i++) {
		if (decode_as(candidates[version - 1][i], cursor, count, entries)) {
			if (layout)
				*layout = candidates[version - 1][i];
			return PERUN_OK;
		}
	}
	return perun_fail(ctx, PERUN_INPUT, "%s is damaged: its %u entries do not fill %zu bytes",
			  what, count, size);
}

static void put_text(struct perun_buffer *out, const char *text)
{
	size_t length = strlen(text);

	put_u32(out, (uint32_t)length);
	perun_buffer_add(out, text, length);
}

void perun_index_encode(const struct perun_entries *entries, struct perun_buffer *out)
{
	perun_buffer_add(out, "pidx", 4);
	put_u32(out, 2);
	put_u32(out, (uint32_t)entries->count);
	for (size_t i = 0; i < entries->count; i++) {
		const struct perun_entry *entry = &entries->items[i];
		unsigned char bytes[20];

		put_u32(out, entry->time);
		perun_hex_decode(entry->checksum, bytes);
		perun_buffer_add(out, bytes, sizeof bytes);
		perun_buffer_add(out, entry->path, strlen(entry->path) + 1);
		put_text(out, entry->type);
		put_text(out, entry->cmd);
		put_text(out, entry->workload);
		put_text(out, entry->collector);
		put_text(out, entry->postprocessors);
	}
}
