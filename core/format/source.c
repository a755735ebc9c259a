/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of an input: bytes of a file, a pipe or memory, with gzip and zstd undone. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/format/input.h"
#include "core/format/taken.h"
#include "perun/lib/advice.h"

#define PACKED_SIZE ((size_t)64 * 1024)
/* Reading ahead begins after this many bytes when this many compressed ones are left. */
#define AHEAD_AFTER ((uint64_t)256 * 1024)
#define AHEAD_LEFT  ((uint64_t)512 * 1024)

/* Read bytes as they are stored; `*got` is 0 only at the end. */
static int read_raw(struct perun_ctx *ctx, struct perun_input *input, void *buffer, size_t size,
		    size_t *got)
{
	struct perun_raw *raw = &input->raw;
	ssize_t count;

	*got = 0;
	if (raw->fd < 0) {
		size_t left = raw->memory_size - (size_t)raw->offset;

		*got = size < left ? size : left;
		if (*got)
			memcpy(buffer, raw->memory + raw->offset, *got);
		raw->offset += *got;
		return PERUN_OK;
	}
	do {
		if (input->kind == PERUN_INPUT_FILE)
			count = pread(raw->fd, buffer, size, (off_t)raw->offset);
		else
			count = read(raw->fd, buffer, size);
		if (count < 0 && errno == EINTR && perun_cancelled(ctx))
			return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read");
	*got = (size_t)count;
	raw->offset += *got;
	return PERUN_OK;
}

/* Fill the packed bytes after those that the inflater has not taken yet. */
static int fill_packed(struct perun_ctx *ctx, struct perun_input *input, size_t *got)
{
	int status;

	*got = 0;
	if (!input->packed) {
		input->packed_size = PACKED_SIZE;
		if (input->kind == PERUN_INPUT_FILE && input->file_size < PACKED_SIZE)
			input->packed_size = (size_t)input->file_size + 16;
		input->packed = perun_alloc(input->packed_size);
	}
	if (input->left)
		memmove(input->packed, input->next, input->left);
	input->next = input->packed;
	if (input->left == input->packed_size)
		return PERUN_OK;
	status = read_raw(ctx, input, input->packed + input->left, input->packed_size - input->left,
			  got);
	input->left += *got;
	return status;
}

enum { MAGIC = 4 };

static bool looks_like_gzip(const unsigned char *bytes, size_t size)
{
	return size >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

static bool looks_like_zstd(const unsigned char *bytes, size_t size)
{
	return size >= MAGIC && memcmp(bytes, "\x28\xb5\x2f\xfd", MAGIC) == 0;
}

static const char *compression(const struct perun_input *input)
{
	return input->unzstd ? "zstd" : "gzip";
}

int perun_input_start(struct perun_ctx *ctx, struct perun_input *input)
{
	size_t got = 1;
	int status;

	if (input->started)
		return PERUN_OK;
	input->left = 0;
	while (input->left < MAGIC && got) {
		status = fill_packed(ctx, input, &got);
		if (status)
			return status;
	}
	input->started = true;
	if (input->taken_at)
		input->taken->files[input->taken_at - 1].used = true;
	input->compressed = true;
	if (looks_like_gzip(input->next, input->left)) {
		input->inflate = perun_inflate_new();
		if (!input->inflate)
			return perun_fail(ctx, PERUN_INPUT, "cannot begin to decompress");
	} else if (looks_like_zstd(input->next, input->left)) {
		input->unzstd = perun_unzstd_new();
		if (!input->unzstd)
			return perun_fail(ctx, PERUN_INPUT,
					  "compressed with zstd, which is not built in: zstd -dc "
					  "FILE%s",
					  perun_advice(PERUN_ADVICE_IMPORT_OUTPUT));
	} else {
		input->compressed = false;
	}
	input->member_ended = false;
	return PERUN_OK;
}

void perun_input_end_inflate(struct perun_input *input)
{
	perun_ahead_stop(input->ahead);
	input->ahead = NULL;
	perun_inflate_free(input->inflate);
	input->inflate = NULL;
	perun_unzstd_free(input->unzstd);
	input->unzstd = NULL;
}

/* Between two members: go on with the next one, or end. */
static int next_member(struct perun_ctx *ctx, struct perun_input *input)
{
	size_t got = 1;
	int status;

	while (input->left < MAGIC && got) {
		status = fill_packed(ctx, input, &got);
		if (status)
			return status;
	}
	if (input->unzstd ? looks_like_zstd(input->next, input->left)
			  : looks_like_gzip(input->next, input->left)) {
		if (input->unzstd)
			perun_unzstd_again(input->unzstd);
		else
			perun_inflate_again(input->inflate);
		input->member_ended = false;
		return PERUN_OK;
	}
	if (input->left)
		return perun_fail(ctx, PERUN_INPUT,
				  "not valid %s: bytes that do not belong to it follow at "
				  "compressed byte %llu",
				  compression(input),
				  (unsigned long long)(input->raw.offset - input->left));
	input->ended = true;
	return PERUN_OK;
}

static int fail_inflate(struct perun_ctx *ctx, struct perun_input *input)
{
	return perun_fail(ctx, PERUN_INPUT, "not valid %s: %s near compressed byte %llu",
			  compression(input),
			  input->unzstd ? perun_unzstd_damage(input->unzstd)
					: perun_inflate_damage(input->inflate),
			  (unsigned long long)(input->raw.offset - input->left));
}

static int inflate_some(struct perun_ctx *ctx, struct perun_input *input, void *buffer, size_t size,
			size_t *got)
{
	enum perun_inflate_state state;
	size_t fetched;
	int status;

	while (!input->ended) {
		if (input->member_ended) {
			status = next_member(ctx, input);
			if (status)
				return status;
			continue;
		}
		fetched = 1;
		if (!input->left) {
			status = fill_packed(ctx, input, &fetched);
			if (status)
				return status;
		}
		state = input->unzstd ? perun_unzstd_run(input->unzstd, &input->next, &input->left,
							 buffer, size, got)
				      : perun_inflate_run(input->inflate, &input->next,
							  &input->left, buffer, size, got);
		if (state == PERUN_INFLATE_DAMAGED)
			return fail_inflate(ctx, input);
		input->member_ended = state == PERUN_INFLATE_END;
		if (*got)
			return PERUN_OK;
		if (!input->member_ended && !fetched)
			return perun_fail(ctx, PERUN_INPUT, "the %s data ends too early",
					  compression(input));
	}
	return PERUN_OK;
}

/* For the thread that reads ahead: a whole block, unless the end comes first. */
static int inflate_block(struct perun_ctx *ctx, struct perun_input *input, void *buffer,
			 size_t size, size_t *got)
{
	size_t part = 1;
	int status = PERUN_OK;

	for (*got = 0; *got < size && part && !status; *got += part) {
		part = 0;
		status = inflate_some(ctx, input, (char *)buffer + *got, size - *got, &part);
	}
	return status;
}

/* A thread pays off when enough was read for more to be expected, and enough is left. */
static bool is_worth_a_thread(const struct perun_input *input)
{
	return !input->ahead && input->kind == PERUN_INPUT_FILE && input->fetched >= AHEAD_AFTER &&
	       input->file_size > input->raw.offset + AHEAD_LEFT;
}

int perun_input_fetch(struct perun_ctx *ctx, struct perun_input *input, void *buffer, size_t size,
		      size_t *got)
{
	int status = perun_input_start(ctx, input);

	*got = 0;
	if (status || size == 0)
		return status;
	if (input->compressed && is_worth_a_thread(input))
		input->ahead = perun_ahead_start(input, inflate_block);
	if (input->ahead)
		return perun_ahead_read(ctx, input->ahead, buffer, size, got);
	if (input->compressed)
		return inflate_some(ctx, input, buffer, size, got);
	if (!input->left)
		return read_raw(ctx, input, buffer, size, got);
	/* The bytes that showed that it is not compressed. */
	*got = size < input->left ? size : input->left;
	memcpy(buffer, input->next, *got);
	input->next += *got;
	input->left -= *got;
	return PERUN_OK;
}

int perun_input_rewind(struct perun_ctx *ctx, struct perun_input *input)
{
	(void)ctx;
	perun_input_end_inflate(input);
	input->raw.offset = 0;
	input->started = false;
	input->ended = false;
	input->position = 0;
	input->fetched = 0;
	return PERUN_OK;
}
