/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as a stream, for readers of large files: members and items one after the other. */
#ifndef PERUN_FORMATS_COMMON_STREAM_H
#define PERUN_FORMATS_COMMON_STREAM_H

#include <perun/format.h>
#include <perun/json.h>

struct stream {
	struct perun_ctx *ctx;
	struct perun_input *input;
	struct perun_json_reader *json;
	const struct perun_json_token *token; /* read last */
	uint64_t items, size;                 /* size: bytes fetched so far */
	bool ended;                           /* all bytes were fetched */
};

/* Items between two looks for an interruption; false: there was one. */
enum { STREAM_POLL = 4096 };
bool stream_goes_on(struct stream *stream);

/* Begin to read an input, up to 5000 objects within each other. */
void stream_open(struct stream *stream, struct perun_ctx *ctx, struct perun_input *input);
void stream_close(struct stream *stream);
/* The status so far. */
int stream_status(const struct stream *stream);

/* The next token is the start of an object; false: it is not, said. `what` names it. */
bool stream_expect_object(struct stream *stream, const char *what);
/*
 * Inside an object: go to the next key; false at its end, or when anything failed. Whoever gets a key reads or
 * skips its value.
 */
bool stream_member(struct stream *stream);
/* Here, so that a compiler compares with the few bytes of a word that it knows. */
static inline bool stream_is(const struct stream *stream, const char *key)
{
	return perun_json_token_is(stream->token, key);
}
/* Inside an array: read the first token of the next item; false at the end, or when anything failed. */
static inline bool stream_item(struct stream *stream)
{
	if (++stream->items % STREAM_POLL == 0 && !stream_goes_on(stream))
		return false;
	return perun_json_next(stream->json) > 0 && stream->token->event != PERUN_JSON_ARRAY_END;
}
/* The same where each item has to be an object: `what` names it if one is not. */
bool stream_object_item(struct stream *stream, const char *what);
/* Skip the value that the last token represents (see perun_json_skip()): a text or a number is one token. */
static inline void stream_skip(struct stream *stream)
{
	if (stream->token->event < PERUN_JSON_STRING)
		perun_json_skip(stream->json);
}

/* The value of the key just read. Others than asked for are skipped: then NaN, `otherwise`, or false. */
double stream_number(struct stream *stream);           /* also one in a string */
double stream_any_number(const struct stream *stream); /* that of the token */
static inline double stream_token_number(const struct stream *stream)
{
	const struct perun_json_token *token = stream->token;

	return token->event == PERUN_JSON_NUMBER && token->kind == PERUN_JSON_INT64
		       ? (double)token->number.int64
		       : stream_any_number(stream);
}
/* The token that is an id, a number or the same in a string: false when neither. */
bool stream_any_id(const struct stream *stream, uint64_t *id);
static inline bool stream_token_id(const struct stream *stream, uint64_t *id)
{
	const struct perun_json_token *token = stream->token;

	if (token->event != PERUN_JSON_NUMBER || token->kind != PERUN_JSON_INT64)
		return stream_any_id(stream, id);
	*id = (uint64_t)token->number.int64;
	return true;
}
bool stream_id(struct stream *stream, uint64_t *id);
/* A string of the builder; 0 ("") for other values. */
perun_id stream_string(struct stream *stream, struct perun_builder *builder);
/* A copy that the caller frees; NULL for other values. */
char *stream_text(struct stream *stream);
/* Whether the value after the key is an object or array; anything else is skipped. */
bool stream_object(struct stream *stream);
bool stream_array(struct stream *stream);
/* Nothing may follow. */
int stream_end(struct stream *stream);

#endif
