/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading chunks: references in `uid` and `trace` to the look-up table become what they stand for. */
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

/* A value of a document as a value of a resource. */
static int take_document_value(struct chunks *chunks, const struct perun_json *json,
			       struct value *value)
{
	struct perun_buffer text = {0};
	size_t length;
	const char *string = perun_json_as_string(json, &length);
	perun_id id = 0;
	int status = PERUN_OK;

	if (!string) {
		perun_json_print(json, &text, PERUN_JSON_PYTHON, 0);
		length = text.length;
	}
	if (length > chunks->room)
		status = perun_fail(chunks->reading->ctx, PERUN_INPUT,
				    "chunks: more than the option expansion-limit allows");
	if (!status)
		status =
			perunjson_intern(chunks->reading, string ? string : text.data, length, &id);
	*value = (struct value){string ? TAG_STRING : TAG_JSON, id};
	if (!status)
		chunks->room -= length;
	perun_buffer_free(&text);
	return status;
}

static size_t printed_size(const struct perun_json *json)
{
	struct perun_buffer text = {0};
	size_t size;

	perun_json_print(json, &text, PERUN_JSON_PYTHON, 0);
	size = text.length;
	perun_buffer_free(&text);
	return size;
}

/* The elements of a trace that are references; `*changed` tells whether any was. */
static int replace_frames(struct chunks *chunks, struct perun_json **trace, bool *changed)
{
	struct perun_json *replaced = perun_json_array();
	uint64_t size = 0;

	*changed = false;
	for (size_t i = 0; i < perun_json_count(*trace) && size <= chunks->room; i++) {
		const struct perun_json *element = perun_json_at(*trace, i);
		size_t length;
		const char *text = perun_json_as_string(element, &length);
		const struct perun_json *chunk = chunk_of(chunks, text, length);

		size += chunk ? printed_size(chunk) : 0;
		*changed |= chunk != NULL;
		perun_json_append(replaced, perun_json_clone(chunk ? chunk : element));
	}
	perun_json_free(*trace);
	*trace = replaced;
	return size <= chunks->room
		       ? PERUN_OK
		       : perun_fail(chunks->reading->ctx, PERUN_INPUT,
				    "chunks: more than the option expansion-limit allows");
}

/* What a value stands for: one look-up, and one for each frame of a trace. */
static int look_up(struct chunks *chunks, bool trace, struct value *value)
{
	size_t length;
	const char *text =
		perun_builder_string_at(chunks->reading->builder, (perun_id)value->bits, &length);
	const struct perun_json *chunk =
		value->tag == TAG_STRING ? chunk_of(chunks, text, length) : NULL;
	struct perun_json *json = NULL;
	bool changed = false;
	int status = PERUN_OK;

	if (chunk)
		json = perun_json_clone(chunk);
	else if (trace && value->tag == TAG_JSON && *text == '[')
		status = perun_json_parse(chunks->reading->ctx, text, length, NULL, &json);
	if (!status && trace && perun_json_type(json) == PERUN_JSON_TYPE_ARRAY)
		status = replace_frames(chunks, &json, &changed);
	if (!status && (chunk || changed)) {
		chunks->used = true;
		status = take_document_value(chunks, json, value);
	}
	perun_json_free(json);
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
