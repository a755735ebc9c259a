/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as strings of a document, and back. */
#include "pprof-texts.h"

/* The length of the UTF-8 sequence at `at`, 0 if it is none (RFC 3629). */
static size_t sequence(const unsigned char *at, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (at[0] < 0x80)
		return 1;
	if (at[0] < 0xc2 || at[0] > 0xf4)
		return 0;
	length = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	if (left < length)
		return 0;
	if (at[0] == 0xe0)
		low = 0xa0;
	else if (at[0] == 0xed)
		high = 0x9f; /* no surrogates */
	else if (at[0] == 0xf0)
		low = 0x90;
	else if (at[0] == 0xf4)
		high = 0x8f;
	if (at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	return length;
}

struct perun_json *pprof_to_json(const char *text, size_t length, bool *clean)
{
	const unsigned char *bytes = (const unsigned char *)text;
	struct perun_buffer out = {0};
	struct perun_json *value;
	bool good = true;

	for (size_t i = 0, used; i < length; i += used) {
		used = sequence(bytes + i, length - i);
		good &= used != 0 && bytes[i] != 0;
		if (used) {
			perun_buffer_add(&out, bytes + i, used);
			continue;
		}
		/* U+DC00 + byte in three bytes. */
		perun_buffer_add_char(&out, (char)0xed);
		perun_buffer_add_char(&out, (char)(0xb0 | bytes[i] >> 6));
		perun_buffer_add_char(&out, (char)(0x80 | (bytes[i] & 0x3f)));
		used = 1;
	}
	value = perun_json_string(out.data ? out.data : "", out.length);
	perun_buffer_free(&out);
	if (clean)
		*clean = good;
	return value;
}

void pprof_from_json(const struct perun_json *value, struct perun_buffer *bytes)
{
	size_t length = 0;
	const char *string = perun_json_as_string(value, &length);
	const unsigned char *at = (const unsigned char *)string;

	for (size_t i = 0; string && i < length; i++) {
		if (length - i >= 3 && at[i] == 0xed && (at[i + 1] == 0xb2 || at[i + 1] == 0xb3) &&
		    (at[i + 2] & 0xc0) == 0x80) {
			perun_buffer_add_char(bytes,
					      (char)((at[i + 1] & 3) << 6 | (at[i + 2] & 0x3f)));
			i += 2;
		} else {
			perun_buffer_add_char(bytes, string[i]);
		}
	}
}
