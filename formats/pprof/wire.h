/* SPDX-License-Identifier: BSD-3-Clause */
/* The wire format of Protocol Buffers: a window on the input, and the fields of a message in it. */
#ifndef PERUN_FORMAT_PPROF_WIRE_H
#define PERUN_FORMAT_PPROF_WIRE_H

#include <string.h>

#include "formats/common/protobuf.h"
#include "pprof.h"

enum { PPROF_SLACK = 16 }; /* bytes after the window that may be read, but mean nothing */

/* A string or a message of more bytes than this is refused. */
#define PPROF_LARGEST ((uint64_t)64 * 1024 * 1024)

/* What a field of a message may be. */
enum pprof_kind {
	PPROF_UNKNOWN, /* skipped */
	PPROF_NUMBER,
	PPROF_NUMBERS, /* repeated: one by one, packed, or both */
	PPROF_TEXT,    /* a string or a message */
};

struct pprof_field_type {
	const char *name;
	enum pprof_kind kind;
};

/* A message type: its fields by number. */
struct pprof_schema {
	const char *name;
	unsigned count; /* numbers are below */
	const struct pprof_field_type *fields;
};

/* The part of the input that is in memory. */
struct pprof_window {
	struct perun_ctx *ctx;
	struct perun_input *input;
	unsigned char *bytes;
	size_t room;
	const unsigned char *at, *end; /* not read yet */
	uint64_t base;                 /* the offset of bytes[0] in the input */
	uint64_t limit;
	bool ended; /* nothing follows `end` */
};

/* A message that lies in the window as a whole. */
struct pprof_message {
	struct pprof_window *window;
	const struct pprof_schema *schema;
	const struct pprof_message *parent; /* NULL: of Profile */
	uint64_t index;                     /* among those of its kind */
	const unsigned char *at, *end;
	/* A message that was read before, and is read again elsewhere in memory. */
	const unsigned char *copy;
	uint64_t copy_offset;
};

struct pprof_field {
	uint32_t number; /* 0: none that is known */
	enum pprof_kind kind;
	bool bytes;     /* a string, a message, packed numbers; else `value` */
	uint64_t value; /* of a number; the length of bytes */
	const unsigned char *data, *start;
};

int pprof_window_open(struct pprof_window *window, struct perun_ctx *ctx,
		      const struct pprof_options *options, struct perun_input *input);
void pprof_window_close(struct pprof_window *window);
/* Have `size` bytes from `at` on in memory, or all that there are. */
int pprof_window_fill(struct pprof_window *window, size_t size);
/* Pass over `size` bytes without keeping them; PERUN_INPUT without words when there are less. */
int pprof_window_skip(struct pprof_window *window, uint64_t size, bool *ended);

static inline uint64_t pprof_offset(const struct pprof_window *window, const unsigned char *at)
{
	return window->base + (uint64_t)(at - window->bytes);
}

/*
 * A field of a few bytes, text or packed numbers, whose number and length take a byte each: what profiles are made of.
 * False where the next one is none of these.
 */
static inline bool pprof_take_short(struct pprof_message *message, struct pprof_field *field)
{
	const unsigned char *at = message->at;
	ptrdiff_t left = message->end - at;
	unsigned number, length;
	enum pprof_kind kind;

	if (left < 2)
		return false;
	number = *at >> 3;
	length = at[1];
	if ((*at & 0x87) != PROTOBUF_BYTES || number >= message->schema->count || length >= 0x80 ||
	    (ptrdiff_t)length > left - 2)
		return false;
	kind = message->schema->fields[number].kind;
	if (kind != PPROF_TEXT && kind != PPROF_NUMBERS)
		return false;
	*field = (struct pprof_field){.number = number,
				      .kind = kind,
				      .bytes = true,
				      .value = length,
				      .data = at + 2,
				      .start = at};
	message->at = at + 2 + length;
	return true;
}

/* The next field, unknown ones as well; there must be one. False after a failure, when `*status` is set. */
bool pprof_take_field(struct pprof_message *message, struct pprof_field *field, int *status);
/* The next field that the schema knows; false at the end as well. */
bool pprof_take_known(struct pprof_message *message, struct pprof_field *field, int *status);
static inline bool pprof_next_field(struct pprof_message *message, struct pprof_field *field,
				    int *status);
