/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading Perun JSON: the top level of a profile. */
#include <string.h>

#include "formats/common/json-source.h"
#include "reading.h"
#include "writing.h"

#define SMALL_INPUT (64 * 1024)
/* Of what a resource or a model has as a value, and of the profile itself. */
enum { MAX_MEMBERS = 65536, MAX_PARTS = 1024 };

static int json_status(struct reading *reading)
{
	return perun_json_error(reading->json)->status;
}

static int fail_expected(struct reading *reading, const char *what, enum perun_json_event event)
{
	if (event == PERUN_JSON_ERROR)
		return json_status(reading);
	return perun_json_fail(reading->json, "expected %s, found %s", what,
			       perun_json_event_name(event));
}

/* ---- global and snapshots -------------------------------------------------------------------- */

/* A `global` or a snapshot. Its time may be after its resources. */
struct part {
	const char *name;
	struct context context; /* keys[0] is `time` */
	bool resources, time;
};

static int read_part_key(struct reading *reading, struct part *part, uint32_t snapshot)
{
	const struct perun_json_token *token = reading->token;
	enum perun_json_event event;
	const char *which;

	if (perun_json_token_is(token, "time")) {
		part->time = true;
		return perunjson_read_value(reading, &part->context.values[0]);
	}
	if (perun_json_token_is(token, "models")) {
		if (snapshot == UINT32_MAX)
			reading->model_count = 0;
		event = perun_json_next(reading->json);
		if (event != PERUN_JSON_ARRAY_START)
			return fail_expected(reading, "an array for models", event);
		return perunjson_read_models(reading, snapshot);
	}
	if (!perun_json_token_is(token, "resources"))
		return perun_json_skip(reading->json);
	which = part->name;
	if (part->resources)
		return perun_json_fail(reading->json, "resources occur twice in %s", which);
	part->resources = true;
	event = perun_json_next(reading->json);
	if (event != PERUN_JSON_ARRAY_START)
		return fail_expected(reading, "an array for the resources", event);
	return perunjson_read_rows(reading, &part->context);
}

/* The part whose start was read. */
static int read_part(struct reading *reading, const char *name, uint32_t snapshot)
{
	struct part part = {.name = name};
	enum perun_json_event event;
	int status;

	reading->first_new = SIZE_MAX;
	part.context.keys[0] = perunjson_named_key(reading, "time");
	part.context.values[0].tag = TAG_PENDING;
	part.context.count = 1;
	if (snapshot != UINT32_MAX) {
		part.context.keys[1] = perunjson_named_key(reading, "snapshot");
		part.context.values[1] = (struct value){TAG_INT64, snapshot};
		part.context.count = 2;
	}
	while ((event = perun_json_next(reading->json)) == PERUN_JSON_KEY) {
		status = read_part_key(reading, &part, snapshot);
		if (status)
			return status;
	}
	if (event == PERUN_JSON_ERROR)
		return json_status(reading);
	if (!part.time && snapshot != UINT32_MAX && part.resources)
		return perun_json_fail(reading->json, "expected a time for the snapshot");
	if (!part.time)
		part.context.values[0] =
			(struct value){TAG_STRING, perun_builder_text(reading->builder, "0.0")};
	perunjson_settle_pending(reading, part.context.keys[0], part.context.values[0]);
	return PERUN_OK;
}

static int read_global(struct reading *reading)
{
	enum perun_json_event event = perun_json_next(reading->json);

	if (event == PERUN_JSON_ARRAY_START)
		return perunjson_read_rows(reading, NULL);
	if (event != PERUN_JSON_OBJECT_START)
		return fail_expected(reading, "an object or an array for global", event);
	return read_part(reading, "global", UINT32_MAX);
}

static int read_snapshots(struct reading *reading)
{
	enum perun_json_event event = perun_json_next(reading->json);
	uint32_t snapshot = 0;
	int status;

	if (event != PERUN_JSON_ARRAY_START)
		return fail_expected(reading, "an array for snapshots", event);
	while ((event = perun_json_next(reading->json)) == PERUN_JSON_OBJECT_START) {
		status = read_part(reading, "the snapshot", snapshot++);
		if (status)
			return status;
	}
	if (event == PERUN_JSON_ARRAY_END)
		return PERUN_OK;
	return fail_expected(reading, "an object for each snapshot", event);
}

/* ---- the top level --------------------------------------------------------------------------- */

static int read_resources(struct reading *reading)
{
	enum perun_json_event event = perun_json_next(reading->json);

	if (event == PERUN_JSON_OBJECT_START)
		return perunjson_read_arrays(reading);
	if (event == PERUN_JSON_ARRAY_START)
		return perunjson_read_rows(reading, NULL);
	return fail_expected(reading, "an object or an array for resources", event);
}

static int read_map(struct reading *reading)
{
	enum perun_json_event event = perun_json_next(reading->json);

	if (event != PERUN_JSON_OBJECT_START)
		return fail_expected(reading, "an object for resource_type_map", event);
	return perunjson_read_type_map(reading);
}

static int read_top_models(struct reading *reading)
{
	enum perun_json_event event = perun_json_next(reading->json);

	if (event != PERUN_JSON_ARRAY_START)
		return fail_expected(reading, "an array for models", event);
	reading->model_count = 0;
	return perunjson_read_models(reading, UINT32_MAX);
}

static const struct section {
	const char *name;
	int (*read)(struct reading *reading);
} sections[] = {
	{"global", read_global},       {"snapshots", read_snapshots},
	{"resources", read_resources}, {"resource_type_map", read_map},
	{"models", read_top_models},
};

