/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing chunks: a frame that is an object, and a trace, is written once, in the look-up table, and referred to by "@N".
 * Texts that begin with '@' are written so, too: no text of a profile is taken for a reference.
 */
#include <string.h>

#include "writing.h"

struct written_chunks {
	struct perun_builder *texts; /* of the chunks, as JSON */
	struct map numbers;          /* id of such a text -> its place in order */
	perun_id *order;
	size_t count, capacity;
};

struct written_chunks *perunjson_chunks_new(void)
{
	struct written_chunks *chunks = perun_alloc_zero(1, sizeof *chunks);

	chunks->texts = perun_builder_new();
	return chunks;
}

void perunjson_chunks_free(struct written_chunks *chunks)
{
	if (!chunks)
		return;
	perun_builder_free(chunks->texts);
	perunjson_map_free(&chunks->numbers);
	perun_free(chunks->order);
	perun_free(chunks);
}

/* The number of a chunk of this JSON text. */
static uint32_t number_of(struct written_chunks *chunks, const char *json, size_t length)
{
	perun_id id = perun_builder_string(chunks->texts, json, length);
	uint32_t number = id == PERUN_NO_ID ? MAP_NONE : perunjson_map_get(&chunks->numbers, id);

	if (number != MAP_NONE || id == PERUN_NO_ID)
		return number;
	PERUN_GROW(chunks->order, chunks->count, chunks->capacity);
	number = (uint32_t)chunks->count++;
	chunks->order[number] = id;
	perunjson_map_set(&chunks->numbers, id, number);
	return number;
}

static uint32_t number_of_document(struct written_chunks *chunks, const struct perun_json *json)
{
	struct perun_buffer text = {0};
	uint32_t number;

	perun_json_print(json, &text, PERUN_JSON_PYTHON, 0);
	number = number_of(chunks, text.data, text.length);
	perun_buffer_free(&text);
	return number;
}

static bool is_chunk(const struct perun_json *json)
{
	const char *text = perun_json_as_string(json, NULL);

	return text ? *text == '@' : perun_json_type(json) == PERUN_JSON_TYPE_OBJECT;
}

/* A trace whose frames are references. */
static uint32_t number_of_trace(struct written_chunks *chunks, const struct perun_json *trace)
{
	struct perun_json *references = perun_json_array();
	uint32_t number;

	for (size_t i = 0; i < perun_json_count(trace); i++) {
		const struct perun_json *frame = perun_json_at(trace, i);
		char *reference;

		number = is_chunk(frame) ? number_of_document(chunks, frame) : MAP_NONE;
		reference = perun_format("@%u", (unsigned)number);
		perun_json_append(references, number == MAP_NONE ? perun_json_clone(frame)
								 : perun_json_text(reference));
		perun_free(reference);
	}
	number = number_of_document(chunks, references);
	perun_json_free(references);
	return number;
}

bool perunjson_emit_chunk(struct written_chunks *chunks, struct emitter *emitter, const char *key,
			  const struct perun_json *value)
{
	uint32_t number = MAP_NONE;
	char *reference;

	if (strcmp(key, "trace") == 0 && perun_json_type(value) == PERUN_JSON_TYPE_ARRAY &&
	    perun_json_count(value))
		number = number_of_trace(chunks, value);
	else if (is_chunk(value))
		number = number_of_document(chunks, value);
	if (number == MAP_NONE)
		return false;
	reference = perun_format("@%u", (unsigned)number);
	perunjson_emit_string(emitter, reference, strlen(reference));
	perun_free(reference);
	return true;
}

bool perunjson_has_chunks(const struct written_chunks *chunks)
{
	return chunks->count > 0;
}

void perunjson_emit_chunks(struct written_chunks *chunks, struct emitter *emitter)
{
	for (size_t i = 0; i < chunks->count; i++) {
		size_t length;
		const char *json =
			perun_builder_string_at(chunks->texts, chunks->order[i], &length);
		char *key = perun_format("\"@%zu\"", i);

		perunjson_emit_key(emitter, key, strlen(key));
		perun_free(key);
		perunjson_emit_json(emitter, json, length);
		perunjson_emit_flush(emitter, false);
	}
}
