/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of the JSON reader, shared by its files. */
#ifndef PERUN_JSON_READER_H
#define PERUN_JSON_READER_H

#include "number.h"

/* What the next token may be. */
enum json_state {
	STATE_START,        /* the first value of the text */
	STATE_VALUE,        /* a value: after ',' in an array */
	STATE_ARRAY_FIRST,  /* a value or ']' */
	STATE_ARRAY_NEXT,   /* ',' or ']' */
	STATE_OBJECT_FIRST, /* a key or '}' */
	STATE_OBJECT_NEXT,  /* ',' or '}' */
	STATE_COLON,        /* ':' and a value */
	STATE_DONE,         /* nothing more, or the next value of a sequence */
	STATE_FAILED
};

/* NULs kept after the bytes in the buffer, so that scans stop there and may look ahead. */
#define BUFFER_PADDING 64
_Static_assert(BUFFER_PADDING >= DECIMAL_PADDING + 1, "numbers are scanned in the buffer");

#define BUFFER_SIZE ((size_t)64 * 1024)
/* One with room for this much, of a long token, does not stay. */
#define LARGE_BUFFER (BUFFER_SIZE * 8)

struct perun_json_member;
struct json_build;

struct perun_json_reader {
	struct perun_json_token token;
	char *cursor, *end; /* the bytes not yet read; *end is NUL */
	enum json_state state;
	enum json_state after_value; /* the state that follows a value at this depth */
	bool at_end;                 /* the source has nothing more */
	bool skipping;               /* do not convert numbers */
	char *buffer;
	size_t capacity;           /* without padding */
	uint64_t base;             /* offset of buffer[0] in the input */
	uint64_t line, line_start; /* the line of the cursor, and the offset where it begins */
	char *stack;               /* '{' or '[' for each open container */
	size_t depth, stack_size;
	struct perun_json_options options; /* defaults filled in */
	size_t kept_size;                  /* the longest token of what is not skipped */
	perun_json_source *source;         /* NULL: text */
	void *data;
	const char *text; /* what is not yet in the buffer */
	size_t text_length;
	/* Used while a value is captured: the members of the open objects, those of the object at
	 * depth i from first_members[i] on. */
	struct perun_json_member *members;
	size_t member_count, member_capacity;
	size_t *first_members, first_capacity;
	struct json_build
		*build; /* of perun_json_read_value(), for the next value; NULL: none yet */
	struct perun_ctx *ctx;
	struct perun_json_error error;
};

/* The longest token here. */
static inline size_t token_limit(const struct perun_json_reader *reader)
{
	return reader->skipping ? reader->options.token_size : reader->kept_size;
}

void perun_json_build_free(struct json_build *build); /* NULL is allowed */

static inline uint64_t offset_of(const struct perun_json_reader *reader, const char *p)
{
	return reader->base + (uint64_t)(p - reader->buffer);
}

/*
 * Fetch more bytes. Those from `keep` on stay; they are then at the cursor, and pointers into the
 * buffer are to be computed again. False at the end of the input and after a failure (FAILED).
 */
bool perun_json_refill(struct perun_json_reader *reader, char *keep);
/* Give back the room of a long token that was read. */
void perun_json_shrink(struct perun_json_reader *reader);
/* Fetch until `count` bytes are there from `p` on, or all that there are. Returns the new `p`. */
char *perun_json_look_ahead(struct perun_json_reader *reader, char *p, size_t count);

/* Fail at `p`: sets the error, also of the context, stays failed. Returns PERUN_JSON_ERROR. */
enum perun_json_event perun_json_fail_at(struct perun_json_reader *reader, const char *p,
					 const char *format, ...) PERUN_PRINTF(3, 4);
/* "expected EXPECTED, found 'x'" with the byte at `p`. */
enum perun_json_event perun_json_fail_expected(struct perun_json_reader *reader, const char *p,
					       const char *expected);
/* The token at `p` is longer than the limit. Returns false. */
bool perun_json_fail_token_size(struct perun_json_reader *reader, const char *p);

/*
 * Read the string whose opening quote is at `p` into the token's text; the cursor is then after
 * the closing quote. False after a failure.
 */
bool perun_json_scan_string(struct perun_json_reader *reader, char *p);

/*
 * The first token of the value that the last token represents: that token, or the next one after a
 * key or at the start. Fails when there is no value.
 */
enum perun_json_event perun_json_first_token(struct perun_json_reader *reader);

/* Skip blanks from `p` on, fetching more as needed. At the end of the input the NUL there. */
char *perun_json_skip_blanks_slow(struct perun_json_reader *reader, char *p);

static inline char *skip_blanks(struct perun_json_reader *reader, char *p)
{
	if ((unsigned char)*p > ' ')
		return p;
	if (*p == ' ' && (unsigned char)p[1] > ' ')
		return p + 1;
	return perun_json_skip_blanks_slow(reader, p);
}

#endif
