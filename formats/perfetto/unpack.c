/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets within a packet, compressed by deflate. */
#include <inttypes.h>
#include <zlib.h>

#include "perfetto.h"

enum { FIRST_ROOM = 64 * 1024 };

static int damaged(struct perfetto *trace, const struct protobuf_bytes *packed, const char *why)
{
	return perun_fail(trace->ctx, PERUN_INPUT, "byte %" PRIu64 ": compressed packets %s",
			  (uint64_t)(packed->at - trace->start), why);
}

int perfetto_unpack(struct perfetto *trace, const struct protobuf_bytes *packed,
		    unsigned char **bytes, size_t *size)
{
	z_stream stream = {.next_in = (unsigned char *)packed->at,
			   .avail_in = (unsigned)(packed->end - packed->at)};
	size_t room = 0, length = 0;
	int result = Z_OK;

	*bytes = NULL;
	if (packed->end - packed->at > INT32_MAX || inflateInit(&stream) != Z_OK)
		return damaged(trace, packed, "that are too large");
	while (result == Z_OK && length <= trace->unpacked_left) {
		if (length == room) {
			room = room ? room * 2 : FIRST_ROOM;
			*bytes = perun_realloc(*bytes, room);
		}
		stream.next_out = *bytes + length;
		stream.avail_out =
			(unsigned)(room - length < INT32_MAX ? room - length : INT32_MAX);
		result = inflate(&stream, Z_NO_FLUSH);
		length = (size_t)(stream.next_out - *bytes);
	}
	inflateEnd(&stream);
	if (length > trace->unpacked_left)
		return damaged(trace, packed,
			       "of more bytes than the option unpacked-limit allows");
	if (result != Z_STREAM_END)
		return damaged(trace, packed, "are damaged");
	trace->unpacked_left -= length;
	*bytes = perun_realloc(*bytes, length + 1);
	*size = length;
	return PERUN_OK;
}
