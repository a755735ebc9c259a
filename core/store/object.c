/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading an object: inflating it within bounds and verifying all of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include <perun/lib/advice.h>
#include <perun/lib/path.h>

#include "core/store/store.h"

#define INPUT_SIZE   65536
#define OUTPUT_SIZE  65536
#define START_SIZE   4096 /* what names an original is seldom longer */
#define HEADER_LIMIT 1024
/* No more than this comes out of a deflate stream per byte that goes in. */
#define DEFLATE_RATIO 1032
#define LIMIT_KEY     "store.object_limit"
#define LIMIT         ((int64_t)16 << 30)
#define LIMIT_UNASKED ((uint64_t)256 << 20) /* below it the configuration need not be read */

struct inflater {
	struct perun_ctx *ctx;
	const struct perun_store *store;
	const char *checksum;
	int fd;
	uint64_t file_size;
	z_stream zlib;
	bool zlib_open, ended;
	unsigned char *input, *output;
	struct perun_sha *sha;

	char header[HEADER_LIMIT];
	size_t header_length;
	bool header_done;
	uint64_t declared;   /* the length that the header says */
	uint64_t characters; /* of UTF-8: what the Python program counts */
	bool keep;
	struct perun_buffer body;
	struct perun_object *object;
};

bool perun_object_exists(const struct perun_store *store, const char *checksum)
{
	char path[PERUN_OBJECT_PATH_SIZE];
	struct stat info;

	perun_object_path(checksum, "", path);
	return perun_beneath_stat(store->directory, path, &info) == 0;
}

void perun_object_free(struct perun_object *object)
{
	perun_free(object->type);
	perun_free(object->body);
	memset(object, 0, sizeof *object);
}

static int damaged(struct inflater *inflater, const char *why)
{
	return perun_fail(inflater->ctx, PERUN_INPUT, "object %s is damaged: %s",
			  inflater->checksum, why);
}

/* ---- the header ------------------------------------------------------------------------------ */

