/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a directory in one piece, as tar unpacks them (ustar of POSIX.1-2001, with its extended headers where a
 * name or a file is too long for it). Owner and mode are fixed: the same files have the same bytes.
 */
#ifndef PERUN_CORE_FORMAT_ARCHIVE_H
#define PERUN_CORE_FORMAT_ARCHIVE_H

#include <perun/format.h>

#define PERUN_ARCHIVE_BLOCK ((size_t)512)
/* Of zeros, after the last file. */
#define PERUN_ARCHIVE_END (2 * PERUN_ARCHIVE_BLOCK)
/* What has more files, or a longer path, is not a profile. */
#define PERUN_ARCHIVE_FILES ((size_t)1 << 20)
#define PERUN_ARCHIVE_PATH  4095
/* Seconds since 1970 that a header holds. */
#define PERUN_ARCHIVE_LATEST ((int64_t)077777777777)

/* Append what goes before the bytes of a file; `modified` in seconds since 1970, 0 = not known. */
void perun_archive_header(struct perun_buffer *out, const char *path, uint64_t size,
			  int64_t modified);
/* How many zeros follow so many bytes of a file. */
size_t perun_archive_padding(uint64_t size);

struct perun_archive_file {
	char *path; /* relative, without "." and ".." */
	const char *data;
	size_t size;
	int64_t modified;
};

/* The files in the order of their paths; their bytes are those of the archive. */
struct perun_archive {
	struct perun_archive_file *files;
	size_t count;
};

/* PERUN_INPUT for what perun_archive_header() did not write; `*archive` may be freed in any case. */
int perun_archive_read(struct perun_ctx *ctx, const void *data, size_t size,
		       struct perun_archive *archive);
void perun_archive_free(struct perun_archive *archive);
/* The place of the first file whose path is not before this one. */
size_t perun_archive_find(const struct perun_archive *archive, const char *path);
/*
 * Write the files into an output that is a directory, with the times that the archive has of them (unpack.c). No more than one is
 * open at a time. What could not be written sticks to the output, as with others.
 */
int perun_archive_unpack(struct perun_ctx *ctx, const struct perun_archive *archive,
			 struct perun_output *output);

#endif