/* The message in a field. */
static inline struct pprof_message pprof_inside(const struct pprof_message *message,
						const struct pprof_field *field,
						const struct pprof_schema *schema, uint64_t index)
{
	return (struct pprof_message){.window = message->window,
				      .schema = schema,
				      .parent = message,
				      .index = index,
				      .at = field->bytes ? field->data : NULL,
				      .end = field->bytes ? field->data + field->value : NULL};
}
/* Fail at `at` in a message: "byte 12: Profile.sample[3].location_id: ..." */
int pprof_wrong(const struct pprof_message *message, uint32_t field, const unsigned char *at,
		const char *format, ...) PERUN_PRINTF(4, 5);

/*
 * protobuf_varint(), fast for values of up to four bytes, whose lengths cannot be foreseen: from memory of which PPROF_SLACK
 * bytes more may be read.
 */
static inline const unsigned char *pprof_small(const unsigned char *at, const unsigned char *end,
					       uint64_t *value)
{
	uint32_t word, stops;
	unsigned bits;

	if (*at < 0x80 && at < end) {
		*value = *at;
		return at + 1;
	}
	memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap32(word);
#endif
	stops = ~word & 0x80808080u;
	if (stops) {
		bits = (unsigned)__builtin_ctz(stops); /* 7, 15, 23 or 31 */
		at += (bits + 1) / 8;
		if (at > end)
			return NULL;
		word &= 0xffffffffu >> (31 - bits);
		*value = (word & 0x7f) | (word & 0x7f00) >> 1 | (word & 0x7f0000) >> 2 |
			 (word & 0x7f000000) >> 3;
		return at;
	}
	return protobuf_varint(at, end, value);
}

/*
 * Two varints that end before `end` and take at most four bytes each, the second of which begins at `second`, without a branch
 * on their lengths: these cannot be foreseen. NULL where they are longer, or there is but one.
 */
static inline const unsigned char *pprof_pair(const unsigned char *at, const unsigned char *end,
					      uint64_t *first_value, const unsigned char **second,
					      uint64_t *second_value)
{
	uint64_t word, stops, more, two;
	unsigned first, both; /* bits */

	memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	stops = ~word & 0x8080808080808080u;
	more = stops & (stops - 1);
	if (!more)
		return NULL;
	first = (unsigned)__builtin_ctzll(stops) + 1;
	both = (unsigned)__builtin_ctzll(more) + 1;
	if (first > 32 || both > first + 32 || both / 8 > (size_t)(end - at))
		return NULL;
	/* Each in its half of a word, the seven bits of its bytes are joined: to 14, then to 28. */
	two = (word & (stops ^ (stops - 1))) | (word & (more ^ (more - 1))) >> first << 32;
	two = (two & 0x007f007f007f007fu) | (two & 0x7f007f007f007f00u) >> 1;
	two = (two & 0x00003fff00003fffu) | (two & 0x3fff00003fff0000u) >> 2;
	*first_value = (uint32_t)two;
	*second = at + first / 8;
	*second_value = two >> 32;
	return at + both / 8;
}

/* A number whose field has a tag of one byte, as nearly all have. False where the next one is none. */
static inline bool pprof_take_number(struct pprof_message *message, struct pprof_field *field)
{
	const unsigned char *at = message->at, *end;
	enum pprof_kind kind;

	if (at >= message->end || *at & 0x87 || *at >> 3 >= (int)message->schema->count)
		return false;
	kind = message->schema->fields[*at >> 3].kind;
	if (kind != PPROF_NUMBER && kind != PPROF_NUMBERS)
		return false;
	end = pprof_small(at + 1, message->end, &field->value);
	if (!end)
		return false;
	field->number = *at >> 3;
	field->kind = kind;
	field->bytes = false;
	field->start = at;
	message->at = end;
	return true;
}

static inline bool pprof_next_field(struct pprof_message *message, struct pprof_field *field,
				    int *status)
{
	return pprof_take_short(message, field) || pprof_take_number(message, field) ||
	       pprof_take_known(message, field, status);
}

#endif
