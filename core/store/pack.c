/* SPDX-License-Identifier: BSD-3-Clause */
/* Making the bytes of an object: header, SHA-1, zlib. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "core/context/context.h"
#include "core/store/pack.h"
#include "core/store/deflate-small.h"

/*
 * A body up to the size of a batch is deflated at once, which gives the very bytes of the Python
 * program, unless there are thousands of small ones. A larger one is cut into blocks that are deflated side by side, each with the 32 KiB before
 * it as dictionary and ended at a byte boundary, as M. Adler's pigz does: put one after the other they
 * are one stream. The header, known last but written first, is a stored block before them.
 */
#define LEVEL       6
#define STORED      0
#define NOT_OPEN    (-1)
#define BLOCK       ((size_t)256 << 10)
#define BLOCKS      8
#define BATCH       (BLOCK * BLOCKS)
#define WINDOW      ((size_t)32 << 10)
#define HEADER_ROOM 768 /* more than the longest header */

struct block {
	z_stream zlib;
	int level; /* it is open with; NOT_OPEN */
	struct perun_buffer out;
	uLong adler;
};

/* Bytes that wait in an unnamed file, or in memory where there are no such files. */
struct spool {
	int fd; /* -1: in memory */
	struct perun_buffer memory;
	uint64_t size;
};

struct perun_packer {
	struct perun_store *store;
	struct perun_sha *sha;
	z_stream zlib;             /* for small bodies */
	int zlib_level;            /* it is open with; NOT_OPEN */
	int level;                 /* of this body */
	struct perun_quick *quick; /* NULL: zlib for everything */
	struct perun_buffer text;  /* header and body for it */
	struct block *blocks;

	char header[HEADER_ROOM];
	size_t header_length;
	uint64_t length;           /* of the body so far */
	struct perun_buffer batch; /* the window before the batch, then what is not packed yet */
	size_t window;             /* bytes of the window */
	struct perun_buffer out;   /* a small body, packed */
	uLong adler;               /* of what is packed of a large body */
	bool large;
	struct spool body, packed; /* of a large body */
	unsigned char trailer[4];
};

static void spool_end(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
	spool->size = 0;
	perun_buffer_free(&spool->memory);
}

