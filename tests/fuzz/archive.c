/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: archives of the files of a directory, as they are and with checksums that fit. Whatever they hold, every entry that is listed can be opened, no
 * name leads out, and what was read is written and read again the same.
 */
#include <string.h>

#include "core/format/archive.h"
#include "core/format/taken.h"
#include "tests/fuzz/fuzz.h"

/* Directories in directories that are entered; a format goes down five. */
enum { DEPTH = 8 };

static size_t open_all(struct perun_input *directory, int depth)
{
	const char *const *names;
	size_t count, files = 0;

	MUST(perun_input_list(NULL, directory, &names, &count) == PERUN_OK);
	for (size_t i = 0; i < count; i++) {
		struct perun_input *child;

		MUST(!i || strcmp(names[i - 1], names[i]) < 0);
		MUST(!strchr(names[i], '/') && strcmp(names[i], ".") && strcmp(names[i], ".."));
		MUST(perun_input_open_child(NULL, directory, names[i], &child) == PERUN_OK);
		if (!perun_input_is_directory(child))
			files++;
		else if (depth)
			files += open_all(child, depth - 1);
		perun_input_close(child);
	}
	return files;
}

static void write_again(const struct perun_archive *archive, struct perun_buffer *out)
{
	static const char zeros[PERUN_ARCHIVE_END];

	for (size_t i = 0; i < archive->count; i++) {
		const struct perun_archive_file *file = &archive->files[i];

		perun_archive_header(out, file->path, file->size, file->modified);
		perun_buffer_add(out, file->data, file->size);
		perun_buffer_add(out, zeros, perun_archive_padding(file->size));
	}
	perun_buffer_add(out, zeros, PERUN_ARCHIVE_END);
}

static void check_again(const struct perun_archive *archive)
{
	struct perun_buffer bytes = {0};
	struct perun_archive again;

	write_again(archive, &bytes);
	MUST(perun_archive_read(NULL, bytes.data, bytes.length, &again) == PERUN_OK);
	MUST(again.count == archive->count);
	for (size_t i = 0; i < again.count; i++) {
		const struct perun_archive_file *a = &archive->files[i], *b = &again.files[i];

		MUST(strcmp(a->path, b->path) == 0 && a->size == b->size);
		MUST(a->modified == b->modified && memcmp(a->data, b->data, a->size) == 0);
	}
	perun_archive_free(&again);
	perun_buffer_free(&bytes);
}

static void check(const void *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_archive archive;
	struct perun_input *input;
	int status = perun_archive_read(ctx, data, size, &archive);

	MUST(status == PERUN_OK || (status == PERUN_INPUT && perun_ctx_error(ctx)));
	perun_ctx_clear(ctx);
	MUST(perun_input_open_archive(ctx, "archive", data, size, &input) == status);
	if (!status) {
		MUST(open_all(input, DEPTH) <= archive.count);
		check_again(&archive);
	}
	perun_input_close(input);
	perun_archive_free(&archive);
	perun_ctx_free(ctx);
}

/* Where each block's checksum would be, as if all were headers: what was changed is read then. */
static void mend_sums(unsigned char *bytes, size_t size)
{
	enum { SUM = 148, SUM_END = 156 };

	for (size_t at = 0; size - at >= PERUN_ARCHIVE_BLOCK; at += PERUN_ARCHIVE_BLOCK) {
		unsigned char *block = bytes + at;
		unsigned sum = 0;

		if (memcmp(block + 257, "ustar", 5) != 0)
			continue;
		memset(block + SUM, ' ', SUM_END - SUM);
		for (size_t i = 0; i < PERUN_ARCHIVE_BLOCK; i++)
			sum += block[i];
		for (size_t i = SUM_END - 2; i-- > SUM; sum /= 8)
			block[i] = (unsigned char)('0' + sum % 8);
		block[SUM_END - 2] = 0;
	}
}

void fuzz_archive(const uint8_t *data, size_t size)
{
	unsigned char *copy = perun_alloc(size + 1);

	check(data, size);
	memcpy(copy, data, size);
	mend_sums(copy, size);
	check(copy, size);
	perun_free(copy);
}
