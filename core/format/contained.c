/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the texts that formats say their files contain are among the first bytes of one: all are sought at once, by
 * their first two bytes.
 */
#include <string.h>

#include "core/format/contained.h"

enum { BUCKETS = 4096 };

struct mark {
	const char *text;
	size_t length, plugin;
	size_t next; /* of the same bucket, from 1; 0 at the end */
};

static size_t bucket_of(const char *bytes)
{
	return ((size_t)(unsigned char)bytes[0] << 4 ^ (unsigned char)bytes[1]) % BUCKETS;
}

static void seek_marks(const struct perun_probe *probe, const struct mark *marks,
		       const size_t *buckets, bool *contained)
{
	const char *data = probe->data;

	for (size_t at = 0; at + 1 < probe->size; at++) {
		for (size_t i = buckets[bucket_of(data + at)]; i; i = marks[i - 1].next) {
			const struct mark *mark = &marks[i - 1];

			if (!contained[mark->plugin] && mark->length <= probe->size - at &&
			    memcmp(data + at, mark->text, mark->length) == 0)
				contained[mark->plugin] = true;
		}
	}
}

bool *formats_contained(const struct perun_plugin_info *list, size_t count,
			const struct perun_probe *probe)
{
	bool *contained = perun_alloc_zero(count + 1, sizeof *contained);
	size_t *buckets = perun_alloc_zero(BUCKETS, sizeof *buckets);
	struct mark *marks = NULL;
	size_t mark_count = 0, capacity = 0;

	for (size_t i = 0; i < count; i++) {
		for (const char *const *text = list[i].contains; text && *text; text++) {
			size_t length = strlen(*text), *bucket;

			if (length < 2) {
				contained[i] |= memchr(probe->data, **text, probe->size) != NULL;
				continue;
			}
			bucket = &buckets[bucket_of(*text)];
			PERUN_GROW(marks, mark_count, capacity);
			marks[mark_count++] = (struct mark){*text, length, i, *bucket};
			*bucket = mark_count;
		}
	}
	seek_marks(probe, marks, buckets, contained);
	perun_free(marks);
	perun_free(buckets);
	return contained;
}
