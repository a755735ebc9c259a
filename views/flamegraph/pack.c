/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of numbers in few characters: views/common/page/packed.js reads them. */
#include <config.h>

#include "pack.h"

void pack_number(struct perun_buffer *bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		perun_buffer_add_char(bytes, (char)(value | 0x80));
	perun_buffer_add_char(bytes, (char)value);
}

void pack_signed(struct perun_buffer *bytes, int64_t value)
{
	pack_number(bytes, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void pack_text(struct perun_buffer *out, struct perun_buffer *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *from = (const unsigned char *)bytes->data;
	size_t length = bytes->length, groups = (length + 2) / 3;
	char *to = perun_buffer_reserve(out, 4 * groups + 2);

	*to++ = '"';
	for (size_t i = 0; i < length; i += 3) {
		uint32_t bits = (uint32_t)from[i] << 16;

		bits |= i + 1 < length ? (uint32_t)from[i + 1] << 8 : 0;
		bits |= i + 2 < length ? from[i + 2] : 0;
		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = i + 1 < length ? digits[bits >> 6 & 63] : '=';
		*to++ = i + 2 < length ? digits[bits & 63] : '=';
	}
	*to = '"';
	out->length += 4 * groups + 2;
	perun_buffer_clear(bytes);
}

void pack_column(struct perun_buffer *out, const char *key, struct perun_buffer *bytes)
{
	perun_buffer_printf(out, "\"%s\":", key);
	pack_text(out, bytes);
}
