/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON reader: its life, its buffer, its errors. */

#include "core/context/structs.h"
#include <stdio.h>

#include "reader.h"

#define DEFAULT_DEPTH 1000
#define LARGEST_DEPTH 10000
/* What these take grows with the input alone: the limits are those of the numbers that count them. */
#define DEFAULT_TOKEN_SIZE ((size_t)UINT32_MAX)
#define DEFAULT_NODE_COUNT ((size_t)UINT32_MAX)
/* But for a text of a file that somebody looks at, which is in memory several times. */
#define DEFAULT_KEPT_SIZE ((size_t)2 * 1024 * 1024)

static void begin(struct perun_json_reader *reader, size_t capacity)
{
	if (capacity > reader->capacity || reader->buffer == NULL) {
		reader->buffer = perun_realloc(reader->buffer, capacity + BUFFER_PADDING);
		reader->capacity = capacity;
	}
	reader->cursor = reader->end = reader->buffer;
	memset(reader->end, 0, BUFFER_PADDING);
	reader->state = STATE_START;
	reader->after_value = STATE_DONE;
	reader->at_end = false;
	reader->skipping = false;
	reader->depth = 0;
	reader->base = 0;
	reader->line = 1;
	reader->line_start = 0;
	reader->token = (struct perun_json_token){.event = PERUN_JSON_END, .text = ""};
	reader->error = (struct perun_json_error){.line = 1, .column = 1};
}

static struct perun_json_reader *new_reader(struct perun_ctx *ctx,
					    const struct perun_json_options *options)
{
	struct perun_json_reader *reader = perun_alloc_zero(1, sizeof *reader);

	reader->ctx = ctx;
	PERUN_STRUCT_TAKE(&reader->options, options);
	if (reader->options.depth == 0)
		reader->options.depth = DEFAULT_DEPTH;
	if (reader->options.depth > LARGEST_DEPTH)
		reader->options.depth = LARGEST_DEPTH;
	if (reader->options.token_size == 0)
		reader->options.token_size = DEFAULT_TOKEN_SIZE;
	if (reader->options.node_count == 0)
		reader->options.node_count = DEFAULT_NODE_COUNT;
	if (reader->options.member_count == 0)
		reader->options.member_count = SIZE_MAX;
	reader->kept_size = reader->options.token_size;
	return reader;
}

struct perun_json_reader *perun_json_reader_new(struct perun_ctx *ctx, perun_json_source *source,
						void *data,
						const struct perun_json_options *options)
{
	struct perun_json_reader *reader = new_reader(ctx, options);

	reader->source = source;
	reader->data = data;
	if (reader->kept_size == DEFAULT_TOKEN_SIZE)
		reader->kept_size = DEFAULT_KEPT_SIZE;
	begin(reader, BUFFER_SIZE);
	return reader;
}

struct perun_json_reader *perun_json_reader_new_text(struct perun_ctx *ctx, const char *text,
						     size_t length,
						     const struct perun_json_options *options)
{
	struct perun_json_reader *reader = new_reader(ctx, options);

	perun_json_reader_set_text(reader, text, length);
	return reader;
}

void perun_json_reader_set_text(struct perun_json_reader *reader, const char *text, size_t length)
{
	reader->source = NULL;
	reader->text = text;
	reader->text_length = length;
	/* One byte more than the text, so that the buffer never seems too small for it. */
	begin(reader, length < BUFFER_SIZE ? length + 1 : BUFFER_SIZE);
	perun_json_refill(reader, reader->buffer);
}

void perun_json_reader_free(struct perun_json_reader *reader)
{
	if (reader == NULL)
		return;
	perun_json_build_free(reader->build);
	perun_free(reader->buffer);
	perun_free(reader->stack);
	perun_free(reader->members);
	perun_free(reader->first_members);
	perun_free(reader);
}

static void set_error(struct perun_json_reader *reader, int status, uint64_t offset,
		      const char *format, va_list args)
{
	struct perun_json_error *error = &reader->error;

	reader->state = STATE_FAILED;
	reader->token.event = PERUN_JSON_ERROR;
	reader->token.text = "";
	reader->token.length = 0;
	error->status = status;
	error->offset = offset;
	error->line = reader->line;
	error->column = offset - reader->line_start + 1;
	(void)perun_vsnprintf(error->message, sizeof error->message, format, args);
	perun_fail(reader->ctx, status, "line %llu, column %llu: %s",
		   (unsigned long long)error->line, (unsigned long long)error->column,
		   error->message);
}

/* The source failed, and has said why: its status stays that of the whole. */
static void fail_source(struct perun_json_reader *reader, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_error(reader, status, offset_of(reader, reader->end), format, args);
	va_end(args);
}

/* Make room after the kept bytes, growing up to the limit of one token. */
static bool make_room(struct perun_json_reader *reader)
{
	size_t used = (size_t)(reader->end - reader->buffer);
	size_t limit = token_limit(reader), capacity = reader->capacity;

	if (used < capacity)
		return true;
	/* Only a token keeps this much: a string with its quotes, or a number. */
	if (used >= BUFFER_SIZE && used - 2 > limit) {
		perun_json_fail_token_size(reader, reader->buffer);
		return false;
	}
	capacity = capacity < BUFFER_SIZE ? BUFFER_SIZE : capacity * 2;
	reader->buffer = perun_realloc(reader->buffer, capacity + BUFFER_PADDING);
	reader->end = reader->buffer + used;
	reader->capacity = capacity;
	return true;
}

