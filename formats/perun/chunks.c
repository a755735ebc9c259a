/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading chunks: values of `uid` and `trace` that refer to the look-up table are replaced by what is there. */
#include <string.h>

#include "reading.h"

struct chunks {
	struct reading *reading;
	const struct perun_json *table;
	struct map known; /* text -> index into found; texts use 31 bits, the 32nd says JSON */
	struct value *found;
	size_t found_count, found_capacity;
	uint64_t room; /* bytes that what is put in may still take */
	bool used;
};

static const struct perun_json *chunk_of(const struct chunks *chunks, const char *text,
					 size_t length)
{
	return text ? perun_json_get_n(chunks->table, text, length) : NULL;
}

/* The JSON text of a trace with what its frames refer to; `*changed` is whether any does. */
static void print_trace(const struct chunks *chunks, const struct perun_json *trace,
			struct perun_buffer *text, bool *changed)
{
	perun_buffer_add_char(text, '[');
	for (size_t i = 0; i < perun_json_count(trace) && text->length <= chunks->room; i++) {
		const struct perun_json *frame = perun_json_at(trace, i);
		size_t length;
		const char *name = perun_json_as_string(frame, &length);
		const struct perun_json *chunk = chunk_of(chunks, name, length);

		if (i > 0)
			perun_buffer_add_text(text, ", ");
		perun_json_print(chunk ? chunk : frame, text, PERUN_JSON_PYTHON, 0);
		*changed |= chunk != NULL;
	}
	perun_buffer_add_char(text, ']');
}

/* A text of a document, or JSON text, as a value of a resource. */
static int take(struct chunks *chunks, enum tag tag, const char *text, size_t length,
		struct value *value)
{
	perun_id id = 0;
	int status = length <= chunks->room
			     ? perunjson_intern(chunks->reading, text, length, &id)
			     : perun_fail(chunks->reading->ctx, PERUN_INPUT,
					  "chunks: more than the option expansion-limit allows");

	if (status)
		return status;
	*value = (struct value){tag, id};
	chunks->room -= length;
	chunks->used = true;
	return PERUN_OK;
}

/* Put in what a value refers to: one look-up, and one for each frame of a trace. */
static int look_up(struct chunks *chunks, bool trace, struct value *value)
{
	size_t length;
	const char *text =
		perun_builder_string_at(chunks->reading->builder, (perun_id)value->bits, &length);
	const struct perun_json *chunk =
		value->tag == TAG_STRING ? chunk_of(chunks, text, length) : NULL;
	struct perun_json *parsed = NULL;
	struct perun_buffer printed = {0};
	bool changed = chunk != NULL;
	int status = PERUN_OK;

	if (trace && value->tag == TAG_JSON && *text == '[')
		status = perun_json_parse(chunks->reading->ctx, text, length, NULL, &parsed);
	chunk = chunk ? chunk : parsed;
	text = perun_json_as_string(chunk, &length);
	if (trace && perun_json_type(chunk) == PERUN_JSON_TYPE_ARRAY)
		print_trace(chunks, chunk, &printed, &changed);
	else if (chunk && !text)
		perun_json_print(chunk, &printed, PERUN_JSON_PYTHON, 0);
	if (!status && changed && text)
		status = take(chunks, TAG_STRING, text, length, value);
	else if (!status && changed)
		status = take(chunks, TAG_JSON, printed.data, printed.length, value);
	perun_json_free(parsed);
	perun_buffer_free(&printed);
	return status;
}

static int resolve(struct chunks *chunks, bool trace, struct value *value)
{
	uint64_t key = value->bits << 2 | (uint64_t)trace << 1 | (value->tag == TAG_JSON);
	uint32_t at;
	int status;

	at = perunjson_map_get(&chunks->known, key);
	if (at == MAP_NONE) {
		status = look_up(chunks, trace, value);
		if (status)
			return status;
		PERUN_GROW(chunks->found, chunks->found_count, chunks->found_capacity);
		at = (uint32_t)chunks->found_count++;
		chunks->found[at] = *value;
		perunjson_map_set(&chunks->known, key, at);
	}
	*value = chunks->found[at];
	return PERUN_OK;
}

static int resolve_key(struct chunks *chunks, const char *name)
{
	struct reading *reading = chunks->reading;
	struct key *key = perunjson_named_key(reading, name);
	bool trace = strcmp(name, "trace") == 0;
	int status = PERUN_OK;

	for (size_t type = 0; !status && type < reading->type_count; type++) {
		struct value before = perunjson_staged_value(key, type), value = before;

		if (value.tag != TAG_STRING && value.tag != TAG_JSON)
			continue;
		status = resolve(chunks, trace, &value);
		if (status || value_equal(&before, &value))
			continue;
		perunjson_stage_value(reading, key, type, value);
		if (!trace)
			status = perunjson_rename_type(reading, (uint32_t)type, &value);
	}
	return status;
}

int perunjson_resolve_chunks(struct reading *reading, uint64_t room)
{
	struct perun_json *document = perun_builder_document(reading->builder);
	struct chunks chunks = {
		.reading = reading, .table = perun_json_get(document, "chunks"), .room = room};
	int status;

	if (perun_json_type(chunks.table) != PERUN_JSON_TYPE_OBJECT ||
	    !perun_json_count(chunks.table))
		return PERUN_OK;
	status = resolve_key(&chunks, "uid");
	if (!status)
		status = resolve_key(&chunks, "trace");
	/* A table that nothing refers to is somebody else's. */
	if (!status && chunks.used)
		perun_json_remove(document, "chunks");
	perunjson_map_free(&chunks.known);
	perun_free(chunks.found);
	return status;
}
