/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of benchmarks that are JSON: whole documents, and large ones an element at a time. */
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/json-source.h"
#include "formats/common/plugin.h"

/* ---- a whole document ------------------------------------------------------------------------- */

static int refuse_directory(struct perun_ctx *ctx, struct perun_input *input)
{
	if (perun_input_is_directory(input))
		return perun_fail(ctx, PERUN_INPUT, "expected a file, found a directory");
	return PERUN_OK;
}

/* A whole file as a document that is an object or an array. */
static int any_document(struct perun_ctx *ctx, struct perun_input *input,
			struct perun_json **document)
{
	struct json_source source = {.ctx = ctx, .input = input};
	struct perun_json_reader *reader;
	int status = refuse_directory(ctx, input);

	*document = NULL;
	if (status)
		return status;
	reader = perun_json_reader_new(ctx, json_source_read, &source, NULL);
	status = perun_json_read_value(reader, document);
	if (!status && perun_json_next(reader) != PERUN_JSON_END)
		status = perun_json_fail(reader, "expected the end of the document");
	perun_json_reader_free(reader);
	if (status) {
		perun_json_free(*document);
		*document = NULL;
	}
	return status;
}

static int fail_type(struct perun_ctx *ctx, struct perun_json **document)
{
	int status = perun_fail(ctx, PERUN_INPUT, "line 1, column 1: expected an object, found %s",
				perun_json_type_name(perun_json_type(*document)));

	perun_json_free(*document);
	*document = NULL;
	return status;
}

int benchmark_document(struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_json **document)
{
	int status = any_document(ctx, input, document);

	if (!status && perun_json_type(*document) != PERUN_JSON_TYPE_OBJECT)
		status = fail_type(ctx, document);
	return status;
}

int benchmark_member(struct perun_ctx *ctx, const struct perun_json *object, const char *where,
		     const char *key, enum perun_json_type type, const struct perun_json **member)
{
	*member = perun_json_get(object, key);
	if (*member && perun_json_type(*member) == type)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT, "expected %s%s%s to be %s, found %s", where,
			  *where ? "." : "", key, perun_json_type_name(type),
			  *member ? perun_json_type_name(perun_json_type(*member)) : "nothing");
}

/* ---- one element at a time -------------------------------------------------------------------- */

/* The elements that are not kept. */
struct elements {
	const char *key; /* of their array in the document; NULL: they are all of the document */
	benchmark_element *take;      /* NULL: they are checked alone */
	perun_json_take_array *array; /* NULL: they are whole */
	void *data;
};

/* Those of the array or object that the reader is at. */
static int take_elements(struct perun_json_reader *reader, const struct elements *elements)
{
	struct perun_buffer key = {0};
	int status = PERUN_OK;

	for (size_t i = 0; !status; i++) {
		enum perun_json_event event = perun_json_next(reader);
		const struct perun_json_token *token = perun_json_token(reader);
		struct perun_json *element;

		if (event == PERUN_JSON_ARRAY_END || event == PERUN_JSON_OBJECT_END)
			break;
		perun_buffer_clear(&key);
		if (event == PERUN_JSON_KEY)
			perun_buffer_add(&key, token->text, token->length);
		perun_buffer_add_char(&key, '\0');
		status = perun_json_read_around(reader, elements->array, elements->data, &element);
		if (!status)
			status = elements->take(elements->data, element,
						event == PERUN_JSON_KEY ? key.data : NULL, i);
		perun_json_free(element);
	}
	perun_buffer_free(&key);
	return status;
}

/* Those of the container that the reader is at, which is left empty. */
static int read_elements(struct perun_json_reader *reader, const struct elements *elements,
			 struct perun_json **value)
{
	bool array = perun_json_token(reader)->event == PERUN_JSON_ARRAY_START;

	*value = array ? perun_json_array() : perun_json_object();
	return elements->take ? take_elements(reader, elements) : perun_json_skip(reader);
}

static int read_around(struct perun_json_reader *reader, const struct elements *elements,
		       const char *key, struct perun_json **value);

/* The member that was just named; `key`: where its elements are, as in read_around(). */
static int read_member(struct perun_json_reader *reader, const struct elements *elements,
		       const char *key, struct perun_json_members *document)
{
	const struct perun_json_token *token = perun_json_token(reader);
	size_t length = token->length, first = strcspn(key, "/");
	/* All of it: a key may hold a NUL. */
	char *name = perun_memdup(token->text, length);
	bool same = length == first && memcmp(name, key, first) == 0;
	struct perun_json *value = NULL;
	int status;

	if (same && perun_json_next(reader) == PERUN_JSON_ARRAY_START)
		status = read_around(reader, elements, key[first] ? key + first + 1 : NULL, &value);
	else
		status = perun_json_read_value(reader, &value);
	if (status)
		perun_json_free(value);
	else
		perun_json_members_take(document, name, length, value);
	perun_free(name);
	return status;
}