static int fetch(struct perun_json_reader *reader, size_t room, size_t *got)
{
	if (reader->source != NULL)
		return reader->source(reader->data, reader->end, room, got);
	*got = room < reader->text_length ? room : reader->text_length;
	if (*got == 0)
		return PERUN_OK;
	memcpy(reader->end, reader->text, *got);
	reader->text += *got;
	reader->text_length -= *got;
	return PERUN_OK;
}

bool perun_json_refill(struct perun_json_reader *reader, char *keep)
{
	size_t kept = (size_t)(reader->end - keep), got = 0;
	int status;

	if (reader->state == STATE_FAILED) {
		reader->cursor = keep;
		return false;
	}
	reader->base += (uint64_t)(keep - reader->buffer);
	if (keep != reader->buffer)
		memmove(reader->buffer, keep, kept);
	reader->end = reader->buffer + kept;
	if (reader->at_end || !make_room(reader)) {
		memset(reader->end, 0, BUFFER_PADDING);
		reader->cursor = reader->buffer;
		return false;
	}
	reader->cursor = reader->buffer;
	status = fetch(reader, reader->capacity - kept, &got);
	reader->end += status == PERUN_OK ? got : 0;
	memset(reader->end, 0, BUFFER_PADDING);
	if (status != PERUN_OK) {
		fail_source(reader, status, "cannot read further");
		return false;
	}
	reader->at_end = got == 0;
	return got > 0;
}

void perun_json_shrink(struct perun_json_reader *reader)
{
	const size_t left = (size_t)(reader->end - reader->cursor);

	if (left >= BUFFER_SIZE)
		return;
	memmove(reader->buffer, reader->cursor, left + BUFFER_PADDING);
	reader->base += (uint64_t)(reader->cursor - reader->buffer);
	reader->capacity = BUFFER_SIZE;
	reader->buffer = perun_realloc(reader->buffer, BUFFER_SIZE + BUFFER_PADDING);
	reader->cursor = reader->buffer;
	reader->end = reader->buffer + left;
}

char *perun_json_look_ahead(struct perun_json_reader *reader, char *p, size_t count)
{
	while ((size_t)(reader->end - p) < count && !reader->at_end &&
	       reader->state != STATE_FAILED) {
		perun_json_refill(reader, p);
		p = reader->cursor;
	}
	return p;
}

/* Indented documents have many, so eight at a time: the buffer is padded. */
static char *skip_spaces(char *p)
{
	uint64_t bytes;

	for (;; p += sizeof bytes) {
		memcpy(&bytes, p, sizeof bytes);
		bytes ^= 0x2020202020202020;
		if (bytes)
			break;
	}
	return p + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_ctzll(bytes)
							      : __builtin_clzll(bytes)) /
			   8;
}

char *perun_json_skip_blanks_slow(struct perun_json_reader *reader, char *p)
{
	for (;;) {
		p = skip_spaces(p);
		switch (*p) {
		case '\t':
		case '\r':
			p++;
			continue;
		case '\n':
			p++;
			reader->line++;
			reader->line_start = offset_of(reader, p);
			continue;
		case '\0':
			if (p == reader->end && !reader->at_end) {
				perun_json_refill(reader, p);
				p = reader->cursor;
				if (reader->state == STATE_FAILED)
					return reader->end;
				continue;
			}
			return p;
		default:
			return p;
		}
	}
}

enum perun_json_event perun_json_fail_at(struct perun_json_reader *reader, const char *p,
					 const char *format, ...)
{
	va_list args;

	if (reader->state == STATE_FAILED)
		return PERUN_JSON_ERROR;
	va_start(args, format);
	set_error(reader, PERUN_INPUT, offset_of(reader, p), format, args);
	va_end(args);
	return PERUN_JSON_ERROR;
}

enum perun_json_event perun_json_fail_expected(struct perun_json_reader *reader, const char *p,
					       const char *expected)
{
	unsigned char c = (unsigned char)*p;

	if (p == reader->end)
		return perun_json_fail_at(reader, p, "expected %s, found the end of the text",
					  expected);
	if (c < 0x20 || c >= 0x7f)
		return perun_json_fail_at(reader, p, "expected %s, found byte 0x%02x", expected, c);
	return perun_json_fail_at(reader, p, "expected %s, found '%c'", expected, c);
}

bool perun_json_fail_token_size(struct perun_json_reader *reader, const char *p)
{
	perun_json_fail_at(reader, p, "a string or number longer than the limit of %zu bytes",
			   token_limit(reader));
	return false;
}

int perun_json_fail(struct perun_json_reader *reader, const char *format, ...)
{
	va_list args;

	if (reader->state == STATE_FAILED)
		return reader->error.status;
	va_start(args, format);
	set_error(reader, PERUN_INPUT, reader->token.offset, format, args);
	va_end(args);
	return PERUN_INPUT;
}

const struct perun_json_token *perun_json_token(const struct perun_json_reader *reader)
{
	return &reader->token;
}

uint64_t perun_json_offset(const struct perun_json_reader *reader)
{
	return offset_of(reader, reader->cursor);
}

size_t perun_json_depth(const struct perun_json_reader *reader)
{
	return reader->depth;
}

const struct perun_json_error *perun_json_error(const struct perun_json_reader *reader)
{
	return &reader->error;
}

size_t perun_json_error_text(const struct perun_json_error *error, char *out, size_t size)
{
	int length =
		snprintf(out, size, "line %llu, column %llu: %s", (unsigned long long)error->line,
			 (unsigned long long)error->column, error->message);

	return length < 0 ? 0 : (size_t)length;
}
