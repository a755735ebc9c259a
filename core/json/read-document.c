/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a JSON document of what the reader gives. */
#include "reader.h"

/* The containers that are open, and the key whose value comes. */
struct build {
	struct perun_json *root;
	struct perun_json **open;
	size_t depth, capacity;
	struct perun_buffer key;
	size_t node_count;
};

static struct perun_json *make(const struct perun_json_token *token)
{
	switch (token->event) {
	case PERUN_JSON_OBJECT_START:
		return perun_json_object();
	case PERUN_JSON_ARRAY_START:
		return perun_json_array();
	case PERUN_JSON_STRING:
		return perun_json_string(token->text, token->length);
	case PERUN_JSON_NUMBER:
		if (token->kind == PERUN_JSON_DOUBLE)
			return perun_json_double(token->number.real);
		if (token->kind == PERUN_JSON_INT64)
			return perun_json_int64(token->number.int64);
		return perun_json_integer(token->text, token->length);
	case PERUN_JSON_TRUE:
	case PERUN_JSON_FALSE:
		return perun_json_bool(token->event == PERUN_JSON_TRUE);
	default:
		return perun_json_null();
	}
}

static void put(struct build *build, struct perun_json *value)
{
	struct perun_json *parent;

	if (build->depth == 0) {
		build->root = value;
		return;
	}
	parent = build->open[build->depth - 1];
	if (perun_json_type(parent) == PERUN_JSON_TYPE_ARRAY)
		perun_json_append(parent, value);
	else
		perun_json_set_n(parent, build->key.data, build->key.length, value);
}

/* Take one token; false when the limit of values is hit. */
static bool take(struct perun_json_reader *reader, struct build *build)
{
	const struct perun_json_token *token = &reader->token;
	struct perun_json *value;

	switch (token->event) {
	case PERUN_JSON_KEY:
		perun_buffer_clear(&build->key);
		perun_buffer_add(&build->key, token->text, token->length);
		return true;
	case PERUN_JSON_OBJECT_END:
	case PERUN_JSON_ARRAY_END:
		build->depth--;
		return true;
	default:
		break;
	}
	if (build->node_count++ >= reader->options.node_count) {
		perun_json_fail(reader, "more than the limit of %zu values in one document",
				reader->options.node_count);
		return false;
	}
	value = make(token);
	put(build, value);
	if (token->event == PERUN_JSON_OBJECT_START || token->event == PERUN_JSON_ARRAY_START) {
		PERUN_GROW(build->open, build->depth, build->capacity);
		build->open[build->depth++] = value;
	}
	return true;
}

int perun_json_read_value(struct perun_json_reader *reader, struct perun_json **value)
{
	enum perun_json_event event = perun_json_first_token(reader);
	struct build build = {0};

	*value = NULL;
	while (event != PERUN_JSON_ERROR && take(reader, &build)) {
		if (build.depth == 0) {
			*value = build.root;
			break;
		}
		event = perun_json_next(reader);
	}
	if (*value == NULL)
		perun_json_free(build.root);
	perun_free(build.open);
	perun_buffer_free(&build.key);
	return reader->error.status;
}

int perun_json_parse(struct perun_ctx *ctx, const char *text, size_t length,
		     const struct perun_json_options *options, struct perun_json **value)
{
	struct perun_json_reader *reader = perun_json_reader_new_text(ctx, text, length, options);
	int status = perun_json_read_value(reader, value);

	/* Nothing may follow, not even in a sequence. */
	if (status == PERUN_OK && perun_json_next(reader) != PERUN_JSON_END)
		status = perun_json_fail(reader, "expected the end of the document");
	if (status != PERUN_OK) {
		perun_json_free(*value);
		*value = NULL;
	}
	perun_json_reader_free(reader);
	return status;
}
