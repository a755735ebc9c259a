/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of versions: the first parents of one. */
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/lookup.h>

#include "core/history/history.h"
#include "core/history/verdict-key.h"
#include "core/store/store.h"

struct walk {
	struct perun_version_line *line;
	char *next; /* the first parent of the last one */
	/* Ends with the newest version that this store has profiles of; NULL = with the root. */
	struct perun_ctx *ctx;
	struct perun_store *measured;
};

static int visit(void *data, const struct perun_minor_version *version)
{
	struct walk *walk = data;
	struct perun_version_line *line = walk->line;
	bool on_line = strcmp(version->checksum, walk->next) == 0;

	perun_announcements_visit(&line->announced, version, on_line);
	if (!on_line)
		return PERUN_OK;
	PERUN_GROW(line->versions, line->count, line->capacity);
	line->versions[line->count++] = perun_minor_version_copy(version);
	if (version->parent_count == 0 ||
	    (walk->measured && perun_store_has_index(walk->ctx, walk->measured, version->checksum)))
		return PERUN_STOP;
	perun_free(walk->next);
	walk->next = perun_strdup(version->parents[0]);
	return PERUN_OK;
}

/* From newest first to oldest first. */
static void turn(struct perun_version_line *line)
{
	line->checksums = perun_alloc_zero(line->count + 1, sizeof *line->checksums);
	for (size_t i = 0; i < line->count / 2; i++) {
		struct perun_minor_version *kept = line->versions[i];

		line->versions[i] = line->versions[line->count - 1 - i];
		line->versions[line->count - 1 - i] = kept;
	}
	for (size_t i = 0; i < line->count; i++)
		line->checksums[i] = line->versions[i]->checksum;
}

static int load(struct perun_ctx *ctx, struct perun_store *store, const char *text, bool newest,
		struct perun_version_line **result)
{
	struct walk walk = {.line = perun_alloc_zero(1, sizeof(struct perun_version_line)),
			    .ctx = ctx,
			    .measured = newest ? store : NULL};
	struct perun_range range = {0};
	struct perun_vcs *vcs;
	int status = perun_store_vcs(ctx, store, &vcs);

	*result = NULL;
	if (!status)
		status = perun_lookup_range(ctx, store, text, &range);
	if (!status) {
		walk.next = perun_strdup(range.head);
		status = range.exclude ? perun_vcs_walk_range(ctx, vcs, range.exclude, range.head,
							      visit, &walk)
				       : perun_vcs_walk_minor_versions(ctx, vcs, range.head, visit,
								       &walk);
	}
	if (status == PERUN_STOP)
		status = PERUN_OK;
	perun_free(walk.next);
	perun_range_free(&range);
	turn(walk.line);
	if (status)
		perun_version_line_free(walk.line);
	else
		*result = walk.line;
	return status;
}

int perun_version_line_load(struct perun_ctx *ctx, struct perun_store *store, const char *text,
			    struct perun_version_line **line)
{
	return load(ctx, store, text, false, line);
}

int perun_version_line_newest(struct perun_ctx *ctx, struct perun_store *store, const char *text,
			      struct perun_version_line **line)
{
	return load(ctx, store, text, true, line);
}

int perun_version_line_around(struct perun_ctx *ctx, struct perun_store *store, const char *version,
			      struct perun_version_line **line)
{
	int status = perun_version_line_load(ctx, store, NULL, line);

	if (status || (perun_version_line_find(*line, version) < (*line)->count &&
		       perun_store_has_index(ctx, store, version)))
		return status;
	perun_version_line_free(*line);
	return perun_version_line_load(ctx, store, version, line);
}

/* Announcements come in with the first version from theirs on that is kept; those that have none show nowhere. */
static void move_announcements(struct perun_announcements *list, const size_t *newer, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct perun_announcement *item = &list->items[i];
		size_t from = newer[count - 1 - item->depth];

		if (from == 0) {
			perun_free(item->message);
			continue;
		}
		item->depth = from - 1;
		list->items[kept++] = *item;
	}
	list->count = kept;
}

