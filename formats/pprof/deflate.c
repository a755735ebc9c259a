/* SPDX-License-Identifier: BSD-3-Clause */
/* One gzip member (RFC 1952) made of blocks that are compressed side by side. */
#include <string.h>
#include <zlib.h>

#include "deflate.h"

/*
 * Each block is compressed for itself, with the 32 KiB before it as the dictionary, and ends at a whole
 * byte (Z_SYNC_FLUSH): one after the other they are one deflate stream (RFC 1951), as pigz does it.
 */
enum {
	BLOCK = 256 * 1024,
	BLOCKS = 8, /* compressed as soon as there are this many */
	LARGEST_RESERVE = 1024 * 1024,
	MAX_BLOCKS = BLOCKS + LARGEST_RESERVE / BLOCK,
	WINDOW = 32 * 1024,
	LEVEL = 4, /* a fifth less time than 6, and a hundredth more bytes */
	RAW_WINDOW_BITS = -15,
	MEMORY_LEVEL = 8
};

struct block {
	unsigned char *packed;
	size_t packed_size, room;
	uLong crc;
};

struct pprof_stream {
	struct perun_ctx *ctx;
	struct perun_output *output;
	bool plain, last;
	int status;
	/* A window of what went before, then what is to be compressed, with room for a reserve. */
	unsigned char *bytes;
	size_t history, size, room;
	struct block blocks[MAX_BLOCKS];
	uLong crc;
	uint64_t total;
};

struct pprof_stream *pprof_stream_new(struct perun_ctx *ctx, struct perun_output *output,
				      bool plain)
{
	static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
	struct pprof_stream *stream = perun_alloc_zero(1, sizeof *stream);

	stream->ctx = ctx;
	stream->output = output;
	stream->plain = plain;
	stream->room = 64 * 1024;
	stream->bytes = perun_alloc(WINDOW + stream->room);
	stream->crc = crc32(0, NULL, 0);
	if (!plain)
		stream->status = perun_output_write(output, head, sizeof head);
	return stream;
}

static size_t block_count(const struct pprof_stream *stream)
{
	return stream->size ? (stream->size + BLOCK - 1) / BLOCK : 1;
}

static int compress_block(struct perun_ctx *ctx, size_t i, void *data)
{
	struct pprof_stream *stream = data;
	struct block *block = &stream->blocks[i];
	bool last = stream->last && i + 1 == block_count(stream);
	unsigned char *from = stream->bytes + WINDOW + i * BLOCK;
	size_t size = stream->size - i * BLOCK < BLOCK ? stream->size - i * BLOCK : BLOCK;
	size_t history = stream->history + i * BLOCK;
	z_stream z = {0};
	int result;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, RAW_WINDOW_BITS, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return perun_fail(ctx, PERUN_INPUT, "cannot begin to compress");
	if (history > WINDOW)
		history = WINDOW;
	if (history)
		deflateSetDictionary(&z, from - history, (uInt)history);
	if (!block->packed) {
		block->room =
			deflateBound(&z, (uLong)(stream->room < BLOCK ? stream->room : BLOCK)) + 64;
		block->packed = perun_alloc(block->room);
	}
	z.next_in = from;
	z.avail_in = (uInt)size;
	z.next_out = block->packed;
	z.avail_out = (uInt)block->room;
	result = deflate(&z, last ? Z_FINISH : Z_SYNC_FLUSH);
	block->packed_size = block->room - z.avail_out;
	block->crc = crc32(crc32(0, NULL, 0), from, (uInt)size);
	deflateEnd(&z);
	if (result != (last ? Z_STREAM_END : Z_OK) || z.avail_in)
		return perun_fail(ctx, PERUN_INPUT, "cannot compress");
	return PERUN_OK;
}

static void write_blocks(struct pprof_stream *stream)
{
	size_t count = block_count(stream);

	if (!stream->status && count == 1)
		stream->status = compress_block(stream->ctx, 0, stream);
	else if (!stream->status)
		stream->status = perun_parallel_for(stream->ctx, count, compress_block, stream);
	for (size_t i = 0; i < count && !stream->status; i++) {
		const struct block *block = &stream->blocks[i];
		size_t size = stream->size - i * BLOCK < BLOCK ? stream->size - i * BLOCK : BLOCK;

		stream->crc = crc32_combine(stream->crc, block->crc, (z_off_t)size);
		stream->status =
			perun_output_write(stream->output, block->packed, block->packed_size);
	}
}

/* Hand over all that is there, or all but the part of a last block. */
static void flush(struct pprof_stream *stream, bool last)
{
	size_t all = stream->size, used = last ? all : all / BLOCK * BLOCK;

	stream->last = last;
	stream->size = used;
	stream->total += used;
	if (stream->plain) {
		if (!stream->status && used)
			stream->status =
				perun_output_write(stream->output, stream->bytes + WINDOW, used);
	} else {
		write_blocks(stream);
	}
	/* What is left, and the window before it. */
	if (used) {
		memmove(stream->bytes, stream->bytes + used, WINDOW + all - used);
		stream->history += used;
	}
	stream->size = all - used;
}

unsigned char *pprof_stream_reserve(struct pprof_stream *stream, size_t size)
{
	if (stream->status)
		return NULL;
	if (stream->room - stream->size >= size)
		return stream->bytes + WINDOW + stream->size;
	while (stream->room - stream->size < size) /* small at first */
		stream->room *= 2;
	stream->bytes = perun_realloc(stream->bytes, WINDOW + stream->room);
	return stream->bytes + WINDOW + stream->size;
}

void pprof_stream_advance(struct pprof_stream *stream, size_t size)
{
	stream->size += size;
	if (stream->size >= (size_t)BLOCKS * BLOCK)
		flush(stream, false);
}

void pprof_stream_write(struct pprof_stream *stream, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		size_t part = size < BLOCK ? size : BLOCK;
		unsigned char *to = pprof_stream_reserve(stream, part);

		if (!to)
			return;
		memcpy(to, from, part);
		pprof_stream_advance(stream, part);
		from += part;
		size -= part;
	}
}

static void write_trailer(struct pprof_stream *stream)
{
	unsigned char trailer[8];

	for (unsigned i = 0; i < 4; i++) {
		trailer[i] = (unsigned char)(stream->crc >> (8 * i));
		trailer[4 + i] = (unsigned char)(stream->total >> (8 * i));
	}
	stream->status = perun_output_write(stream->output, trailer, sizeof trailer);
}

int pprof_stream_finish(struct pprof_stream *stream)
{
	int status;

	flush(stream, true);
	if (!stream->status && !stream->plain)
		write_trailer(stream);
	status = stream->status;
	for (size_t i = 0; i < MAX_BLOCKS; i++)
		perun_free(stream->blocks[i].packed);
	perun_free(stream->bytes);
	perun_free(stream);
	return status;
}