/* The number after the last blank; false for anything else than digits, or too many. */
static bool parse_length(const char *text, uint64_t *length)
{
	uint64_t value = 0;
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits > 18 || text[digits] != '\0' || (digits > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < digits; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	*length = value;
	return true;
}

static int check_limit(struct inflater *inflater)
{
	int64_t limit;

	if (inflater->declared > inflater->file_size * DEFLATE_RATIO + OUTPUT_SIZE)
		return damaged(inflater, "its header announces more than its bytes can hold");
	if (inflater->declared <= LIMIT_UNASKED)
		return PERUN_OK;
	limit = perun_store_limit(inflater->ctx, inflater->store, LIMIT_KEY, LIMIT);
	if (limit >= 0 && inflater->declared > (uint64_t)limit)
		return perun_fail(inflater->ctx, PERUN_INPUT,
				  "object %s has %ju bytes, more than %s allows (%jd)",
				  inflater->checksum, (uintmax_t)inflater->declared, LIMIT_KEY,
				  (intmax_t)limit);
	return PERUN_OK;
}

/* "profile TYPE LENGTH" or "attachment NAME LENGTH" */
static int parse_header(struct inflater *inflater)
{
	struct perun_object *object = inflater->object;
	char *first = strchr(inflater->header, ' ');
	char *last = strrchr(inflater->header, ' ');

	if (!first || last == first || !parse_length(last + 1, &inflater->declared))
		return damaged(inflater, "its header is not that of a profile");
	*last = '\0';
	*first = '\0';
	if (strcmp(inflater->header, "profile") == 0)
		object->kind = PERUN_OBJECT_PROFILE;
	else if (strcmp(inflater->header, "attachment") == 0)
		object->kind = PERUN_OBJECT_ATTACHMENT;
	else
		return damaged(inflater, "its header is not that of a profile");
	object->type = perun_strdup(first + 1);
	object->length = inflater->declared;
	inflater->header_done = true;
	return check_limit(inflater);
}

/* ---- the content ----------------------------------------------------------------------------- */

/* All bytes but those 10xxxxxx that continue a character; eight of them at once. */
static uint64_t count_characters(const unsigned char *data, size_t size)
{
	uint64_t count = size, word;
	size_t i = 0;

	for (; size - i >= sizeof word; i += sizeof word) {
		memcpy(&word, data + i, sizeof word);
		word &= ~(word << 1) & 0x8080808080808080u;
		if (word)
			count -= (uint64_t)__builtin_popcountll(word);
	}
	for (; i < size; i++)
		count -= (data[i] & 0xc0) == 0x80;
	return count;
}

/* The length counts characters: a body of UTF-8 may have up to four times as many bytes. */
static uint64_t largest_body(const struct inflater *inflater)
{
	return inflater->declared * (inflater->object->kind == PERUN_OBJECT_PROFILE ? 4 : 1);
}

static int take_body(struct inflater *inflater, const unsigned char *data, size_t size)
{
	inflater->characters += count_characters(data, size);
	inflater->object->length += size;
	if (inflater->object->length > largest_body(inflater))
		return damaged(inflater, "it has more bytes than its header says");
	if (!inflater->keep)
		return PERUN_OK;
	if (inflater->body.capacity == 0)
		perun_buffer_reserve(&inflater->body, (size_t)inflater->declared + 1);
	perun_buffer_add(&inflater->body, data, size);
	return PERUN_OK;
}

static int take_output(struct inflater *inflater, const unsigned char *data, size_t size)
{
	perun_sha_add(inflater->sha, data, size);
	if (!inflater->header_done) {
		const unsigned char *end = memchr(data, 0, size);
		size_t used = end ? (size_t)(end - data) : size;
		int status;

		if (inflater->header_length + used >= HEADER_LIMIT)
			return damaged(inflater, "its header is not that of a profile");
		memcpy(inflater->header + inflater->header_length, data, used);
		inflater->header_length += used;
		inflater->header[inflater->header_length] = '\0';
		if (!end)
			return PERUN_OK;
		status = parse_header(inflater);
		inflater->object->length = 0;
		if (status)
			return status;
		data += used + 1;
		size -= used + 1;
	}
	return take_body(inflater, data, size);
}

/* ---- the stream ------------------------------------------------------------------------------ */

static int start(struct inflater *inflater)
{
	char path[PERUN_OBJECT_PATH_SIZE];
	struct stat info;

	perun_object_path(inflater->checksum, "", path);
	inflater->fd =
		perun_beneath_open(inflater->store->directory, path, O_RDONLY | O_NONBLOCK, 0);
	if (inflater->fd < 0 && errno == ENOENT)
		return perun_fail(inflater->ctx, PERUN_INPUT, "object %s is missing",
				  inflater->checksum);
	if (inflater->fd < 0 || fstat(inflater->fd, &info) != 0)
		return perun_fail_errno(inflater->ctx, PERUN_INPUT, errno, "cannot open object %s",
					inflater->checksum);
	if (!S_ISREG(info.st_mode))
		return damaged(inflater, "not a file");
	inflater->file_size = (uint64_t)info.st_size;
	if (info.st_size == 0)
		return perun_fail(inflater->ctx, PERUN_INPUT,
				  "object %s is damaged: it is empty, as a power cut may leave it; "
				  "add its profile again%s",
				  inflater->checksum, perun_advice(PERUN_ADVICE_GC_OBJECT));
	if (inflateInit(&inflater->zlib) != Z_OK)
		return perun_fail(inflater->ctx, PERUN_INPUT, "cannot start zlib");
	inflater->zlib_open = true;
	inflater->input = perun_alloc(INPUT_SIZE + OUTPUT_SIZE);
	inflater->output = inflater->input + INPUT_SIZE;
	inflater->sha = perun_sha_new();
	return PERUN_OK;
}

static int read_input(struct inflater *inflater)
{
	ssize_t got;

	do
		got = read(inflater->fd, inflater->input, INPUT_SIZE);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return perun_fail_errno(inflater->ctx, PERUN_INPUT, errno, "cannot read object %s",
					inflater->checksum);
	inflater->zlib.next_in = inflater->input;
	inflater->zlib.avail_in = (unsigned)got;
	return PERUN_OK;
}

/* Inflate a piece of what has been read, of at most `size` bytes. */
static int inflate_piece(struct inflater *inflater, size_t size)
{
	int result, status;

	inflater->zlib.next_out = inflater->output;
	inflater->zlib.avail_out = (unsigned)size;
	result = inflate(&inflater->zlib, Z_NO_FLUSH);
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return damaged(inflater,
			       inflater->zlib.msg ? inflater->zlib.msg : "not a zlib stream");
	status = take_output(inflater, inflater->output, size - inflater->zlib.avail_out);
	inflater->ended = !status && result == Z_STREAM_END;
	return status;
}

/* All of what has been read. */
static int inflate_input(struct inflater *inflater)
{
	int status;

	do
		status = inflate_piece(inflater, OUTPUT_SIZE);
	while (!status && !inflater->ended && inflater->zlib.avail_out == 0);
	return status;
}

static int inflate_all(struct inflater *inflater)
{
	while (!inflater->ended) {
		int status = read_input(inflater);

		if (!status && inflater->zlib.avail_in == 0)
			status = damaged(inflater, "it ends too early");
		if (!status)
			status = inflate_input(inflater);
		if (status)
			return status;
	}
	if (inflater->zlib.avail_in == 0) {
		int status = read_input(inflater);

		if (status)
			return status;
	}
	return inflater->zlib.avail_in ? damaged(inflater, "something follows its end") : PERUN_OK;
}

static int verify(struct inflater *inflater)
{
	char checksum[PERUN_CHECKSUM_SIZE];
	uint64_t length = inflater->object->length;

	if (!inflater->header_done)
		return damaged(inflater, "its header is not that of a profile");
	if (inflater->declared != length && (inflater->object->kind != PERUN_OBJECT_PROFILE ||
					     inflater->declared != inflater->characters))
		return damaged(inflater, "its length is not what its header says");
	perun_sha_end(inflater->sha, checksum);
	if (strcmp(checksum, inflater->checksum) != 0)
		return damaged(inflater, "its SHA-1 is not its name");
	return PERUN_OK;
}

static void finish(struct inflater *inflater, int status)
{
	if (inflater->fd >= 0)
		close(inflater->fd);
	if (inflater->zlib_open)
		inflateEnd(&inflater->zlib);
	perun_free(inflater->input);
	perun_sha_free(inflater->sha);
	if (!status && inflater->keep)
		inflater->object->body = perun_buffer_take(&inflater->body);
	perun_buffer_free(&inflater->body);
	if (status)
		perun_object_free(inflater->object);
}

static int check_name(struct perun_ctx *ctx, const char *checksum)
{
	if (perun_is_checksum(checksum) && !checksum[PERUN_SHA1_DIGITS])
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE, "an object is named by 40 hexadecimal digits, not '%s'",
			  checksum);
}

