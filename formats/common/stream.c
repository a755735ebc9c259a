/* SPDX-License-Identifier: BSD-3-Clause */
/* Members and items of JSON, one after the other. */
#include <math.h>
#include <string.h>

#include "stream.h"

enum { DEPTH = 10000 };

static int fetch(void *data, void *memory, size_t size, size_t *got)
{
	struct stream *stream = data;
	int status = perun_input_read(stream->ctx, stream->input, memory, size, got);

	stream->size += *got;
	stream->ended = !status && !*got;
	return status;
}

void stream_open(struct stream *stream, struct perun_ctx *ctx, struct perun_input *input)
{
	const struct perun_json_options options = {.struct_size = sizeof options, .depth = DEPTH};

	*stream = (struct stream){.ctx = ctx, .input = input};
	stream->json = perun_json_reader_new(ctx, fetch, stream, &options);
	stream->token = perun_json_token(stream->json);
}

void stream_close(struct stream *stream)
{
	perun_json_reader_free(stream->json);
}

int stream_status(const struct stream *stream)
{
	return perun_json_error(stream->json)->status;
}

bool stream_expect_object(struct stream *stream, const char *what)
{
	return perun_json_expect(stream->json, PERUN_JSON_OBJECT_START, what) == PERUN_OK;
}

bool stream_member(struct stream *stream)
{
	return perun_json_next(stream->json) == PERUN_JSON_KEY;
}

bool stream_goes_on(struct stream *stream)
{
	bool cancelled = perun_cancelled(stream->ctx);

	if (cancelled)
		perun_json_fail(stream->json, "interrupted");
	return !cancelled;
}

bool stream_object_item(struct stream *stream, const char *what)
{
	if (!stream_item(stream))
		return false;
	if (stream->token->event == PERUN_JSON_OBJECT_START)
		return true;
	perun_json_fail(stream->json, "expected an object for %s", what);
	return false;
}

double stream_any_number(const struct stream *stream)
{
	const struct perun_json_token *token = stream->token;
	double number;

	if (token->event == PERUN_JSON_NUMBER && token->kind == PERUN_JSON_DOUBLE)
		return isfinite(token->number.real) ? token->number.real : NAN;
	if ((token->event == PERUN_JSON_NUMBER || token->event == PERUN_JSON_STRING) &&
	    perun_json_parse_double(token->text, token->length, &number) && isfinite(number))
		return number;
	return NAN;
}

double stream_number(struct stream *stream)
{
	double number;

	perun_json_next(stream->json);
	number = stream_token_number(stream);
	stream_skip(stream);
	return number;
}

bool stream_any_id(const struct stream *stream, uint64_t *id)
{
	const struct perun_json_token *token = stream->token;
	uint64_t number = 0;

	if (token->event == PERUN_JSON_NUMBER && token->kind == PERUN_JSON_UINT64) {
		*id = token->number.uint64;
		return true;
	}
	if ((token->event != PERUN_JSON_STRING && token->event != PERUN_JSON_KEY) ||
	    token->length == 0 || token->length > 19)
		return false;
	for (size_t i = 0; i < token->length; i++) {
		if (token->text[i] < '0' || token->text[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(token->text[i] - '0');
	}
	*id = number;
	return true;
}

bool stream_id(struct stream *stream, uint64_t *id)
{
	bool found;

	perun_json_next(stream->json);
	found = stream_token_id(stream, id);
	stream_skip(stream);
	return found;
}

perun_id stream_string(struct stream *stream, struct perun_builder *builder)
{
	if (perun_json_next(stream->json) == PERUN_JSON_STRING)
		return perun_builder_string(builder, stream->token->text, stream->token->length);
	stream_skip(stream);
	return 0;
}

char *stream_text(struct stream *stream)
{
	if (perun_json_next(stream->json) == PERUN_JSON_STRING)
		return perun_strndup(stream->token->text, stream->token->length);
	stream_skip(stream);
	return NULL;
}

bool stream_object(struct stream *stream)
{
	if (perun_json_next(stream->json) == PERUN_JSON_OBJECT_START)
		return true;
	stream_skip(stream);
	return false;
}

bool stream_array(struct stream *stream)
{
	if (perun_json_next(stream->json) == PERUN_JSON_ARRAY_START)
		return true;
	stream_skip(stream);
	return false;
}

int stream_end(struct stream *stream)
{
	if (!stream_status(stream))
		perun_json_next(stream->json);
	return stream_status(stream);
}
