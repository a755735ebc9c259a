/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are read again at the end of the file. */
#include "kept.h"

static unsigned char *make_room(struct pprof_kept *kept, size_t size)
{
	const size_t need = kept->size + size + PPROF_SLACK;

	if (need > kept->room) {
		kept->room = need + need / 2;
		kept->bytes = perun_realloc(kept->bytes, kept->room);
	}
	return kept->bytes + kept->size;
}

static void end_kept(struct pprof_kept *kept, unsigned char *end, uint64_t offset)
{
	memset(end, 0, PPROF_SLACK);
	kept->size = (size_t)(end - kept->bytes);
	kept->offset = offset;
	kept->count++;
}

void pprof_keep(struct pprof_kept *kept, const unsigned char *data, size_t size, uint64_t offset)
{
	unsigned char *to = make_room(kept, 2 * PROTOBUF_LONGEST_VARINT + size);

	to = protobuf_put_varint(to, offset - kept->offset);
	to = protobuf_put_varint(to, size);
	memcpy(to, data, size);
	end_kept(kept, to + size, offset);
}

void pprof_keep_use(struct pprof_kept *kept, uint64_t number, uint64_t sample, uint64_t offset)
{
	unsigned char *to = make_room(kept, 3 * PROTOBUF_LONGEST_VARINT);

	to = protobuf_put_varint(to, offset - kept->offset);
	to = protobuf_put_varint(to, number);
	to = protobuf_put_varint(to, sample - kept->sample);
	end_kept(kept, to, offset);
	kept->sample = sample;
}

/* Half of it was read: what is made of it may take the memory. */
static void give_back(struct pprof_kept *kept, struct pprof_kept_place *place)
{
	enum { FEW = 1 << 16 };

	if (place->at < FEW || place->at < kept->size / 2)
		return;
	kept->size -= place->at;
	memmove(kept->bytes, kept->bytes + place->at, kept->size + PPROF_SLACK);
	kept->room = kept->size + PPROF_SLACK;
	kept->bytes = perun_realloc(kept->bytes, kept->room);
	place->at = 0;
}

bool pprof_kept_next(struct pprof_kept *kept, struct pprof_kept_place *place,
		     struct pprof_message *message)
{
	const unsigned char *at, *end;
	uint64_t far = 0, size = 0;

	give_back(kept, place);
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

bool pprof_kept_next_use(struct pprof_kept *kept, struct pprof_kept_place *place, uint64_t *number)
{
	const unsigned char *at, *end;
	uint64_t far = 0, samples = 0;

	give_back(kept, place);
	if (place->at == kept->size)
		return false;
	at = kept->bytes + place->at;
	end = kept->bytes + kept->size;
	at = pprof_small(at, end, &far);
	at = pprof_small(at, end, number);
	at = pprof_small(at, end, &samples);
	place->offset += far;
	place->sample += samples;
	place->at = (size_t)(at - kept->bytes);
	return true;
}

void pprof_kept_free(struct pprof_kept *kept)
{
	perun_free(kept->bytes);
	*kept = (struct pprof_kept){0};
}
