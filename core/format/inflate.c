/* SPDX-License-Identifier: BSD-3-Clause */
/* Undoing gzip. ISA-L takes a third of zlib's time; both check the same things. */
#include <limits.h>

#include "core/format/inflate.h"
#include "perun/context.h"

#ifdef HAVE_ISAL

#include <isa-l/igzip_lib.h>

struct perun_inflate {
	struct inflate_state state;
	int result;
};

struct perun_inflate *perun_inflate_new(void)
{
	struct perun_inflate *inflate = perun_alloc(sizeof *inflate);

	isal_inflate_init(&inflate->state);
	perun_inflate_again(inflate);
	return inflate;
}

void perun_inflate_free(struct perun_inflate *inflate)
{
	perun_free(inflate);
}

void perun_inflate_again(struct perun_inflate *inflate)
{
	isal_inflate_reset(&inflate->state);
	inflate->state.crc_flag = ISAL_GZIP;
	inflate->result = ISAL_DECOMP_OK;
}

enum perun_inflate_state perun_inflate_run(struct perun_inflate *inflate, const unsigned char **in,
					   size_t *left, void *out, size_t size, size_t *got)
{
	struct inflate_state *state = &inflate->state;
	size_t taken = *left < UINT32_MAX ? *left : UINT32_MAX;
	size_t want = size < UINT32_MAX ? size : UINT32_MAX;

	state->next_in = (uint8_t *)*in;
	state->avail_in = (uint32_t)taken;
	state->next_out = out;
	state->avail_out = (uint32_t)want;
	inflate->result = isal_inflate(state);
	*got = want - state->avail_out;
	/* Then avail_in may be wrong, in 2.30 below 0. */
	if (inflate->result < ISAL_DECOMP_OK)
		return PERUN_INFLATE_DAMAGED;
	*in += taken - state->avail_in;
	*left -= taken - state->avail_in;
	return state->block_state == ISAL_BLOCK_FINISH ? PERUN_INFLATE_END : PERUN_INFLATE_MORE;
}

const char *perun_inflate_damage(const struct perun_inflate *inflate)
{
	switch (inflate->result) {
	case ISAL_INVALID_BLOCK:
		return "invalid block";
	case ISAL_INVALID_SYMBOL:
		return "invalid symbol";
	case ISAL_INVALID_LOOKBACK:
		return "invalid distance too far back";
	case ISAL_INVALID_WRAPPER:
		return "incorrect header";
	case ISAL_UNSUPPORTED_METHOD:
		return "unknown compression method";
	case ISAL_INCORRECT_CHECKSUM:
		return "incorrect data check";
	default:
		return "damaged data";
	}
}

#else

#include <zlib.h>

/* zlib: the largest window, and a gzip header is expected. */
#define GZIP_WINDOW (15 + 16)

struct perun_inflate {
	z_stream stream;
};

struct perun_inflate *perun_inflate_new(void)
{
	struct perun_inflate *undo = perun_alloc_zero(1, sizeof *undo);

	if (inflateInit2(&undo->stream, GZIP_WINDOW) == Z_OK)
		return undo;
	perun_free(undo);
	return NULL;
}

void perun_inflate_free(struct perun_inflate *undo)
{
	if (undo)
		inflateEnd(&undo->stream);
	perun_free(undo);
}

void perun_inflate_again(struct perun_inflate *undo)
{
	inflateReset(&undo->stream);
}

enum perun_inflate_state perun_inflate_run(struct perun_inflate *undo, const unsigned char **in,
					   size_t *left, void *out, size_t size, size_t *got)
{
	z_stream *stream = &undo->stream;
	size_t taken = *left < UINT_MAX ? *left : UINT_MAX;
	size_t want = size < UINT_MAX ? size : UINT_MAX;
	int result;

	stream->next_in = (Bytef *)*in;
	stream->avail_in = (uInt)taken;
	stream->next_out = out;
	stream->avail_out = (uInt)want;
	result = inflate(stream, Z_NO_FLUSH);
	*in += taken - stream->avail_in;
	*left -= taken - stream->avail_in;
	*got = want - stream->avail_out;
	if (result == Z_STREAM_END)
		return PERUN_INFLATE_END;
	return result == Z_OK || result == Z_BUF_ERROR ? PERUN_INFLATE_MORE : PERUN_INFLATE_DAMAGED;
}

const char *perun_inflate_damage(const struct perun_inflate *undo)
{
	return undo->stream.msg ? undo->stream.msg : "damaged data";
}

#endif