/* Whether a profile begins with what names its original, beside which its other members are not read. */
static bool begins_with_attachment(const struct inflater *inflater)
{
	static const char word[] = "{\"attachment\":";

	return inflater->header_done && inflater->object->kind == PERUN_OBJECT_PROFILE &&
	       inflater->body.length >= sizeof word - 1 &&
	       memcmp(inflater->body.data, word, sizeof word - 1) == 0;
}

/* The first bytes, and no more where these name the original: then not `*whole`. */
static int inflate_start(struct inflater *inflater, bool *whole)
{
	int status = read_input(inflater);

	if (!status)
		status = inflate_piece(inflater, START_SIZE);
	*whole = !begins_with_attachment(inflater);
	if (!status && *whole)
		status = inflate_input(inflater);
	return status;
}

/* With `whole`, a start that names an original is enough, and it says whether all was read. */
static int read_object(struct inflater *inflater, bool *whole)
{
	bool all = true;
	int status = check_name(inflater->ctx, inflater->checksum);

	memset(inflater->object, 0, sizeof *inflater->object);
	if (status)
		return status;
	status = start(inflater);
	if (!status && whole)
		status = inflate_start(inflater, whole);
	if (whole)
		all = *whole;
	if (!status && all)
		status = inflate_all(inflater);
	if (!status && all)
		status = verify(inflater);
	finish(inflater, status);
	return status;
}

int perun_object_read(struct perun_ctx *ctx, const struct perun_store *store, const char *checksum,
		      bool body, struct perun_object *object)
{
	struct inflater inflater = {.ctx = ctx,
				    .store = store,
				    .checksum = checksum,
				    .fd = -1,
				    .keep = body,
				    .object = object};

	return read_object(&inflater, NULL);
}

int perun_object_read_start(struct perun_ctx *ctx, const struct perun_store *store,
			    const char *checksum, struct perun_object *object, bool *whole)
{
	struct inflater inflater = {.ctx = ctx,
				    .store = store,
				    .checksum = checksum,
				    .fd = -1,
				    .keep = true,
				    .object = object};

	*whole = true;
	return read_object(&inflater, whole);
}

int perun_object_peek(struct perun_ctx *ctx, const struct perun_store *store, const char *checksum,
		      struct perun_object *object)
{
	struct inflater inflater = {
		.ctx = ctx, .store = store, .checksum = checksum, .fd = -1, .object = object};
	int status = check_name(ctx, checksum);

	memset(object, 0, sizeof *object);
	if (status)
		return status;
	status = start(&inflater);
	if (!status)
		status = read_input(&inflater);
	if (!status)
		status = inflate_piece(&inflater, OUTPUT_SIZE);
	if (!status && !inflater.header_done)
		status = damaged(&inflater, "its header is not that of a profile");
	if (!status)
		object->length = inflater.declared;
	finish(&inflater, status);
	return status;
}
