/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of a .cubex file, which is a tar archive. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cube.h"
#include "formats/common/archive-members.h"

struct loading {
	struct perun_ctx *ctx;
	struct archive *tar;
	struct cube_archive *archive;
};

static int read_member(void *data, struct archive_entry *entry)
{
	struct loading *loading = data;
	struct cube_archive *archive = loading->archive;
	const char *name = archive_entry_pathname(entry);
	struct cube_member member = {.place = archive->count};
	int status;

	if (archive_entry_filetype(entry) != AE_IFREG)
		return PERUN_OK;
	name = name ? name : "";
	status = formats_archive_read(loading->ctx, loading->tar, name, &archive->left,
				      &member.data, &member.size);
	if (status)
		return status;
	member.name = perun_strdup(name);
	PERUN_GROW(archive->members, archive->count, archive->room);
	archive->members[archive->count++] = member;
	return PERUN_OK;
}

static const char *plain_name(const struct cube_member *member)
{
	return strncmp(member->name, "./", 2) == 0 ? member->name + 2 : member->name;
}

/* By name; of two of a name the first in the archive stays the first. */
static int compare_members(const void *a, const void *b)
{
	const struct cube_member *x = a, *y = b;
	int order = strcmp(plain_name(x), plain_name(y));

	return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

int cube_open_archive(struct perun_ctx *ctx, struct perun_input *input,
		      struct cube_archive *archive)
{
	struct archive *tar = archive_read_new();
	struct loading loading = {ctx, tar, archive};
	int status;

	archive_read_support_format_tar(tar);
	archive_read_support_filter_bzip2(tar);
	archive_read_support_filter_xz(tar);
	status = formats_archive_each(ctx, input, tar, "tar", read_member, &loading);
	archive_read_free(tar);
	if (archive->count)
		qsort(archive->members, archive->count, sizeof *archive->members, compare_members);
	return status;
}

void cube_close_archive(struct cube_archive *archive)
{
	for (size_t i = 0; i < archive->count; i++) {
		perun_free(archive->members[i].name);
		perun_free(archive->members[i].data);
	}
	perun_free(archive->members);
	*archive = (struct cube_archive){0};
}

static la_ssize_t to_output(struct archive *tar, void *data, const void *bytes, size_t size)
{
	if (perun_output_write(data, bytes, size) == PERUN_OK)
		return (la_ssize_t)size;
	archive_set_error(tar, EIO, "cannot write");
	return -1;
}

int cube_write_archive(struct perun_ctx *ctx, const struct cube_member *members, size_t count,
		       struct perun_output *output)
{
	struct archive *tar = archive_write_new();
	int status = PERUN_OK, result;

	archive_write_set_format_ustar(tar);
	archive_write_set_bytes_in_last_block(tar, 1);
	result = archive_write_open(tar, output, NULL, to_output, NULL);
	for (size_t i = 0; result == ARCHIVE_OK && i < count; i++) {
		struct archive_entry *entry = archive_entry_new();

		archive_entry_set_pathname(entry, members[i].name);
		archive_entry_set_size(entry, (la_int64_t)members[i].size);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		result = archive_write_header(tar, entry);
		if (result == ARCHIVE_OK &&
		    archive_write_data(tar, members[i].data, members[i].size) !=
			    (la_ssize_t)members[i].size)
			result = ARCHIVE_FATAL;
		archive_entry_free(entry);
	}
	if (result == ARCHIVE_OK)
		result = archive_write_close(tar);
	if (result != ARCHIVE_OK)
		status = perun_fail(ctx, PERUN_INPUT, "cannot write the archive: %s",
				    archive_error_string(tar));
	archive_write_free(tar);
	return status;
}

const struct cube_member *cube_find(const struct cube_archive *archive, const char *name)
{
	size_t low = 0, high = archive->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(plain_name(&archive->members[middle]), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < archive->count && strcmp(plain_name(&archive->members[low]), name) == 0
		       ? &archive->members[low]
		       : NULL;
}

int cube_inflate(struct perun_ctx *ctx, const char *what, const unsigned char *data, size_t size,
		 bool gzip, size_t limit, unsigned char **out, size_t *length)
{
	z_stream stream = {.next_in = (unsigned char *)data, .avail_in = (unsigned)size};
	size_t room = 0;
	int result;

	*out = NULL;
	*length = 0;
	if (size > UINT32_MAX / 2 || inflateInit2(&stream, gzip ? 15 + 16 : 15) != Z_OK)
		return perun_fail(ctx, PERUN_INPUT, "%s: too large", what);
	do {
		if (*length == room) {
			room = room ? room * 2 : 65536;
			if (*length > limit)
				break;
			*out = perun_realloc(*out, room);
		}
		stream.next_out = *out + *length;
		stream.avail_out =
			(unsigned)(room - *length < (1u << 30) ? room - *length : 1u << 30);
		result = inflate(&stream, Z_NO_FLUSH);
		*length = (size_t)(stream.next_out - *out);
	} while (result == Z_OK);
	inflateEnd(&stream);
	if (*length <= limit && result == Z_STREAM_END)
		return PERUN_OK;
	perun_free(*out);
	*out = NULL;
	return perun_fail(ctx, PERUN_INPUT, "%s: %s", what,
			  *length > limit && gzip ? "larger than the option archive-limit allows"
			  : *length > limit       ? "larger than its index says"
						  : "the compressed data are damaged or cut short");
}

int cube_read_archived_anchor(struct perun_ctx *ctx, struct cube_archive *archive,
			      struct cube_anchor *anchor)
{
	const struct cube_member *found = cube_find(archive, "anchor.xml");
	struct cube_member *member;
	unsigned char *text = NULL;
	size_t size;
	int status;

	if (!found)
		return perun_fail(ctx, PERUN_INPUT, "there is no anchor.xml in it");
	member = &archive->members[found - archive->members];
	if (member->size >= 2 && member->data[0] == 0x1f && member->data[1] == 0x8b) {
		status = cube_inflate(ctx, "anchor.xml", member->data, member->size, true,
				      archive->left, &text, &size);
		if (!status)
			status = formats_archive_take(ctx, &archive->left, size);
		if (!status)
			status = cube_read_anchor(ctx, (char *)text, size, anchor);
		perun_free(text);
	} else {
		status = cube_read_anchor(ctx, (char *)member->data, member->size, anchor);
	}
	/* It may be most of the archive, and is not read again. */
	perun_free(member->data);
	member->data = NULL;
	member->size = 0;
	return status;
}
