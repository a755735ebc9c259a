/* SPDX-License-Identifier: BSD-3-Clause */
/* The window on the input, and the fields of messages. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "wire.h"

/* More than the inflater gives at once, and little enough to stay in the processor's cache. */
#define WINDOW        ((size_t)256 * 1024)
#define DEFAULT_LIMIT ((uint64_t)16 * 1024 * 1024 * 1024)

int pprof_window_open(struct pprof_window *window, struct perun_ctx *ctx,
		      const struct pprof_options *options, struct perun_input *input)
{
	*window = (struct pprof_window){.ctx = ctx, .input = input, .room = WINDOW};
	window->limit = options->limit ? options->limit : DEFAULT_LIMIT;
	window->bytes = perun_alloc(window->room + PPROF_SLACK);
	window->at = window->end = window->bytes;
	return perun_input_skip_to_start(ctx, input);
}

void pprof_window_close(struct pprof_window *window)
{
	perun_free(window->bytes);
}

/* Put what is not read yet first, and make room after it. */
static void make_room(struct pprof_window *window, size_t size)
{
	size_t left = (size_t)(window->end - window->at);

	memmove(window->bytes, window->at, left);
	window->base += (uint64_t)(window->at - window->bytes);
	/* A length that lies is not believed: room grows with what is really there. */
	if (left == window->room && size > window->room) {
		window->room *= 2;
		window->bytes = perun_realloc(window->bytes, window->room + PPROF_SLACK);
	}
	window->at = window->bytes;
	window->end = window->bytes + left;
}

int pprof_window_fill(struct pprof_window *window, size_t size)
{
	while ((size_t)(window->end - window->at) < size && !window->ended) {
		unsigned char *to;
		size_t got;
		int status;

		make_room(window, size);
		to = window->bytes + (window->end - window->bytes);
		status = perun_input_read(window->ctx, window->input, to,
					  window->room - (size_t)(to - window->bytes), &got);
		if (status)
			return status;
		window->end = to + got;
		memset(to + got, 0, PPROF_SLACK);
		window->ended = got == 0;
		if (pprof_offset(window, window->end) > window->limit)
			return perun_fail(window->ctx, PERUN_INPUT,
					  "more than %" PRIu64 " bytes when decompressed; a larger "
					  "limit can be set with the option limit of format pprof",
					  window->limit);
		if (perun_cancelled(window->ctx))
			return perun_fail(window->ctx, PERUN_CANCELLED, "interrupted");
	}
	return PERUN_OK;
}

int pprof_window_skip(struct pprof_window *window, uint64_t size, bool *ended)
{
	*ended = false;
	while (size) {
		uint64_t left = (uint64_t)(window->end - window->at);
		int status;

		if (left > size)
			left = size;
		window->at += left;
		size -= left;
		if (!size)
			break;
		status = pprof_window_fill(window, 1);
		if (status)
			return status;
		if (window->at == window->end) {
			*ended = true;
			break;
		}
	}
	return PERUN_OK;
}

/* ---- where something is wrong ---------------------------------------------------------------- */

static void add_path(struct perun_buffer *text, const struct pprof_message *message)
{
	if (!message->parent) {
		perun_buffer_add_text(text, message->schema->name);
		return;
	}
	add_path(text, message->parent);
	perun_buffer_add_char(text, '.');
	perun_buffer_add_text(text, message->schema->name);
	if (message->index != UINT64_MAX)
		perun_buffer_printf(text, "[%" PRIu64 "]", message->index);
}

