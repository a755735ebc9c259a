/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of protocol buffers written by hand, for tests of the format pprof. */
#ifndef PERUN_TESTS_UNIT_PPROF_BYTES_H
#define PERUN_TESTS_UNIT_PPROF_BYTES_H

#include <stdarg.h>

#include <perun/context.h>

static inline void put_varint(struct perun_buffer *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		perun_buffer_add_char(out, (char)(value | 0x80));
	perun_buffer_add_char(out, (char)value);
}

static inline void put_number(struct perun_buffer *out, unsigned field, uint64_t value)
{
	put_varint(out, (uint64_t)field << 3);
	put_varint(out, value);
}

static inline void put_bytes(struct perun_buffer *out, unsigned field, const void *data,
			     size_t size)
{
	put_varint(out, (uint64_t)field << 3 | 2);
	put_varint(out, size);
	perun_buffer_add(out, data, size);
}

static inline void put_text(struct perun_buffer *out, const char *text)
{
	put_bytes(out, 6, text, strlen(text));
}

/*
 * A message: fields and values by turns, ended by 0: put_message(out, 5, 1, 7, 2, 3, 0) is field 5,
 * a message with field 1 = 7 and field 2 = 3. Values are int64_t or int.
 */
#define put_message(OUT, FIELD, ...) put_message_of(OUT, FIELD, (const int64_t[]){__VA_ARGS__})

static inline void put_message_of(struct perun_buffer *out, unsigned field, const int64_t *numbers)
{
	struct perun_buffer message = {0};

	for (; *numbers; numbers += 2)
		put_number(&message, (unsigned)numbers[0], (uint64_t)numbers[1]);
	put_bytes(out, field, message.data, message.length);
	perun_buffer_free(&message);
}

#endif
