/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are read again at the end of the file. */
#include "kept.h"

void pprof_keep(struct pprof_kept *kept, const unsigned char *data, size_t size, uint64_t offset)
{
	const size_t need = kept->size + 2 * PROTOBUF_LONGEST_VARINT + size + PPROF_SLACK;
	unsigned char *to;

	if (need > kept->room) {
		kept->room = need + need / 2;
		kept->bytes = perun_realloc(kept->bytes, kept->room);
	}
	to = protobuf_put_varint(kept->bytes + kept->size, offset - kept->offset);
	to = protobuf_put_varint(to, size);
	memcpy(to, data, size);
	to += size;
	memset(to, 0, PPROF_SLACK);
	kept->size = (size_t)(to - kept->bytes);
	kept->offset = offset;
	kept->count++;
}

void pprof_keep_pair(struct pprof_kept *kept, uint64_t first, uint64_t second, uint64_t offset)
{
	unsigned char bytes[2 * PROTOBUF_LONGEST_VARINT];
	const unsigned char *end = protobuf_put_varint(protobuf_put_varint(bytes, first), second);

	pprof_keep(kept, bytes, (size_t)(end - bytes), offset);
}

bool pprof_kept_next(const struct pprof_kept *kept, struct pprof_kept_place *place,
		     struct pprof_message *message)
{
	const unsigned char *at, *end;
	uint64_t far = 0, size = 0;

	if (place->at == kept->size)
		return false;
	at = kept->bytes + place->at;
	end = kept->bytes + kept->size;
	at = pprof_small(at, end, &far);
	at = pprof_small(at, end, &size);
	message->at = at;
	message->end = at + size;
	place->offset += far;
	place->at = (size_t)(message->end - kept->bytes);
	return true;
}

bool pprof_kept_next_pair(const struct pprof_kept *kept, struct pprof_kept_place *place,
			  uint64_t *first, uint64_t *second)
{
	struct pprof_message pair;

	if (!pprof_kept_next(kept, place, &pair))
		return false;
	pprof_small(pprof_small(pair.at, pair.end, first), pair.end, second);
	return true;
}

void pprof_kept_free(struct pprof_kept *kept)
{
	perun_free(kept->bytes);
	*kept = (struct pprof_kept){0};
}