/* Everything else stays in the document. */
static int read_other(struct reading *reading)
{
	struct perun_json *document = perun_builder_document(reading->builder);
	struct perun_buffer name = {0};
	struct perun_json *value;
	int status;

	if (perun_json_count(document) == MAX_PARTS)
		return perun_json_fail(reading->json, "a profile of more than %d parts", MAX_PARTS);
	perun_buffer_add(&name, reading->token->text, reading->token->length);
	status = perun_json_read_value(reading->json, &value);
	if (!status)
		perun_json_set_n(document, name.data ? name.data : "", name.length, value);
	perun_buffer_free(&name);
	return status;
}

static int read_section(struct reading *reading, unsigned *seen)
{
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		if (!perun_json_token_is(reading->token, sections[i].name))
			continue;
		if (*seen & 1u << i)
			return perun_json_fail(reading->json, "%s occurs twice in the profile",
					       sections[i].name);
		*seen |= 1u << i;
		return sections[i].read(reading);
	}
	return read_other(reading);
}

static int check_header(struct reading *reading)
{
	const struct perun_json *document = perun_builder_document(reading->builder);
	const struct perun_json *header = perun_json_get(document, "header");

	if (!header)
		return perun_fail(
			reading->ctx, PERUN_INPUT,
			"the profile has no header: expected \"header\": {\"type\": ...}");
	if (perun_json_type(header) != PERUN_JSON_TYPE_OBJECT)
		return perun_fail(reading->ctx, PERUN_INPUT, "header: expected an object, found %s",
				  perun_json_type_name(perun_json_type(header)));
	if (!perun_json_as_string(perun_json_get(header, "type"), NULL))
		return perun_fail(
			reading->ctx, PERUN_INPUT,
			"the header has no type: expected \"type\": \"time\" or the like");
	return PERUN_OK;
}

/* Columns that the part "metrics" names are metrics, too, whatever their names. */
static void find_metrics(struct reading *reading)
{
	const struct perun_json *metrics =
		perun_json_get(perun_builder_document(reading->builder), "metrics");
	size_t count =
		perun_json_type(metrics) == PERUN_JSON_TYPE_OBJECT ? perun_json_count(metrics) : 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = perun_json_key_at(metrics, i, NULL);
		struct perun_column_builder *column = perun_table_find_column(reading->table, name);

		const char *unit = perun_json_as_string(
			perun_json_get(perun_json_at(metrics, i), "unit"), NULL);

		if (!column || perun_column_builder_info(column)->type > PERUN_TYPE_DOUBLE ||
		    perun_column_builder_info(column)->role != PERUN_ROLE_PLAIN)
			continue;
		perun_column_set_role(column, PERUN_ROLE_METRIC);
		if (unit && *unit)
			perun_column_set_unit(column, unit);
	}
}

static int read_profile(struct reading *reading, uint64_t expansion_limit)
{
	enum perun_json_event event = perun_json_next(reading->json);
	unsigned seen = 0;
	int status;

	if (event != PERUN_JSON_OBJECT_START)
		return fail_expected(reading, "an object for the profile", event);
	while ((event = perun_json_next(reading->json)) == PERUN_JSON_KEY) {
		status = read_section(reading, &seen);
		if (status)
			return status;
	}
	if (event == PERUN_JSON_ERROR || perun_json_next(reading->json) == PERUN_JSON_ERROR)
		return json_status(reading);
	perun_buffer_free(&reading->text); /* of one that is the file */
	status = check_header(reading);
	if (!status)
		status = perunjson_resolve_chunks(reading, expansion_limit);
	perunjson_end_types(reading);
	if (!status)
		status = perunjson_finish_resources(reading);
	if (!status)
		find_metrics(reading);
	return status ? status : perunjson_finish_models(reading);
}

/* A small file is parsed from memory, without buffers larger than itself. */
static int open_reader(struct perun_ctx *ctx, struct json_source *source,
		       struct perun_json_reader **reader)
{
	const struct perun_json_options options = {.struct_size = sizeof options,
						   .member_count = MAX_MEMBERS};
	int64_t size = perun_input_size(source->input);
	const void *text;
	size_t length;
	int status;

	if (size < 0 || size > SMALL_INPUT) {
		*reader = perun_json_reader_new(ctx, json_source_read, source, &options);
		return PERUN_OK;
	}
	status = perun_input_map(ctx, source->input, 0, &text, &length);
	if (!status)
		*reader = perun_json_reader_new_text(ctx, text, length, &options);
	return status;
}

int perunjson_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		   struct perun_builder *builder)
{
	struct json_source source = {ctx, input};
	const struct writing_options *options = instance;
	struct reading reading = {.ctx = ctx, .builder = builder, .key_limit = options->key_limit};
	int status;

	if (perun_input_is_directory(input))
		return perun_fail(ctx, PERUN_INPUT, "a directory, expected a file");
	status = open_reader(ctx, &source, &reading.json);
	if (status)
		return status;
	reading.token = perun_json_token(reading.json);
	reading.table = perun_builder_table(builder, "resources");
	reading.null = perun_builder_text(builder, "null");
	reading.last_type = UINT32_MAX;
	status = read_profile(&reading, options->expansion_limit);
	perun_json_reader_free(reading.json);
	perun_buffer_free(&reading.text);
	perun_free(reading.models);
	perunjson_free_types(&reading);
	perunjson_free_keys(&reading);
	return status;
}
