/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings, locations and functions: kept as they are until the end, then put into the pools. */
#include <inttypes.h>

#include "reading.h"

static const struct pprof_field_type mapping_fields[] = {
	{NULL, PPROF_UNKNOWN},
	{"id", PPROF_NUMBER},
	{"memory_start", PPROF_NUMBER},
	{"memory_limit", PPROF_NUMBER},
	{"file_offset", PPROF_NUMBER},
	{"filename", PPROF_NUMBER},
	{"build_id", PPROF_NUMBER},
	{"has_functions", PPROF_NUMBER},
	{"has_filenames", PPROF_NUMBER},
	{"has_line_numbers", PPROF_NUMBER},
	{"has_inline_frames", PPROF_NUMBER},
};
const struct pprof_schema pprof_mapping_schema = {"mapping", 11, mapping_fields};

static const struct pprof_field_type location_fields[] = {
	{NULL, PPROF_UNKNOWN},     {"id", PPROF_NUMBER}, {"mapping_id", PPROF_NUMBER},
	{"address", PPROF_NUMBER}, {"line", PPROF_TEXT}, {"is_folded", PPROF_NUMBER},
};
const struct pprof_schema pprof_location_schema = {"location", 6, location_fields};

static const struct pprof_field_type line_fields[] = {
	{NULL, PPROF_UNKNOWN},
	{"function_id", PPROF_NUMBER},
	{"line", PPROF_NUMBER},
	{"column", PPROF_NUMBER},
};
static const struct pprof_schema line_schema = {"line", 4, line_fields};

static const struct pprof_field_type function_fields[] = {
	{NULL, PPROF_UNKNOWN},         {"id", PPROF_NUMBER},       {"name", PPROF_NUMBER},
	{"system_name", PPROF_NUMBER}, {"filename", PPROF_NUMBER}, {"start_line", PPROF_NUMBER},
};
const struct pprof_schema pprof_function_schema = {"function", 6, function_fields};

/* ---- during the file ------------------------------------------------------------------------- */

enum { NUMBERS = 16 };

/* The numbers of a message by field; the last one counts. */
static int read_numbers(struct pprof_message *message, uint64_t numbers[NUMBERS])
{
	struct pprof_field field;
	int status = PERUN_OK;

	memset(numbers, 0, NUMBERS * sizeof *numbers);
	while (pprof_next_field(message, &field, &status))
		numbers[field.number] = field.value;
	return status;
}

/* An id is not 0, and nobody else's. */
static int check_id(struct pprof_ids *ids, const struct pprof_message *message,
		    const unsigned char *start, uint64_t id, size_t place)
{
	if (id == 0)
		return pprof_wrong(message, 1, start, "expected a number, found 0 or none");
	if (place >= INT32_MAX)
		return pprof_wrong(message, 0, start, "more than 2^31 of them");
	if (!pprof_ids_put(ids, id, (uint32_t)place))
		return pprof_wrong(message, 1, start, "%" PRIu64 " was used before", id);
	return PERUN_OK;
}

int pprof_read_mapping(struct pprof_reading *reading, struct pprof_message *message)
{
	const unsigned char *start = message->at;
	uint64_t numbers[NUMBERS];
	int status;

	message->index = reading->mappings.count;
	status = read_numbers(message, numbers);
	if (!status)
		status = check_id(&reading->mapping_ids, message, start, numbers[1],
				  reading->mappings.count);
	if (status)
		return status;
	pprof_keep(&reading->mappings, start, (size_t)(message->end - start),
		   pprof_offset(&reading->window, start));
	return PERUN_OK;
}

int pprof_read_function(struct pprof_reading *reading, struct pprof_message *message)
{
	const unsigned char *start = message->at;
	uint64_t numbers[NUMBERS];
	int status;

	message->index = reading->functions.count;
	status = read_numbers(message, numbers);
	if (!status)
		status = check_id(&reading->function_ids, message, start, numbers[1],
				  reading->functions.count);
	if (status)
		return status;
	pprof_keep(&reading->functions, start, (size_t)(message->end - start),
		   pprof_offset(&reading->window, start));
	return PERUN_OK;
}

