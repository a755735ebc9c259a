/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a directory in one piece: headers of tar, and reading what has them. */
#include <stdio.h>
#include <string.h>

#include "core/format/archive.h"

/* Bytes of an extended header, which has a path. */
#define MAX_RECORDS ((uint64_t)2 * PERUN_ARCHIVE_PATH)

/* Texts may fill their fields; numbers are octal and end with a NUL. */
struct header {
	char name[100], mode[8], user[8], group[8], size[12], modified[12], sum[8];
	char type, link[100], magic[6], version[2], user_name[32], group_name[32];
	char major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == PERUN_ARCHIVE_BLOCK, "a header is a block");

enum { TYPE_FILE = '0', TYPE_OLD_FILE = '\0', TYPE_EXTENDED = 'x' };

/* ---- writing --------------------------------------------------------------------------------- */

static unsigned sum_of(const struct header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	size_t begin = offsetof(struct header, sum), end = begin + sizeof header->sum;
	unsigned sum = 0;

	for (size_t i = 0; i < sizeof *header; i++)
		sum += i >= begin && i < end ? ' ' : bytes[i];
	return sum;
}

static void put_octal(char *field, size_t size, uint64_t value)
{
	field[size - 1] = '\0';
	for (size_t i = size - 1; i-- > 0; value /= 8)
		field[i] = (char)('0' + value % 8);
}

/* Where a path is divided into prefix and name; 0: the name alone holds it, its length: it is too long. */
static size_t division(const char *path)
{
	const struct header *header;
	size_t length = strlen(path);
	const char *slash;

	if (length <= sizeof header->name)
		return 0;
	slash = strchr(path + length - sizeof header->name - 1, '/');
	return slash && slash[1] && (size_t)(slash - path) <= sizeof header->prefix
		       ? (size_t)(slash - path)
		       : length;
}

static void put_path(struct header *header, const char *path)
{
	size_t length = strlen(path), divided = division(path);
	const char *name = divided && divided < length ? path + divided + 1 : path;
	size_t size = strlen(name);

	memcpy(header->name, name, size < sizeof header->name ? size : sizeof header->name);
	if (name != path)
		memcpy(header->prefix, path, divided);
}

static void add_block(struct perun_buffer *out, const char *path, uint64_t size, int64_t modified,
		      char type)
{
	struct header header = {.type = type, .magic = "ustar", .version = {'0', '0'}};

	put_path(&header, path);
	put_octal(header.mode, sizeof header.mode, 0644);
	put_octal(header.user, sizeof header.user, 0);
	put_octal(header.group, sizeof header.group, 0);
	put_octal(header.size, sizeof header.size, size);
	put_octal(header.modified, sizeof header.modified, (uint64_t)modified);
	put_octal(header.sum, sizeof header.sum - 1, sum_of(&header));
	header.sum[sizeof header.sum - 1] = ' ';
	perun_buffer_add(out, &header, sizeof header);
}

/* "LENGTH KEY=VALUE\n", where the length counts itself. */
static void add_record(struct perun_buffer *records, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, length = rest + 1;

	while (length != rest + (size_t)snprintf(NULL, 0, "%zu", length))
		length = rest + (size_t)snprintf(NULL, 0, "%zu", length);
	perun_buffer_printf(records, "%zu %s=%s\n", length, key, value);
}

static void add_zeros(struct perun_buffer *out, size_t count)
{
	static const char zeros[PERUN_ARCHIVE_BLOCK];

	perun_buffer_add(out, zeros, count);
}

size_t perun_archive_padding(uint64_t size)
{
	return (size_t)(-size % PERUN_ARCHIVE_BLOCK);
}

void perun_archive_header(struct perun_buffer *out, const char *path, uint64_t size,
			  int64_t modified)
{
	const bool large = size >> 33;
	struct perun_buffer records = {0};
	char digits[24];

	if (division(path) == strlen(path))
		add_record(&records, "path", path);
	snprintf(digits, sizeof digits, "%llu", (unsigned long long)size);
	if (large)
		add_record(&records, "size", digits);
	if (records.length) {
		add_block(out, "PaxHeader", records.length, 0, TYPE_EXTENDED);
		perun_buffer_add(out, records.data, records.length);
		add_zeros(out, perun_archive_padding(records.length));
	}
	add_block(out, path, large ? 0 : size, modified, TYPE_FILE);
	perun_buffer_free(&records);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	struct perun_ctx *ctx;
	const char *data;
	size_t size, at, room;
	struct perun_archive *archive;
	char *path;         /* of the next file, from an extended header; NULL = none */
	uint64_t long_size; /* the same; UINT64_MAX = none */
};

static int damaged(const struct reading *reading, const char *why)
{
	return perun_fail(reading->ctx, PERUN_INPUT,
			  "the archive of its files is damaged at byte %zu: %s", reading->at, why);
}