void perun_version_line_keep_measured(struct perun_ctx *ctx, struct perun_store *store,
				      struct perun_version_line *line)
{
	/* For each version: how many from it on are kept. */
	size_t *newer, kept = 0;

	if (line->measured)
		return;
	newer = perun_alloc_zero(line->count + 1, sizeof *newer);
	for (size_t i = line->count; i-- > 0;)
		newer[i] = newer[i + 1] +
			   perun_store_has_index(ctx, store, line->versions[i]->checksum);
	move_announcements(&line->announced, newer, line->count);
	for (size_t i = 0; i < line->count; i++) {
		if (newer[i] == newer[i + 1]) {
			perun_minor_version_free(line->versions[i]);
			continue;
		}
		line->checksums[kept] = line->checksums[i];
		line->versions[kept++] = line->versions[i];
	}
	line->count = kept;
	line->measured = true;
	perun_free(newer);
}

void perun_version_line_free(struct perun_version_line *line)
{
	if (!line)
		return;
	for (size_t i = 0; i < line->count; i++)
		perun_minor_version_free(line->versions[i]);
	perun_announcements_free(&line->announced);
	perun_free(line->hashes);
	perun_free(line->versions);
	perun_free((void *)line->checksums);
	perun_free(line);
}

/* A version and its index as it lies in the store; `index` is room for that. */
static bool hash_version(struct perun_ctx *ctx, struct perun_store *store, const char *version,
			 struct perun_buffer *index, struct perun_hash *hash)
{
	char path[PERUN_OBJECT_PATH_SIZE];
	struct stat info;

	perun_buffer_clear(index);
	if (perun_store_has_index(ctx, store, version)) {
		perun_object_path(version, "", path);
		if (perun_file_read(ctx, store, path, PERUN_INDEX_LIMIT, index, &info))
			return false;
	}
	perun_verdict_key_add_text(hash, version);
	perun_hash_add(hash, &index->length, sizeof index->length);
	perun_hash_add(hash, index->data, index->length);
	return true;
}

static bool make_hashes(struct perun_ctx *ctx, struct perun_store *store,
			struct perun_version_line *line)
{
	struct perun_buffer index = {0};
	struct perun_hash hash;
	bool works = true;

	line->hashes = perun_alloc_zero(PERUN_LINE_NEWER + 1, sizeof *line->hashes);
	perun_sha256_start(&hash);
	for (size_t i = 0; works; i++) {
		if (line->count - i <= PERUN_LINE_NEWER)
			line->hashes[line->count - i] = hash;
		if (i == line->count)
			break;
		works = hash_version(ctx, store, line->checksums[i], &index, &hash);
	}
	perun_buffer_free(&index);
	if (works)
		return true;
	perun_free(line->hashes);
	line->hashes = NULL;
	return false;
}

bool perun_version_line_hash(struct perun_ctx *ctx, struct perun_store *store,
			     struct perun_version_line *line, size_t newer,
			     char digest[2 * PERUN_SHA256_BYTES + 1])
{
	struct perun_hash hash;

	if (newer > PERUN_LINE_NEWER || newer > line->count ||
	    (!line->hashes && !make_hashes(ctx, store, line)))
		return false;
	hash = line->hashes[newer];
	perun_hash_end_text(&hash, digest, PERUN_SHA256_BYTES);
	return true;
}

size_t perun_version_line_find(const struct perun_version_line *line, const char *version)
{
	size_t i = line->count;

	while (i > 0 && strcmp(line->checksums[i - 1], version) != 0)
		i--;
	return i > 0 ? i - 1 : line->count;
}

size_t perun_version_line_count(const struct perun_version_line *line)
{
	return line->count;
}

const struct perun_minor_version *perun_version_line_version(const struct perun_version_line *line,
							     size_t i)
{
	return i < line->count ? line->versions[i] : NULL;
}

const char *const *perun_version_line_checksums(const struct perun_version_line *line)
{
	return line->checksums;
}
