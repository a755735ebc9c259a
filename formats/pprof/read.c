/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a profile.proto: the fields of the profile itself, and what follows their end. */
#include <inttypes.h>

#include "reading.h"

static const struct pprof_field_type profile_fields[] = {
	{NULL, PPROF_UNKNOWN},
	{"sample_type", PPROF_TEXT},
	{"sample", PPROF_TEXT},
	{"mapping", PPROF_TEXT},
	{"location", PPROF_TEXT},
	{"function", PPROF_TEXT},
	{"string_table", PPROF_TEXT},
	{"drop_frames", PPROF_NUMBER},
	{"keep_frames", PPROF_NUMBER},
	{"time_nanos", PPROF_NUMBER},
	{"duration_nanos", PPROF_NUMBER},
	{"period_type", PPROF_TEXT},
	{"period", PPROF_NUMBER},
	{"comment", PPROF_NUMBERS},
	{"default_sample_type", PPROF_NUMBER},
	{"doc_url", PPROF_NUMBER},
	{"path", PPROF_TEXT}, /* see write-paths.c */
};
const struct pprof_schema pprof_profile_schema = {"Profile", PPROF_FIELDS, profile_fields};
static const struct pprof_schema with_paths = {"Profile", PPROF_PATH + 1, profile_fields};

static const struct pprof_field_type value_type_fields[] = {
	{NULL, PPROF_UNKNOWN},
	{"type", PPROF_NUMBER},
	{"unit", PPROF_NUMBER},
};
static const struct pprof_schema sample_type_schema = {"sample_type", 3, value_type_fields};
static const struct pprof_schema period_type_schema = {"period_type", 3, value_type_fields};

/* Enough for the tag and the length, or the number, of a field. */
enum { FIELD_HEAD = 2 * PROTOBUF_LONGEST_VARINT };

/* More strings than any program has: each takes memory, even an empty one. */
#define MAX_STRINGS ((size_t)1 << 24)

static int read_value_type(struct pprof_reading *reading, struct pprof_message *message,
			   struct pprof_value_type *type)
{
	const unsigned char *start = message->at;
	struct pprof_field field;
	int status = PERUN_OK;

	*type = (struct pprof_value_type){.offset = pprof_offset(&reading->window, start)};
	while (pprof_next_field(message, &field, &status)) {
		if (field.number == 1)
			type->type = (int64_t)field.value;
		else
			type->unit = (int64_t)field.value;
	}
	return status;
}

static int read_string(struct pprof_reading *reading, const struct pprof_message *message,
		       const struct pprof_field *field)
{
	perun_id id;

	if (reading->string_count == 0 && field->value)
		return pprof_wrong(message, field->number, field->start,
				   "the first string is not empty");
	if (field->value > PPROF_MAX_TEXT)
		return pprof_wrong(message, field->number, field->start,
				   "a text of %" PRIu64 " bytes, more than the %d allowed",
				   field->value, PPROF_MAX_TEXT);
	if (reading->string_count >= MAX_STRINGS)
		return pprof_wrong(message, field->number, field->start, "more than %zu strings",
				   MAX_STRINGS);
	id = perun_builder_string(reading->builder, (const char *)field->data, field->value);
	if (id == reading->string_count && id == reading->plain_strings)
		reading->plain_strings++;
	else
		PPROF_ADD(reading->strings, id);
	reading->string_count++;
	return PERUN_OK;
}

static int add_comment(struct pprof_reading *reading, const struct pprof_message *message,
		       const struct pprof_field *field, uint64_t value, const unsigned char *at)
{
	if (reading->comments.count >= PPROF_MAX_COMMENTS)
		return pprof_wrong(message, field->number, at, "more than %d comments",
				   PPROF_MAX_COMMENTS);
	PPROF_ADD(reading->comments, ((struct pprof_header_value){
					     (int64_t)value, pprof_offset(&reading->window, at)}));
	return PERUN_OK;
}