static void spool_begin(const struct perun_packer *packer, struct spool *spool)
{
	spool_end(spool);
	spool->fd = openat(packer->store->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int spool_add(struct perun_ctx *ctx, const struct perun_packer *packer, struct spool *spool,
		     const void *data, size_t size)
{
	int error = 0;

	if (spool->fd < 0)
		perun_buffer_add(&spool->memory, data, size);
	else
		error = perun_write_all(spool->fd, data, size);
	spool->size += size;
	return error ? perun_fail_errno(ctx, PERUN_INPUT, error,
					"cannot write a temporary file in %s", packer->store->path)
		     : PERUN_OK;
}

struct perun_packer *perun_packer_new(struct perun_store *store, bool many)
{
	struct perun_packer *packer = perun_alloc_zero(1, sizeof *packer);

	packer->store = store;
	packer->quick = many ? perun_quick_new() : NULL;
	packer->sha = perun_sha_new();
	packer->zlib_level = NOT_OPEN;
	packer->level = LEVEL;
	packer->body.fd = packer->packed.fd = -1;
	return packer;
}

void perun_packer_free(struct perun_packer *packer)
{
	if (!packer)
		return;
	if (packer->zlib_level != NOT_OPEN)
		deflateEnd(&packer->zlib);
	for (size_t i = 0; packer->blocks && i < BLOCKS; i++) {
		if (packer->blocks[i].level != NOT_OPEN)
			deflateEnd(&packer->blocks[i].zlib);
		perun_buffer_free(&packer->blocks[i].out);
	}
	spool_end(&packer->body);
	spool_end(&packer->packed);
	perun_sha_free(packer->sha);
	perun_quick_free(packer->quick);
	perun_free(packer->blocks);
	perun_buffer_free(&packer->text);
	perun_buffer_free(&packer->batch);
	perun_buffer_free(&packer->out);
	perun_free(packer);
}

void perun_packer_start(struct perun_packer *packer)
{
	spool_end(&packer->body);
	spool_end(&packer->packed);
	packer->level = LEVEL;
	packer->large = false;
	packer->length = 0;
	packer->window = 0;
	packer->header_length = 0;
	perun_buffer_clear(&packer->batch);
	perun_buffer_clear(&packer->out);
}

void perun_packer_store(struct perun_packer *packer)
{
	packer->level = STORED;
}

uint64_t perun_packer_length(const struct perun_packer *packer)
{
	return packer->length;
}

/* Used rightly, zlib's functions fail only without memory. */
static void must(int result)
{
	if (result != Z_OK && result != Z_STREAM_END)
		perun_out_of_memory();
}

static void start_deflate(z_stream *zlib, int *open_level, int level, int window_bits)
{
	if (*open_level == level) {
		must(deflateReset(zlib));
		return;
	}
	if (*open_level != NOT_OPEN)
		deflateEnd(zlib);
	memset(zlib, 0, sizeof *zlib);
	must(deflateInit2(zlib, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY));
	*open_level = level;
}

/* ---- large bodies ---------------------------------------------------------------------------- */

struct batch {
	struct perun_packer *packer;
	size_t size; /* of the batch, without the window */
	bool last;
};

static int pack_block(struct perun_ctx *ctx, size_t i, void *data)
{
	struct batch *batch = data;
	struct block *block = &batch->packer->blocks[i];
	const char *start = batch->packer->batch.data + batch->packer->window + i * BLOCK;
	size_t size = batch->size - i * BLOCK < BLOCK ? batch->size - i * BLOCK : BLOCK;
	size_t before = batch->packer->window + i * BLOCK;
	bool last = batch->last && i * BLOCK + size == batch->size;
	z_stream *zlib = &block->zlib;

	(void)ctx;
	start_deflate(zlib, &block->level, batch->packer->level, -15);
	if (before > WINDOW)
		before = WINDOW;
	if (before)
		must(deflateSetDictionary(zlib, (const Bytef *)start - before, (uInt)before));
	perun_buffer_clear(&block->out);
	/* The bound is for Z_FINISH; a flush needs a few bytes more. */
	size_t room = deflateBound(zlib, size) + 64;
	zlib->next_in = (Bytef *)start;
	zlib->avail_in = (uInt)size;
	zlib->next_out = (Bytef *)perun_buffer_reserve(&block->out, room);
	zlib->avail_out = (uInt)room;
	must(deflate(zlib, last ? Z_FINISH : Z_SYNC_FLUSH));
	block->out.length = room - zlib->avail_out;
	block->adler = adler32(adler32(0, NULL, 0), (const Bytef *)start, (uInt)size);
	return PERUN_OK;
}

/* Pack what has come since the last batch. */
static int pack_batch(struct perun_ctx *ctx, struct perun_packer *packer, bool last)
{
	struct batch batch = {packer, packer->batch.length - packer->window, last};
	size_t count = (batch.size + BLOCK - 1) / BLOCK, keep;
	int status;

	if (count == 0 && last)
		count = 1; /* an empty last block ends the stream */
	if (!packer->blocks) {
		packer->blocks = perun_alloc_zero(BLOCKS, sizeof *packer->blocks);
		for (size_t i = 0; i < BLOCKS; i++)
			packer->blocks[i].level = NOT_OPEN;
	}
	if (!packer->large) {
		packer->large = true;
		packer->adler = adler32(0, NULL, 0);
		spool_begin(packer, &packer->body);
		spool_begin(packer, &packer->packed);
	}
	status = spool_add(ctx, packer, &packer->body, packer->batch.data + packer->window,
			   batch.size);
	if (!status)
		status = perun_parallel_for(ctx, count, pack_block, &batch);
	for (size_t i = 0; i < count && !status; i++) {
		const struct block *block = &packer->blocks[i];
		size_t size = batch.size - i * BLOCK < BLOCK ? batch.size - i * BLOCK : BLOCK;

		status =
			spool_add(ctx, packer, &packer->packed, block->out.data, block->out.length);
		packer->adler = adler32_combine(packer->adler, block->adler, (z_off_t)size);
	}
	if (status)
		return status;
	keep = packer->batch.length < WINDOW ? packer->batch.length : WINDOW;
	memmove(packer->batch.data, packer->batch.data + packer->batch.length - keep, keep);
	packer->batch.length = packer->window = keep;
	return PERUN_OK;
}

int perun_packer_add(struct perun_ctx *ctx, struct perun_packer *packer, const void *data,
		     size_t size)
{
	const char *rest = data;

	packer->length += size;
	while (size > 0) {
		size_t room = BATCH - (packer->batch.length - packer->window);
		size_t part = size < room ? size : room;

		/* Only with more to come: what fills one batch exactly is small. */
		if (room == 0) {
			int status = pack_batch(ctx, packer, false);

			if (status)
				return status;
			continue;
		}
		perun_buffer_add(&packer->batch, rest, part);
		rest += part;
		size -= part;
	}
	return PERUN_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The spooled body goes into the checksum. */
static int add_spooled(struct perun_ctx *ctx, struct perun_packer *packer)
{
	const struct spool *body = &packer->body;
	char *data;

	if (body->fd < 0) {
		perun_sha_add(packer->sha, body->memory.data, body->memory.length);
		return PERUN_OK;
	}
	data = perun_alloc(BLOCK);
	for (uint64_t at = 0; at < body->size;) {
		ssize_t got = pread(body->fd, data, BLOCK, (off_t)at);
		int error = got < 0 ? errno : EIO;

		if (got < 0 && error == EINTR)
			continue;
		if (got <= 0) {
			perun_free(data);
			return perun_fail_errno(ctx, PERUN_INPUT, error,
						"cannot read a temporary file in %s",
						packer->store->path);
		}
		perun_sha_add(packer->sha, data, (size_t)got);
		at += (uint64_t)got;
	}
	perun_free(data);
	return PERUN_OK;
}

int perun_packer_name(struct perun_ctx *ctx, struct perun_packer *packer,
		      enum perun_object_kind kind, const char *name,
		      char checksum[PERUN_CHECKSUM_SIZE])
{
	const char *word = kind == PERUN_OBJECT_PROFILE ? "profile" : "attachment";
	int length = snprintf(packer->header, HEADER_ROOM, "%s %s %ju", word, name,
			      (uintmax_t)packer->length);
	int status = PERUN_OK;

	if (length < 0 || length >= HEADER_ROOM)
		return perun_fail(ctx, PERUN_INPUT, "the name '%.40s...' is too long", name);
	packer->header_length = (size_t)length + 1; /* with its NUL */
	if (packer->large)
		status = pack_batch(ctx, packer, true);
	if (status)
		return status;
	perun_sha_start(packer->sha);
	perun_sha_add(packer->sha, packer->header, packer->header_length);
	if (!packer->large)
		perun_sha_add(packer->sha, packer->batch.data ? packer->batch.data : "",
			      packer->batch.length);
	else
		status = add_spooled(ctx, packer);
	perun_sha_end(packer->sha, checksum);
	spool_end(&packer->body);
	return status;
}

static bool pack_quickly(struct perun_packer *packer)
{
	struct perun_buffer *text = &packer->text;

	if (!packer->quick || packer->level == STORED ||
	    packer->header_length + packer->batch.length > PERUN_QUICK_LIMIT)
		return false;
	perun_buffer_clear(text);
	perun_buffer_add(text, packer->header, packer->header_length);
	if (packer->batch.length)
		perun_buffer_add(text, packer->batch.data, packer->batch.length);
	return perun_quick_pack(packer->quick, text->data, text->length, &packer->out);
}

static void pack_with_zlib(struct perun_packer *packer)
{
	z_stream *zlib = &packer->zlib;
	size_t room;

	start_deflate(zlib, &packer->zlib_level, packer->level, 15);
	room = deflateBound(zlib, packer->header_length + packer->batch.length);
	zlib->next_out = (Bytef *)perun_buffer_reserve(&packer->out, room);
	zlib->avail_out = (uInt)room;
	zlib->next_in = (Bytef *)packer->header;
	zlib->avail_in = (uInt)packer->header_length;
	must(deflate(zlib, Z_NO_FLUSH));
	zlib->next_in = (Bytef *)packer->batch.data;
	zlib->avail_in = (uInt)packer->batch.length;
	must(deflate(zlib, Z_FINISH));
	packer->out.length = room - zlib->avail_out;
}

static size_t pack_small(struct perun_packer *packer, struct perun_piece *pieces)
{
	perun_buffer_clear(&packer->out);
	if (!pack_quickly(packer))
		pack_with_zlib(packer);
	pieces[0] = (struct perun_piece){packer->out.data, packer->out.length, -1};
	return 1;
}

/* 78 9c, and the header as a stored block: 00, its length, the complement of that. */
static void head_of_large(struct perun_packer *packer)
{
	size_t length = packer->header_length;
	const unsigned char start[7] = {0x78,
					0x9c,
					0,
					(unsigned char)length,
					(unsigned char)(length >> 8),
					(unsigned char)~length,
					(unsigned char)(~length >> 8)};
	uLong adler = adler32(adler32(0, NULL, 0), (const Bytef *)packer->header, (uInt)length);

	adler = adler32_combine(adler, packer->adler, (z_off_t)packer->length);
	for (size_t i = 0; i < 4; i++)
		packer->trailer[i] = (unsigned char)(adler >> (24 - 8 * i));
	perun_buffer_clear(&packer->batch);
	perun_buffer_add(&packer->batch, start, sizeof start);
	perun_buffer_add(&packer->batch, packer->header, length);
}

size_t perun_packer_pack(struct perun_packer *packer,
			 struct perun_piece pieces[PERUN_PACKED_PIECES])
{
	if (!packer->large)
		return pack_small(packer, pieces);
	head_of_large(packer);
	pieces[0] = (struct perun_piece){packer->batch.data, packer->batch.length, -1};
	pieces[1] = (struct perun_piece){packer->packed.memory.data, (size_t)packer->packed.size,
					 packer->packed.fd};
	pieces[2] = (struct perun_piece){packer->trailer, sizeof packer->trailer, -1};
	return 3;
}
