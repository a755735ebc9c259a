/* SPDX-License-Identifier: BSD-3-Clause */
/* Undoing zstd, with libzstd where it was built in. */
#include "core/format/inflate.h"
#include "perun/context.h"

#ifdef HAVE_ZSTD

#include <zstd.h>

/* Frames that need a larger window than 128 MiB are refused: what they decompress to is not known. */
#define LARGEST_WINDOW 27

struct perun_unzstd {
	ZSTD_DStream *stream;
	size_t result;
};

struct perun_unzstd *perun_unzstd_new(void)
{
	struct perun_unzstd *unzstd = perun_alloc_zero(1, sizeof *unzstd);

	unzstd->stream = ZSTD_createDStream();
	if (unzstd->stream &&
	    !ZSTD_isError(ZSTD_DCtx_setParameter(unzstd->stream, ZSTD_d_windowLogMax,
						 LARGEST_WINDOW)))
		return unzstd;
	perun_unzstd_free(unzstd);
	return NULL;
}

void perun_unzstd_free(struct perun_unzstd *unzstd)
{
	if (unzstd)
		ZSTD_freeDStream(unzstd->stream);
	perun_free(unzstd);
}

void perun_unzstd_again(struct perun_unzstd *unzstd)
{
	ZSTD_DCtx_reset(unzstd->stream, ZSTD_reset_session_only);
}

enum perun_inflate_state perun_unzstd_run(struct perun_unzstd *unzstd, const unsigned char **in,
					  size_t *left, void *out, size_t size, size_t *got)
{
	ZSTD_inBuffer from = {.src = *in, .size = *left};
	ZSTD_outBuffer to = {.dst = out, .size = size};

	unzstd->result = ZSTD_decompressStream(unzstd->stream, &to, &from);
	*in += from.pos;
	*left -= from.pos;
	*got = to.pos;
	if (ZSTD_isError(unzstd->result))
		return PERUN_INFLATE_DAMAGED;
	return unzstd->result == 0 ? PERUN_INFLATE_END : PERUN_INFLATE_MORE;
}

const char *perun_unzstd_damage(const struct perun_unzstd *unzstd)
{
	return ZSTD_getErrorName(unzstd->result);
}

#else

struct perun_unzstd *perun_unzstd_new(void)
{
	return NULL;
}

void perun_unzstd_free(struct perun_unzstd *unzstd)
{
	(void)unzstd;
}

void perun_unzstd_again(struct perun_unzstd *unzstd)
{
	(void)unzstd;
}

enum perun_inflate_state perun_unzstd_run(struct perun_unzstd *unzstd, const unsigned char **in,
					  size_t *left, void *out, size_t size, size_t *got)
{
	(void)unzstd;
	(void)in;
	(void)left;
	(void)out;
	(void)size;
	*got = 0;
	return PERUN_INFLATE_DAMAGED;
}

const char *perun_unzstd_damage(const struct perun_unzstd *unzstd)
{
	(void)unzstd;
	return "zstd is not built in";
}

#endif
