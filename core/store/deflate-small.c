/* SPDX-License-Identifier: BSD-3-Clause */
/* Deflating thousands of small, similar texts: by ISA-L, with codes that many of them share. */
#include "core/store/deflate-small.h"

#ifdef HAVE_ISAL

#include <isa-l/igzip_lib.h>
#include <string.h>
#include <zlib.h>

/* This many texts share the codes that the first of them gave. */
#define SHARED 256

struct perun_quick {
	struct isal_zstream stream;
	struct isal_hufftables codes;
	unsigned packed; /* with these codes */
};

struct perun_quick *perun_quick_new(void)
{
	return perun_alloc_zero(1, sizeof(struct perun_quick));
}

void perun_quick_free(struct perun_quick *quick)
{
	perun_free(quick);
}

/* Codes for every byte and length, the shorter the more frequent it is in this text. */
static bool find_codes(struct perun_quick *quick, const void *data, size_t size)
{
	struct isal_huff_histogram *histogram = perun_alloc_zero(1, sizeof *histogram);
	bool found;

	isal_update_histogram((uint8_t *)data, (int)size, histogram);
	found = isal_create_hufftables(&quick->codes, histogram) == COMP_OK;
	perun_free(histogram);
	return found;
}

static bool deflate_text(struct perun_quick *quick, const void *data, size_t size,
			 unsigned char *out, size_t room, size_t *length)
{
	struct isal_zstream *stream = &quick->stream;

	isal_deflate_stateless_init(stream);
	stream->hufftables = &quick->codes;
	stream->gzip_flag = IGZIP_DEFLATE;
	stream->end_of_stream = 1;
	stream->next_in = (uint8_t *)data;
	stream->avail_in = (uint32_t)size;
	stream->next_out = out;
	stream->avail_out = (uint32_t)room;
	if (isal_deflate_stateless(stream) != COMP_OK)
		return false;
	*length = stream->total_out;
	return true;
}

bool perun_quick_pack(struct perun_quick *quick, const void *data, size_t size,
		      struct perun_buffer *out)
{
	/* A code has 15 bits at most; the codes themselves and the ends come on top. */
	size_t room = 2 * size + ISAL_DEF_MAX_HDR_SIZE + 64, length;
	uLong adler = adler32(adler32(0, NULL, 0), data, (uInt)size);
	unsigned char *bytes;

	if (size == 0 || size > PERUN_QUICK_LIMIT)
		return false;
	if (quick->packed % SHARED == 0 && !find_codes(quick, data, size))
		return false;
	bytes = (unsigned char *)perun_buffer_reserve(out, room);
	if (!deflate_text(quick, data, size, bytes + 2, room - 6, &length))
		return false;
	quick->packed++;
	bytes[0] = 0x78; /* a window of 32 KiB, as zlib says it */
	bytes[1] = 0x9c;
	for (size_t i = 0; i < 4; i++)
		bytes[2 + length + i] = (unsigned char)(adler >> (24 - 8 * i));
	out->length += length + 6;
	return true;
}

#else

struct perun_quick *perun_quick_new(void)
{
	return NULL;
}

void perun_quick_free(struct perun_quick *quick)
{
	(void)quick;
}

bool perun_quick_pack(struct perun_quick *quick, const void *data, size_t size,
		      struct perun_buffer *out)
{
	(void)quick;
	(void)data;
	(void)size;
	(void)out;
	return false;
}

#endif