static int read_comments(struct pprof_reading *reading, const struct pprof_message *message,
			 const struct pprof_field *field)
{
	const unsigned char *at = field->data, *end;
	int status = PERUN_OK;

	if (!field->bytes)
		return add_comment(reading, message, field, field->value, field->start);
	end = at + field->value;
	while (at < end && !status) {
		const unsigned char *start = at;
		uint64_t value;

		at = pprof_small(at, end, &value);
		if (!at)
			return pprof_wrong(message, field->number, start,
					   "a number that does not end within ten bytes and its "
					   "field");
		status = add_comment(reading, message, field, value, start);
	}
	return status;
}

static int read_header(struct pprof_reading *reading, const struct pprof_message *message,
		       const struct pprof_field *field)
{
	struct pprof_header_value *header = &reading->header[field->number];

	if (field->number == PPROF_TIME && header->value)
		return pprof_wrong(message, field->number, field->start,
				   "a second time: several profiles, one after the other?");
	header->value = (int64_t)field->value;
	header->offset = pprof_offset(&reading->window, field->start);
	return PERUN_OK;
}

static int read_field(struct pprof_reading *reading, const struct pprof_message *profile,
		      const struct pprof_field *field)
{
	struct pprof_message message = pprof_inside(profile, field, NULL, 0);
	struct pprof_value_type type;
	int status;

	if (field->number != 2)
		pprof_wait_for_batches(reading);
	switch (field->number) {
	case 1:
		message.schema = &sample_type_schema;
		message.index = reading->sample_types.count;
		if (message.index >= PPROF_MAX_TYPES)
			return pprof_wrong(profile, field->number, field->start,
					   "more than %d sample types", PPROF_MAX_TYPES);
		status = read_value_type(reading, &message, &type);
		PPROF_ADD(reading->sample_types, type);
		return status;
	case 2:
		message.schema =
			reading->with_paths ? &pprof_path_sample_schema : &pprof_sample_schema;
		return pprof_read_sample(reading, &message);
	case 3:
		message.schema = &pprof_mapping_schema;
		return pprof_read_mapping(reading, &message);
	case 4:
		message.schema = &pprof_location_schema;
		return pprof_read_location(reading, &message);
	case 5:
		message.schema = &pprof_function_schema;
		return pprof_read_function(reading, &message);
	case 6:
		return read_string(reading, profile, field);
	case PPROF_PERIOD_TYPE:
		message.schema = &period_type_schema;
		message.index = UINT64_MAX;
		return read_value_type(reading, &message, &reading->period_type);
	case PPROF_COMMENT:
		return read_comments(reading, profile, field);
	case PPROF_PATH:
		message.schema = &pprof_path_schema;
		message.index = reading->paths.count;
		return pprof_read_path(reading, &message);
	default:
		return read_header(reading, profile, field);
	}
}

/* A field whose bytes may not all be in memory: its head is read, then they are fetched. */
static int read_long(struct pprof_reading *reading, struct pprof_message *profile)
{
	struct pprof_window *window = &reading->window;
	const unsigned char *start = window->at;
	uint64_t offset = pprof_offset(window, start), tag, length, left;
	const unsigned char *data;
	bool known, ended;
	size_t head;
	int status;

	data = protobuf_varint(start, window->end, &tag);
	data = data ? protobuf_varint(data, window->end, &length) : NULL;
	if (!data)
		return pprof_wrong(profile, 0, start, "a number that does not end");
	head = (size_t)(data - start);
	known = tag >> 3 < profile->schema->count && profile_fields[tag >> 3].kind != PPROF_UNKNOWN;
	if (known && length > PPROF_LARGEST)
		return pprof_wrong(profile, (uint32_t)(tag >> 3), start,
				   "a length of %" PRIu64 ", more than the %" PRIu64 " allowed",
				   length, PPROF_LARGEST);
	if (known) {
		status = pprof_window_fill(window, head + (size_t)length);
		left = (uint64_t)(window->end - window->at) - head;
		if (status || left >= length)
			return status;
	} else {
		window->at = data;
		status = pprof_window_skip(window, length, &ended);
		if (status || !ended)
			return status;
		left = pprof_offset(window, window->end) - offset - head;
	}
	return perun_fail(reading->ctx, PERUN_INPUT,
			  "byte %" PRIu64 ": Profile: a length of %" PRIu64 ", but only %" PRIu64
			  " bytes follow",
			  offset, length, left);
}