static int read_line(const struct pprof_message *message, const struct pprof_field *field,
		     uint64_t index, uint64_t numbers[NUMBERS])
{
	struct pprof_message line = pprof_inside(message, field, &line_schema, index);

	if (index >= PPROF_MAX_LINES)
		return pprof_wrong(message, field->number, field->start,
				   "more than %d functions inlined into each other",
				   PPROF_MAX_LINES);
	return read_numbers(&line, numbers);
}

int pprof_read_location(struct pprof_reading *reading, struct pprof_message *message)
{
	const unsigned char *start = message->at;
	uint64_t numbers[NUMBERS], count = 0, id = 0;
	struct pprof_field field;
	int status = PERUN_OK;

	message->index = reading->locations.count;
	while (!status && pprof_next_field(message, &field, &status)) {
		if (field.number == 4)
			status = read_line(message, &field, count++, numbers);
		else if (field.number == 1)
			id = field.value;
	}
	if (!status)
		status = check_id(&reading->location_ids, message, start, id,
				  reading->locations.count);
	if (!status)
		pprof_keep(&reading->locations, start, (size_t)(message->end - start),
			   pprof_offset(&reading->window, start));
	return status;
}

/* ---- at the end ------------------------------------------------------------------------------ */

int pprof_string(struct pprof_reading *reading, int64_t number, uint64_t offset, const char *path,
		 uint64_t index, perun_id *id)
{
	const char *number_sign = strstr(path, "[]");
	struct perun_buffer full = {0};
	int status;

	if (number >= 0 && (uint64_t)number < reading->plain_strings) {
		*id = (perun_id)number;
		return PERUN_OK;
	}
	if (number >= 0 && (uint64_t)number < reading->string_count) {
		*id = reading->strings.items[(size_t)number - reading->plain_strings];
		return PERUN_OK;
	}
	if (number_sign)
		perun_buffer_printf(&full, "%.*s[%" PRIu64 "]%s", (int)(number_sign - path), path,
				    index, number_sign + 2);
	else
		perun_buffer_add_text(&full, path);
	status = perun_fail(reading->ctx, PERUN_INPUT,
			    "byte %" PRIu64 ": Profile.%s: %" PRId64
			    " names no string, there are %zu",
			    offset, full.data, number, reading->string_count);
	perun_buffer_free(&full);
	return status;
}

/* The numbers of the next message that was kept. */
static bool next_numbers(struct pprof_kept *kept, struct pprof_kept_place *place,
			 const struct pprof_schema *schema, uint64_t numbers[NUMBERS])
{
	struct pprof_message message = {.schema = schema};

	return pprof_kept_next(kept, place, &message) && !read_numbers(&message, numbers);
}

int pprof_resolve_mappings(struct pprof_reading *reading)
{
	struct pprof_kept_place place = {0};
	uint64_t numbers[NUMBERS];
	int status = PERUN_OK;

	reading->mapping_of = perun_alloc_zero(reading->mappings.count + 1, sizeof(perun_id));
	for (size_t i = 0;
	     !status && next_numbers(&reading->mappings, &place, &pprof_mapping_schema, numbers);
	     i++) {
		struct perun_mapping mapping = {.source_id = numbers[1],
						.start = numbers[2],
						.limit = numbers[3],
						.offset = numbers[4],
						.has_functions = numbers[7],
						.has_filenames = numbers[8],
						.has_line_numbers = numbers[9],
						.has_inline_frames = numbers[10]};

		status = pprof_string(reading, (int64_t)numbers[5], place.offset,
				      "mapping[].filename", i, &mapping.file);
		if (!status)
			status = pprof_string(reading, (int64_t)numbers[6], place.offset,
					      "mapping[].build_id", i, &mapping.build_id);
		if (!status)
			reading->mapping_of[i] = perun_builder_mapping(reading->builder, &mapping);
	}
	pprof_kept_free(&reading->mappings);
	return status;
}