/*
 * The value that the reader is at, without its elements; all of it where it has another form. `key`: where they are;
 * NULL: they are what is in it.
 */
static int read_around(struct perun_json_reader *reader, const struct elements *elements,
		       const char *key, struct perun_json **value)
{
	enum perun_json_event event = perun_json_token(reader)->event;
	struct perun_json_members *members;
	int status = PERUN_OK;

	if (event != PERUN_JSON_OBJECT_START && event != PERUN_JSON_ARRAY_START)
		return perun_json_read_value(reader, value);
	if (!key)
		return read_elements(reader, elements, value);
	if (event == PERUN_JSON_OBJECT_START) {
		members = perun_json_members_new();
		while (!status && perun_json_next(reader) == PERUN_JSON_KEY)
			status = read_member(reader, elements, key, members);
		*value = perun_json_members_end(members);
		return status ? status : perun_json_error(reader)->status;
	}
	members = perun_json_elements_new();
	while (!status && perun_json_next(reader) != PERUN_JSON_ARRAY_END) {
		struct perun_json *item = NULL;

		status = read_around(reader, elements, key, &item);
		if (item)
			perun_json_members_take(members, NULL, 0, item);
	}
	*value = perun_json_members_end(members);
	return status;
}

static int read_all(struct perun_json_reader *reader, const struct elements *elements,
		    struct perun_json **document)
{
	int status;

	*document = NULL;
	perun_json_next(reader);
	status = read_around(reader, elements, elements->key, document);
	if (!status && perun_json_next(reader) != PERUN_JSON_END)
		status = perun_json_fail(reader, "expected the end of the document");
	return status;
}

/* Frees the reader. */
static int read_and_check(struct perun_ctx *ctx, struct perun_json_reader *reader,
			  const struct elements *elements, struct perun_json **document)
{
	int status = read_all(reader, elements, document);

	perun_json_reader_free(reader);
	if (status) {
		perun_json_free(*document);
		*document = NULL;
	} else if (elements->key && perun_json_type(*document) != PERUN_JSON_TYPE_OBJECT) {
		status = fail_type(ctx, document);
	}
	return status;
}

static int read_input(struct perun_ctx *ctx, struct perun_input *input,
		      const struct elements *elements, struct perun_json **document)
{
	struct json_source source = {.ctx = ctx, .input = input};
	int status = refuse_directory(ctx, input);

	*document = NULL;
	if (status)
		return status;
	return read_and_check(ctx, perun_json_reader_new(ctx, json_source_read, &source, NULL),
			      elements, document);
}

int benchmark_read(struct perun_ctx *ctx, struct perun_input *input, const char *key,
		   benchmark_element *take, void *data, struct perun_json **document)
{
	return benchmark_read_around(ctx, input, key, take, NULL, data, document);
}

int benchmark_read_around(struct perun_ctx *ctx, struct perun_input *input, const char *key,
			  benchmark_element *take, perun_json_take_array *array, void *data,
			  struct perun_json **document)
{
	const struct elements elements = {key, take, array, data};

	return read_input(ctx, input, &elements, document);
}

/* To be read again afterwards. */
static int read_part(struct perun_ctx *ctx, struct perun_input *input,
		     const struct elements *elements, struct perun_json **document)
{
	int status = refuse_directory(ctx, input);

	*document = NULL;
	if (!status)
		status = keep_for_twice(ctx, input);
	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	return status ? status : read_input(ctx, input, elements, document);
}

int benchmark_document_around(struct perun_ctx *ctx, struct perun_input *input, const char *key,
			      struct perun_json **document)
{
	return read_part(ctx, input, &(struct elements){.key = key}, document);
}

int benchmark_each(struct perun_ctx *ctx, struct perun_input *input, const char *key,
		   benchmark_element *take, void *data)
{
	struct perun_json *document;
	int status = benchmark_each_around(ctx, input, key, take, data, &document);

	perun_json_free(document);
	return status;
}

int benchmark_each_around(struct perun_ctx *ctx, struct perun_input *input, const char *key,
			  benchmark_element *take, void *data, struct perun_json **document)
{
	return read_part(ctx, input, &(struct elements){key, take, NULL, data}, document);
}
