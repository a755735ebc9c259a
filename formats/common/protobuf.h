/* SPDX-License-Identifier: BSD-3-Clause */
/* The wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding): numbers, and fields in memory. */
#ifndef PERUN_FORMATS_COMMON_PROTOBUF_H
#define PERUN_FORMATS_COMMON_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of fields, and how many bytes a number has at most. */
enum {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2,
	PROTOBUF_FIXED32 = 5,
	PROTOBUF_LONGEST_VARINT = 10
};

/* Read a number of at most ten bytes that ends before `end`. Bits beyond 64 are dropped. NULL when it does not end there. */
static inline const unsigned char *protobuf_varint(const unsigned char *at,
						   const unsigned char *end, uint64_t *value)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < PROTOBUF_LONGEST_VARINT && at < end; i++) {
		uint64_t byte = *at++;

		result |= (byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*value = result;
			return at;
		}
	}
	return NULL;
}

/* Write a number; `to` has room for PROTOBUF_LONGEST_VARINT bytes. Returns where it ends. */
static inline unsigned char *protobuf_put_varint(unsigned char *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (unsigned char)(value | 0x80);
	*to++ = (unsigned char)value;
	return to;
}

/* A message, a text or packed numbers in memory. */
struct protobuf_bytes {
	const unsigned char *at, *end;
};

struct protobuf_field {
	uint64_t number;
	unsigned type;
	uint64_t value;              /* of a number; 0 of others */
	struct protobuf_bytes bytes; /* of PROTOBUF_BYTES */
};

/*
 * Take the next field of a message. False at its end, and with message->at != message->end where the bytes from there on are
 * no field.
 */
static inline bool protobuf_next(struct protobuf_bytes *message, struct protobuf_field *field)
{
	const unsigned char *at = message->at, *end = message->end;
	uint64_t tag, size = 0;

	if (at == end || !(at = protobuf_varint(at, end, &tag)))
		return false;
	*field = (struct protobuf_field){.number = tag >> 3, .type = tag & 7};
	if (field->type == PROTOBUF_VARINT)
		at = protobuf_varint(at, end, &field->value);
	else if (field->type == PROTOBUF_BYTES)
		at = protobuf_varint(at, end, &size);
	else if (field->type == PROTOBUF_FIXED64 || field->type == PROTOBUF_FIXED32)
		size = field->type == PROTOBUF_FIXED64 ? 8 : 4;
	else
		return false;
	if (!at || field->number == 0 || size > (uint64_t)(end - at))
		return false;
	if (field->type == PROTOBUF_BYTES)
		field->bytes = (struct protobuf_bytes){at, at + size};
	message->at = at + size;
	return true;
}

#endif
