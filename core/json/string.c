/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a JSON string: escapes are decoded in place, UTF-8 is checked. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "reader.h"
#include "utf8.h"

/* Long enough for two \uXXXX, the longest that must be seen as one. */
#define LOOK_AHEAD 12

/* The first byte from `p` on that is a quote, a backslash, a control character or not ASCII. */
static char *scan_plain(char *p)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);

	for (;; p += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
					     _mm_cmpeq_epi8(bytes, backslash));
		int mask;

		found = _mm_or_si128(found, _mm_cmpeq_epi8(_mm_max_epu8(bytes, control), control));
		/* The top bit of a byte is in the mask as it is: not ASCII. */
		mask = _mm_movemask_epi8(_mm_or_si128(found, bytes));
		if (mask != 0)
			return p + __builtin_ctz((unsigned)mask);
	}
#else
	for (;; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
			return p;
	}
#endif
}

/* Four hexadecimal digits; -1 when one of them is something else. */
static int32_t parse_hex(const char *p)
{
	int32_t value = 0;
	int i;

	for (i = 0; i < 4; i++) {
		char c = p[i], lower = (char)(c | 0x20);

		if (is_digit(c))
			value = value * 16 + (c - '0');
		else if (lower >= 'a' && lower <= 'f')
			value = value * 16 + (lower - 'a' + 10);
		else
			return -1;
	}
	return value;
}

/*
 * Decode the \uXXXX at `in` (two of them when they are a pair) to `*out`. Returns the bytes read,
 * 0 when the digits are wrong.
 */
static size_t decode_unicode(const char *in, char **out)
{
	int32_t unit = parse_hex(in + 2), low;
	size_t used = 6;

	if (unit < 0)
		return 0;
	if (unit >= 0xd800 && unit < 0xdc00 && in[6] == '\\' && in[7] == 'u') {
		low = parse_hex(in + 8);
		if (low >= 0xdc00 && low < 0xe000) {
			unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
			used = 12;
		}
	}
	*out += utf8_put(*out, (uint32_t)unit);
	return used;
}

/* Decode the escape at `in`; returns the bytes read, 0 when it is none. */
static size_t decode_escape(const char *in, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (in[1] == 'u')
		return decode_unicode(in, out);
	found = in[1] != '\0' ? strchr(from, in[1]) : NULL;
	if (found == NULL)
		return 0;
	*(*out)++ = to[found - from];
	return 2;
}

/* A string while it is read: from its quote on it stays in the buffer, decoded up to `out`. */
struct scan {
	char *start, *out, *in;
};

/* Fetch more; false at the end of the input. */
static bool fetch_more(struct perun_json_reader *reader, struct scan *scan)
{
	size_t out = (size_t)(scan->out - scan->start), in = (size_t)(scan->in - scan->start);
	bool more = perun_json_refill(reader, scan->start);

	scan->start = reader->cursor;
	scan->out = scan->start + out;
	scan->in = scan->start + in;
	return more;
}

static void look_ahead(struct perun_json_reader *reader, struct scan *scan)
{
	while (reader->end - scan->in < LOOK_AHEAD && fetch_more(reader, scan))
		;
}

static bool fail_escape(struct perun_json_reader *reader, const char *in)
{
	unsigned char c = (unsigned char)in[1];

	if (in + 1 >= reader->end)
		perun_json_fail_expected(reader, reader->end, "'\"' at the end of a string");
	else if (c == 'u')
		perun_json_fail_at(reader, in, "expected four hexadecimal digits after \\u");
	else
		perun_json_fail_expected(reader, in + 1,
					 "an escape after '\\' (\" \\ / b f n r t u)");
	return false;
}

static bool fail_control(struct perun_json_reader *reader, const char *in)
{
	if (in == reader->end)
		perun_json_fail_expected(reader, in, "'\"' at the end of a string");
	else
		perun_json_fail_at(reader, in,
				   "control character 0x%02x in a string, expected an escape",
				   (unsigned char)*in);
	return false;
}

/* The byte at scan->in is special: deal with it. False after a failure. */
static bool scan_special(struct perun_json_reader *reader, struct scan *scan)
{
	size_t used;

	look_ahead(reader, scan);
	if (reader->state == STATE_FAILED)
		return false;
	if ((unsigned char)*scan->in >= 0x80) {
		used = utf8_length(scan->in);
		if (used == 0) {
			perun_json_fail_at(reader, scan->in,
					   "byte 0x%02x in a string is not valid UTF-8",
					   (unsigned char)*scan->in);
			return false;
		}
		memmove(scan->out, scan->in, used);
		scan->out += used;
	} else if (*scan->in == '\\') {
		used = decode_escape(scan->in, &scan->out);
		if (used == 0)
			return fail_escape(reader, scan->in);
	} else {
		/* A NUL may have been the end of the buffer; now there is more, or it is none. */
		return *scan->in >= 0x20 || fail_control(reader, scan->in);
	}
	scan->in += used;
	return true;
}

static bool scan_rest(struct perun_json_reader *reader, struct scan *scan)
{
	char *plain;

	while (*scan->in != '"') {
		if (!scan_special(reader, scan))
			return false;
		plain = scan_plain(scan->in);
		if (scan->out != scan->in)
			memmove(scan->out, scan->in, (size_t)(plain - scan->in));
		scan->out += plain - scan->in;
		scan->in = plain;
	}
	return true;
}

bool perun_json_scan_string(struct perun_json_reader *reader, char *p)
{
	struct scan scan = {.start = p};

	scan.in = scan.out = scan_plain(p + 1);
	if (*scan.in != '"' && !scan_rest(reader, &scan))
		return false;
	if ((size_t)(scan.in - scan.start) > reader->kept_size &&
	    (size_t)(scan.in - scan.start) > token_limit(reader))
		return perun_json_fail_token_size(reader, scan.start);
	reader->token.text = scan.start + 1;
	reader->token.length = (size_t)(scan.out - scan.start) - 1;
	reader->cursor = scan.in + 1;
	return true;
}
