/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of an archive, read by libarchive. */
#ifndef FORMATS_COMMON_ARCHIVE_MEMBERS_H
#define FORMATS_COMMON_ARCHIVE_MEMBERS_H

#include <archive.h>
#include <archive_entry.h>

#include <perun/format.h>

/* Account for bytes that are about to be had, of the `left` ones that the option archive-limit allows. */
static inline int formats_archive_take(struct perun_ctx *ctx, uint64_t *left, uint64_t size)
{
	if (size > *left)
		return perun_fail(ctx, PERUN_INPUT,
				  "the archive holds more than the option archive-limit allows");
	*left -= size;
	return perun_cancelled(ctx) ? perun_fail(ctx, PERUN_CANCELLED, "interrupted") : PERUN_OK;
}

/* All bytes of a member; the caller frees `*data`, which is NULL if this fails. */
static inline int formats_archive_read(struct perun_ctx *ctx, struct archive *archive,
				       const char *name, uint64_t *left, unsigned char **data,
				       size_t *size)
{
	size_t room = 0;
	int status = PERUN_OK;
	la_ssize_t got = 1;

	*data = NULL;
	*size = 0;
	while (!status && got > 0) {
		if (room - *size < 4096) {
			room = room ? room * 2 : 65536;
			*data = perun_realloc(*data, room);
		}
		got = archive_read_data(archive, *data + *size, room - *size);
		if (got < 0)
			status = perun_fail(ctx, PERUN_INPUT, "member %s: %s", name,
					    archive_error_string(archive));
		else
			status = formats_archive_take(ctx, left, (uint64_t)got);
		*size += got > 0 ? (size_t)got : 0;
	}
	if (status) {
		perun_free(*data);
		*data = NULL;
		return status;
	}
	/* An archive may have many small members. */
	*data = perun_realloc(*data, *size ? *size : 1);
	return PERUN_OK;
}

/* Give each entry of an archive in memory to `read`, which reads what it wants of it; `kind` is its name in messages. */
static inline int formats_archive_each(struct perun_ctx *ctx, struct perun_input *input,
				       struct archive *archive, const char *kind,
				       int (*read)(void *data, struct archive_entry *entry),
				       void *data)
{
	struct archive_entry *entry;
	const void *bytes;
	size_t size;
	int status = perun_input_map(ctx, input, 0, &bytes, &size), result;

	if (!status && archive_read_open_memory(archive, bytes, size) != ARCHIVE_OK)
		status = perun_fail(ctx, PERUN_INPUT, "expected a %s archive: %s", kind,
				    archive_error_string(archive));
	while (!status && (result = archive_read_next_header(archive, &entry)) != ARCHIVE_EOF) {
		if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
			status = perun_fail(ctx, PERUN_INPUT, "the archive is damaged: %s",
					    archive_error_string(archive));
		else
			status = read(data, entry);
	}
	return status;
}

#endif