/* Whether a field of bytes begins here that does not lie in the window as a whole. */
static bool is_long(const struct pprof_window *window)
{
	uint64_t tag, length;
	const unsigned char *at = protobuf_varint(window->at, window->end, &tag);

	if (!at || (tag & 7) != PROTOBUF_BYTES)
		return false;
	at = protobuf_varint(at, window->end, &length);
	return at && length > (uint64_t)(window->end - at);
}

/* The fields that lie in the window as a whole. */
static int read_window(struct pprof_reading *reading)
{
	struct pprof_window *window = &reading->window;
	struct pprof_message profile = {.window = window, .schema = &pprof_profile_schema};
	int status = PERUN_OK;

	if (reading->with_paths)
		profile.schema = &with_paths;
	if (is_long(window))
		return read_long(reading, &profile);
	while (!status && window->at < window->end) {
		struct pprof_field field;

		profile.at = window->at;
		profile.end = window->end;
		if (!window->ended && window->end - window->at < FIELD_HEAD)
			break;
		if (!pprof_take_short(&profile, &field) &&
		    (is_long(window) || !pprof_take_field(&profile, &field, &status)))
			break;
		window->at = profile.at;
		if (field.kind != PPROF_UNKNOWN)
			status = read_field(reading, &profile, &field);
	}
	return status;
}

static int read_all(struct pprof_reading *reading)
{
	struct pprof_window *window = &reading->window;
	int status = pprof_window_fill(window, FIELD_HEAD);

	if (!status && window->at == window->end)
		return perun_fail(reading->ctx, PERUN_INPUT, "the file is empty");
	while (!status && window->at < window->end) {
		status = read_window(reading);
		if (!status)
			status = pprof_window_fill(window, FIELD_HEAD);
	}
	return status;
}

/* What the pools hold now. */
static void free_places(struct pprof_reading *reading)
{
	pprof_kept_free(&reading->mappings);
	pprof_kept_free(&reading->functions);
	pprof_kept_free(&reading->locations);
	perun_free(reading->mapping_of);
	perun_free(reading->function_of);
	pprof_ids_free(&reading->mapping_ids);
	pprof_ids_free(&reading->function_ids);
	reading->mapping_of = reading->function_of = NULL;
}

static int resolve(struct pprof_reading *reading)
{
	int status;

	if (!reading->string_count)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "byte %" PRIu64 ": Profile.string_table: expected strings, found "
				  "none",
				  pprof_offset(&reading->window, reading->window.end));
	stacks_numbers_forget(&reading->location_ids.large);
	status = pprof_resolve_mappings(reading);
	if (!status)
		status = pprof_resolve_functions(reading);
	if (!status)
		status = pprof_resolve_locations(reading);
	free_places(reading);
	if (!status)
		status = pprof_resolve_samples(reading);
	return status ? status : pprof_resolve_header(reading);
}

static void free_reading(struct pprof_reading *reading)
{
	pprof_free_samples(reading);
	free_places(reading);
	perun_free(reading->sample_types.items);
	perun_free(reading->strings.items);
	perun_free(reading->comments.items);
	pprof_ids_free(&reading->location_ids);
	perun_free(reading->location_of);
	pprof_window_close(&reading->window);
}

int pprof_read(struct perun_ctx *ctx, const struct pprof_options *options,
	       struct perun_input *input, struct perun_builder *builder)
{
	struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	struct pprof_reading reading = {.ctx = ctx, .builder = builder};
	int status = pprof_window_open(&reading.window, ctx, options, input);

	reading.with_paths = options && options->paths;
	reading.batch = reading.batches;
	reading.table = perun_builder_table(builder, "resources");
	reading.stacks = perun_table_add_column(reading.table, &stack);
	perun_column_save_memory(reading.stacks);
	reading.seen = perun_alloc_zero(PPROF_SMALL_IDS / 64, sizeof *reading.seen);
	if (!status)
		status = read_all(&reading);
	pprof_end_batches(&reading);
	if (!status)
		status = resolve(&reading);
	free_reading(&reading);
	return status;
}
