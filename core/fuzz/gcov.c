/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts in .gcda files, of gcc from 4.7 on and of clang: words of four bytes in the order of the machine. A header
 * (magic, version, stamp, from gcc 12 on a checksum), then records of a tag, a length and that much. Up to gcc 11
 * lengths are words, from 12 on bytes; a negative one means zeros of that length, which are not written.
 */
#include <config.h>

#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perun/context.h>

#include "core/fuzz/files.h"
#include "core/fuzz/gcov.h"

#define MAGIC    0x67636461u /* "gcda" */
#define TAG_ARCS 0x01a10000u

/* ---- files ----------------------------------------------------------------------------------- */

static int by_name(const FTSENT **one, const FTSENT **other)
{
	return strcmp((*one)->fts_name, (*other)->fts_name);
}

static bool is_counts(const FTSENT *entry)
{
	size_t length = entry->fts_namelen;

	return entry->fts_info == FTS_F && length > 5 &&
	       strcmp(entry->fts_name + length - 5, ".gcda") == 0;
}

static FTS *open_folder(const char *folder)
{
	char *const paths[] = {(char *)folder, NULL};

	return fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
}

void fuzz_gcov_clear(const char *folder)
{
	FTS *files = open_folder(folder);
	FTSENT *entry;

	while (files && (entry = fts_read(files)))
		if (is_counts(entry))
			unlink(entry->fts_accpath);
	if (files)
		fts_close(files);
}

static struct fuzz_gcov_file *find_file(struct fuzz_gcov *gcov, const char *path)
{
	for (size_t i = 0; i < gcov->file_count; i++)
		if (strcmp(gcov->files[i].path, path) == 0)
			return &gcov->files[i];
	return NULL;
}

void fuzz_gcov_free(struct fuzz_gcov *gcov)
{
	for (size_t i = 0; i < gcov->file_count; i++)
		perun_free(gcov->files[i].path);
	perun_free(gcov->files);
	*gcov = (struct fuzz_gcov){0};
}

/* ---- one file -------------------------------------------------------------------------------- */

static uint32_t word_at(const struct perun_buffer *bytes, size_t at)
{
	uint32_t word = 0;

	if (at + sizeof word <= bytes->length)
		memcpy(&word, bytes->data + at, sizeof word);
	return word;
}

/* "B22*" is 12.2, "A93*" 9.3, "408*" 4.8. */
static unsigned major_of(uint32_t version)
{
	unsigned first = version >> 24, second = version >> 16 & 0xff;

	if (second < '0' || second > '9')
		return 0;
	return first >= 'A' && first <= 'Z' ? (first - 'A') * 10 + (second - '0') : first - '0';
}

/* Hand each counter to `counts`, if there is room for `room`; returns how many there are. */
static size_t take_counts(const struct perun_buffer *bytes, uint64_t *counts, size_t room)
{
	bool in_bytes = major_of(word_at(bytes, 4)) >= 12;
	size_t at = in_bytes ? 16 : 12, taken = 0;

	if (word_at(bytes, 0) != MAGIC)
		return 0;
	while (at + 8 <= bytes->length && word_at(bytes, at)) {
		uint32_t tag = word_at(bytes, at);
		int64_t length = (int32_t)word_at(bytes, at + 4) * (in_bytes ? 1LL : 4LL);
		size_t size = (size_t)(length < 0 ? -length : length);

		at += 8;
		if (length > 0 && size > bytes->length - at)
			break;
		for (size_t i = 0; tag == TAG_ARCS && i < size / 8 && taken < room; i++, taken++) {
			counts[taken] = 0;
			if (length > 0)
				memcpy(&counts[taken], bytes->data + at + i * 8, 8);
		}
		at += length > 0 ? size : 0;
	}
	return taken;
}

static void read_file(struct fuzz_gcov *gcov, const char *path, uint64_t *counts, size_t room)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct fuzz_gcov_file *file = find_file(gcov, path);
	struct perun_buffer bytes = {0};

	if (fuzz_read_file(quiet, path, &bytes) == PERUN_OK && file) {
		take_counts(&bytes, counts + file->first, file->count);
	} else if (bytes.length) {
		PERUN_GROW(gcov->files, gcov->file_count, gcov->file_capacity);
		file = &gcov->files[gcov->file_count++];
		file->path = perun_strdup(path);
		gcov->used += !gcov->used; /* edges are numbered from 1 on */
		file->first = gcov->used;
		file->count = take_counts(&bytes, counts + gcov->used, room - gcov->used);
		gcov->used += file->count;
	}
	perun_buffer_free(&bytes);
	perun_ctx_free(quiet);
}

size_t fuzz_gcov_read(struct fuzz_gcov *gcov, const char *folder, uint64_t *counts, size_t room)
{
	FTS *files = open_folder(folder);
	FTSENT *entry;
	size_t found = 0;

	while (files && (entry = fts_read(files))) {
		if (!is_counts(entry))
			continue;
		read_file(gcov, entry->fts_accpath, counts, room);
		found++;
	}
	if (files)
		fts_close(files);
	return found;
}