int pprof_wrong(const struct pprof_message *message, uint32_t field, const unsigned char *at,
		const char *format, ...)
{
	const struct pprof_message *outer = message;
	struct perun_buffer text = {0};
	char words[256];
	va_list args;
	int status;

	va_start(args, format);
	(void)perun_vsnprintf(words, sizeof words, format, args);
	va_end(args);
	add_path(&text, message);
	if (field && field < message->schema->count && message->schema->fields[field].name)
		perun_buffer_printf(&text, ".%s", message->schema->fields[field].name);
	while (outer->parent && !outer->copy)
		outer = outer->parent;
	status = perun_fail(message->window->ctx, PERUN_INPUT, "byte %" PRIu64 ": %s: %s",
			    outer->copy ? outer->copy_offset + (uint64_t)(at - outer->copy)
					: pprof_offset(message->window, at),
			    text.data, words);
	perun_buffer_free(&text);
	return status;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static const char *wire_word(unsigned type)
{
	static const char *const words[] = {"a varint",    "64 bits", "bytes",  "a group",
					    "a group end", "32 bits", "type 6", "type 7"};

	return words[type & 7];
}

static bool wrong_type(const struct pprof_message *message, struct pprof_field *field,
		       unsigned type, int *status)
{
	const char *expected = field->kind == PPROF_NUMBER ? "a varint" : "bytes";

	if (field->kind == PPROF_NUMBERS)
		expected = "varints";
	*status = pprof_wrong(message, field->number, field->start, "expected %s, found %s",
			      expected, wire_word(type));
	return false;
}

static bool cut(const struct pprof_message *message, struct pprof_field *field, int *status)
{
	*status = pprof_wrong(message, field->number, field->start,
			      "a number that does not end within ten bytes and the message");
	return false;
}

static bool take_bytes(struct pprof_message *message, struct pprof_field *field, int *status)
{
	message->at = pprof_small(message->at, message->end, &field->value);
	if (!message->at)
		return cut(message, field, status);
	if (field->value > (uint64_t)(message->end - message->at)) {
		*status = pprof_wrong(message, field->number, field->start,
				      "a length of %" PRIu64 ", but only %zu bytes follow",
				      field->value, (size_t)(message->end - message->at));
		return false;
	}
	field->bytes = true;
	field->data = message->at;
	message->at += field->value;
	return true;
}

static bool take_fixed(struct pprof_message *message, struct pprof_field *field, unsigned size,
		       int *status)
{
	if ((size_t)(message->end - message->at) < size) {
		*status = pprof_wrong(message, field->number, field->start,
				      "%u bytes expected, but the message ends", size);
		return false;
	}
	message->at += size;
	return true;
}

/* A field whose type is not the usual one for its kind: another encoding, unknown or wrong. */
static bool take_other(struct pprof_message *message, struct pprof_field *field, unsigned type,
		       int *status)
{
	if (type != PROTOBUF_BYTES && type != PROTOBUF_VARINT && type != PROTOBUF_FIXED64 &&
	    type != PROTOBUF_FIXED32) {
		*status = pprof_wrong(message, field->number, field->start,
				      "wire type %u, which does not occur in profiles", type);
		return false;
	}
	if (field->kind != PPROF_UNKNOWN &&
	    !(field->kind == PPROF_NUMBERS && type == PROTOBUF_BYTES))
		return wrong_type(message, field, type, status);
	if (type == PROTOBUF_BYTES)
		return take_bytes(message, field, status);
	if (type != PROTOBUF_VARINT)
		return take_fixed(message, field, type == PROTOBUF_FIXED64 ? 8 : 4, status);
	message->at = protobuf_varint(message->at, message->end, &field->value);
	return message->at ? true : cut(message, field, status);
}

bool pprof_take_field(struct pprof_message *message, struct pprof_field *field, int *status)
{
	uint64_t tag;
	unsigned type;

	field->start = message->at;
	field->number = 0;
	field->bytes = false;
	field->kind = PPROF_UNKNOWN;
	message->at = pprof_small(message->at, message->end, &tag);
	if (!message->at)
		return cut(message, field, status);
	type = tag & 7;
	if (tag >> 3 < message->schema->count) {
		field->number = (uint32_t)(tag >> 3);
		field->kind = message->schema->fields[field->number].kind;
	}
	if (field->kind == PPROF_TEXT && type == PROTOBUF_BYTES)
		return take_bytes(message, field, status);
	if ((field->kind == PPROF_NUMBER || field->kind == PPROF_NUMBERS) &&
	    type == PROTOBUF_VARINT) {
		message->at = pprof_small(message->at, message->end, &field->value);
		return message->at ? true : cut(message, field, status);
	}
	return take_other(message, field, type, status);
}

bool pprof_take_known(struct pprof_message *message, struct pprof_field *field, int *status)
{
	while (message->at < message->end) {
		if (!pprof_take_field(message, field, status))
			return false;
		if (field->kind != PPROF_UNKNOWN)
			return true;
	}
	return false;
}