int pprof_resolve_functions(struct pprof_reading *reading)
{
	struct pprof_kept_place place = {0};
	uint64_t numbers[NUMBERS];
	int status = PERUN_OK;

	reading->function_of = perun_alloc_zero(reading->functions.count + 1, sizeof(perun_id));
	for (size_t i = 0;
	     !status && next_numbers(&reading->functions, &place, &pprof_function_schema, numbers);
	     i++) {
		struct perun_function function = {.source_id = numbers[1],
						  .start_line = (int64_t)numbers[5]};

		status = pprof_string(reading, (int64_t)numbers[2], place.offset, "function[].name",
				      i, &function.name);
		if (!status)
			status = pprof_string(reading, (int64_t)numbers[3], place.offset,
					      "function[].system_name", i, &function.system_name);
		if (!status)
			status = pprof_string(reading, (int64_t)numbers[4], place.offset,
					      "function[].filename", i, &function.file);
		if (!status)
			reading->function_of[i] =
				perun_builder_function(reading->builder, &function);
	}
	pprof_kept_free(&reading->functions);
	return status;
}

struct line_list {
	struct perun_line *items;
	size_t count, room;
};

/* The function of line `i` of location `place`. */
static int resolve_line(struct pprof_reading *reading, const struct pprof_message *message,
			const struct pprof_field *field, uint64_t offset, size_t place,
			struct line_list *lines)
{
	struct pprof_message line = pprof_inside(message, field, &line_schema, lines->count);
	uint64_t numbers[NUMBERS];
	uint32_t function;
	int status = read_numbers(&line, numbers);

	if (status)
		return status;
	function = pprof_ids_get(&reading->function_ids, numbers[1]);
	if (function == PERUN_NO_ID)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "byte %" PRIu64
				  ": Profile.location[%zu].line[%zu].function_id: %" PRIu64
				  " names no function",
				  offset, place, lines->count, numbers[1]);
	PERUN_GROW(lines->items, lines->count, lines->room);
	lines->items[lines->count++] =
		(struct perun_line){.function = reading->function_of[function],
				    .line = (int64_t)numbers[2],
				    .column = (int64_t)numbers[3]};
	return PERUN_OK;
}

static int resolve_location(struct pprof_reading *reading, struct pprof_message *message,
			    uint64_t offset, size_t place, struct line_list *lines)
{
	uint64_t numbers[NUMBERS] = {0};
	struct perun_location location;
	struct pprof_field field;
	uint32_t mapping = PERUN_NO_ID;
	int status = PERUN_OK;

	lines->count = 0;
	while (!status && pprof_next_field(message, &field, &status)) {
		if (field.number == 4)
			status = resolve_line(reading, message, &field, offset, place, lines);
		else
			numbers[field.number] = field.value;
	}
	if (status)
		return status;
	if (numbers[2])
		mapping = pprof_ids_get(&reading->mapping_ids, numbers[2]);
	location = (struct perun_location){
		.source_id = numbers[1],
		/* A mapping that does not exist is none. */
		.mapping = mapping == PERUN_NO_ID ? PERUN_NO_ID : reading->mapping_of[mapping],
		.address = numbers[3],
		.folded = numbers[5],
		.lines = lines->items,
		.line_count = (uint32_t)lines->count};
	reading->location_of[place] = perun_builder_location(reading->builder, &location);
	return PERUN_OK;
}

int pprof_resolve_locations(struct pprof_reading *reading)
{
	struct pprof_message message = {.window = &reading->window,
					.schema = &pprof_location_schema};
	struct pprof_kept_place place = {0};
	struct line_list lines = {0};
	int status = PERUN_OK;

	reading->location_of = perun_alloc_zero(reading->locations.count + 1, sizeof(perun_id));
	for (size_t i = 0; !status && pprof_kept_next(&reading->locations, &place, &message); i++)
		status = resolve_location(reading, &message, place.offset, i, &lines);
	perun_free(lines.items);
	return status;
}