/* Digits up to a NUL or a blank; false for anything else. */
static bool take_octal(const char *field, size_t size, uint64_t *value)
{
	size_t i = 0;

	for (*value = 0; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		*value = *value * 8 + (uint64_t)(field[i] - '0');
	return i > 0 && (i == size || field[i] == '\0' || field[i] == ' ');
}

static char *take_path(const struct header *header)
{
	size_t prefix = strnlen(header->prefix, sizeof header->prefix);
	size_t name = strnlen(header->name, sizeof header->name);

	return perun_format("%.*s%s%.*s", (int)prefix, header->prefix, prefix ? "/" : "", (int)name,
			    header->name);
}

/* Whether a path leads to a place below the directory, by one name for each. */
static bool is_inside(const char *path)
{
	if (strlen(path) > PERUN_ARCHIVE_PATH)
		return false;
	for (;;) {
		size_t length = strcspn(path, "/");

		if (length == 0 || (length <= 2 && strncmp(path, "..", length) == 0))
			return false;
		if (!path[length])
			return true;
		path += length + 1;
	}
}

static int take_record(struct reading *reading, const char *key, const char *value)
{
	unsigned long long size;
	char end;

	if (strcmp(key, "path") == 0) {
		perun_free(reading->path);
		reading->path = perun_strdup(value);
	} else if (strcmp(key, "size") == 0) {
		if (*value == '-' || sscanf(value, "%19llu%c", &size, &end) != 1)
			return damaged(reading, "expected the size of a file");
		reading->long_size = size;
	}
	return PERUN_OK;
}

/* "LENGTH KEY=VALUE\n" and so on; the text ends with a NUL. */
static int take_records(struct reading *reading, char *text, size_t size)
{
	int status = PERUN_OK;

	while (size && !status) {
		unsigned length = 0;
		int digits = 0;
		char *value;

		if (*text < '1' || *text > '9' || sscanf(text, "%6u %n", &length, &digits) != 1 ||
		    length > size || length <= (unsigned)digits || text[length - 1] != '\n')
			return damaged(reading, "expected a record of an extended header");
		text[length - 1] = '\0';
		value = strchr(text + digits, '=');
		if (!value || strlen(text + digits) + (size_t)digits != length - 1)
			return damaged(reading, "expected KEY=VALUE in an extended header");
		*value = '\0';
		status = take_record(reading, text + digits, value + 1);
		text += length;
		size -= length;
	}
	return status;
}

static int take_extended(struct reading *reading, uint64_t size)
{
	char *text;
	int status;

	if (size > MAX_RECORDS)
		return damaged(reading, "an extended header is too long");
	text = perun_strndup(reading->data + reading->at, (size_t)size);
	status = strlen(text) == size ? take_records(reading, text, (size_t)size)
				      : damaged(reading, "an extended header has a NUL");
	perun_free(text);
	return status;
}

static int take_file(struct reading *reading, const struct header *header, uint64_t size)
{
	struct perun_archive *archive = reading->archive;
	char *path = reading->path ? reading->path : take_path(header);
	uint64_t modified = 0;
	int status = PERUN_OK;

	reading->path = NULL;
	reading->long_size = UINT64_MAX;
	if (!is_inside(path))
		status = damaged(reading, "a file is not below the directory");
	else if (archive->count && strcmp(archive->files[archive->count - 1].path, path) >= 0)
		status = damaged(reading, "its files are not in the order of their names");
	else if (archive->count == PERUN_ARCHIVE_FILES)
		status = damaged(reading, "it has too many files");
	else if (!take_octal(header->modified, sizeof header->modified, &modified))
		status = damaged(reading, "expected the time of a file");
	if (status) {
		perun_free(path);
		return status;
	}
	PERUN_GROW(archive->files, archive->count, reading->room);
	archive->files[archive->count++] =
		(struct perun_archive_file){path, reading->data + reading->at, (size_t)size,
					    (int64_t)(modified & PERUN_ARCHIVE_LATEST)};
	return PERUN_OK;
}

/* A header, and what it says of its size; that is of the file, also where an extended one said it. */
static int take_header(struct reading *reading, const struct header *header, uint64_t *size)
{
	uint64_t sum;

	if (memcmp(header->magic, "ustar", sizeof header->magic) != 0)
		return damaged(reading, "expected a header of tar");
	if (!take_octal(header->sum, sizeof header->sum, &sum) || sum != sum_of(header))
		return damaged(reading, "the checksum of a header is wrong");
	if (!take_octal(header->size, sizeof header->size, size))
		return damaged(reading, "expected the size of a file");
	if (header->type != TYPE_EXTENDED && reading->long_size != UINT64_MAX)
		*size = reading->long_size;
	reading->at += sizeof *header;
	if (*size > reading->size - reading->at)
		return damaged(reading, "it ends within a file");
	if (header->type == TYPE_EXTENDED)
		return take_extended(reading, *size);
	if (header->type == TYPE_FILE || header->type == TYPE_OLD_FILE)
		return take_file(reading, header, *size);
	return damaged(reading, "expected a file");
}

int perun_archive_read(struct perun_ctx *ctx, const void *data, size_t size,
		       struct perun_archive *archive)
{
	static const struct header end;
	struct reading reading = {ctx, data, size, 0, 0, archive, NULL, UINT64_MAX};
	struct header header;
	int status = PERUN_OK;

	*archive = (struct perun_archive){0};
	while (!status) {
		uint64_t length = 0, left;

		if (size - reading.at < sizeof header) {
			status = damaged(&reading, "it has no end");
			break;
		}
		memcpy(&header, reading.data + reading.at, sizeof header);
		if (memcmp(&header, &end, sizeof end) == 0)
			break;
		status = take_header(&reading, &header, &length);
		if (status)
			break;
		left = size - reading.at - length;
		reading.at += (size_t)length;
		reading.at += left < perun_archive_padding(length) ? (size_t)left
								   : perun_archive_padding(length);
		if (perun_cancelled(ctx))
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	}
	perun_free(reading.path);
	return status;
}

void perun_archive_free(struct perun_archive *archive)
{
	for (size_t i = 0; i < archive->count; i++)
		perun_free(archive->files[i].path);
	perun_free(archive->files);
	*archive = (struct perun_archive){0};
}

size_t perun_archive_find(const struct perun_archive *archive, const char *path)
{
	size_t begin = 0, end = archive->count;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (strcmp(archive->files[middle].path, path) < 0)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}
