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
	PPROF_ADD(reading->mappings,
		  ((struct pprof_raw_mapping){.offset = pprof_offset(&reading->window, start),
					      .id = numbers[1],
					      .start = numbers[2],
					      .limit = numbers[3],
					      .file_offset = numbers[4],
					      .file = (int64_t)numbers[5],
					      .build_id = (int64_t)numbers[6],
					      .has_functions = numbers[7],
					      .has_filenames = numbers[8],
					      .has_line_numbers = numbers[9],
					      .has_inline_frames = numbers[10]}));
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
	PPROF_ADD(reading->functions,
		  ((struct pprof_raw_function){.offset = pprof_offset(&reading->window, start),
					       .id = numbers[1],
					       .name = (int64_t)numbers[2],
					       .system_name = (int64_t)numbers[3],
					       .file = (int64_t)numbers[4],
					       .start_line = (int64_t)numbers[5]}));
	return PERUN_OK;
}

static int read_line(struct pprof_reading *reading, const struct pprof_message *message,
		     const struct pprof_field *field, uint64_t index)
{
	struct pprof_message line = pprof_inside(message, field, &line_schema, index);
	uint64_t numbers[NUMBERS];
	int status = read_numbers(&line, numbers);

	if (status)
		return status;
	PPROF_ADD(reading->lines, ((struct pprof_raw_line){.function = numbers[1],
							   .line = (int64_t)numbers[2],
							   .column = (int64_t)numbers[3]}));
	return PERUN_OK;
}

int pprof_read_location(struct pprof_reading *reading, struct pprof_message *message)
{
	const unsigned char *start = message->at;
	struct pprof_raw_location location = {.offset = pprof_offset(&reading->window, start),
					      .first_line = reading->lines.count};
	uint64_t numbers[NUMBERS] = {0};
	struct pprof_field field;
	int status = PERUN_OK;

	message->index = reading->locations.count;
	while (!status && pprof_next_field(message, &field, &status)) {
		if (field.number == 4)
			status = read_line(reading, message, &field, location.line_count++);
		else
			numbers[field.number] = field.value;
	}
	if (!status)
		status = check_id(&reading->location_ids, message, start, numbers[1],
				  reading->locations.count);
	location.id = numbers[1];
	location.mapping = numbers[2];
	location.address = numbers[3];
	location.folded = numbers[5];
	if (!status)
		PPROF_ADD(reading->locations, location);
	return status;
}

/* ---- at the end ------------------------------------------------------------------------------ */

int pprof_string(struct pprof_reading *reading, int64_t number, uint64_t offset, const char *path,
		 uint64_t index, perun_id *id)
{
	const char *number_sign = strstr(path, "[]");
	struct perun_buffer full = {0};
	int status;

	if (number >= 0 && (uint64_t)number < reading->strings.count) {
		*id = reading->strings.items[number];
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
			    offset, full.data, number, reading->strings.count);
	perun_buffer_free(&full);
	return status;
}

int pprof_resolve_mappings(struct pprof_reading *reading)
{
	int status = PERUN_OK;

	reading->mapping_of = perun_alloc_zero(reading->mappings.count + 1, sizeof(perun_id));
	for (size_t i = 0; i < reading->mappings.count && !status; i++) {
		const struct pprof_raw_mapping *raw = &reading->mappings.items[i];
		struct perun_mapping mapping = {.start = raw->start,
						.limit = raw->limit,
						.offset = raw->file_offset,
						.has_functions = raw->has_functions,
						.has_filenames = raw->has_filenames,
						.has_line_numbers = raw->has_line_numbers,
						.has_inline_frames = raw->has_inline_frames,
						.source_id = raw->id};

		status = pprof_string(reading, raw->file, raw->offset, "mapping[].filename", i,
				      &mapping.file);
		if (!status)
			status = pprof_string(reading, raw->build_id, raw->offset,
					      "mapping[].build_id", i, &mapping.build_id);
		if (!status)
			reading->mapping_of[i] = perun_builder_mapping(reading->builder, &mapping);
	}
	return status;
}

int pprof_resolve_functions(struct pprof_reading *reading)
{
	int status = PERUN_OK;

	reading->function_of = perun_alloc_zero(reading->functions.count + 1, sizeof(perun_id));
	for (size_t i = 0; i < reading->functions.count && !status; i++) {
		const struct pprof_raw_function *raw = &reading->functions.items[i];
		struct perun_function function = {.start_line = raw->start_line,
						  .source_id = raw->id};

		status = pprof_string(reading, raw->name, raw->offset, "function[].name", i,
				      &function.name);
		if (!status)
			status = pprof_string(reading, raw->system_name, raw->offset,
					      "function[].system_name", i, &function.system_name);
		if (!status)
			status = pprof_string(reading, raw->file, raw->offset,
					      "function[].filename", i, &function.file);
		if (!status)
			reading->function_of[i] =
				perun_builder_function(reading->builder, &function);
	}
	return status;
}

static int resolve_lines(struct pprof_reading *reading, size_t place, struct perun_line *lines)
{
	const struct pprof_raw_location *raw = &reading->locations.items[place];

	for (size_t i = 0; i < raw->line_count; i++) {
		const struct pprof_raw_line *line = &reading->lines.items[raw->first_line + i];
		uint32_t function = pprof_ids_get(&reading->function_ids, line->function);

		if (function == PERUN_NO_ID)
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "byte %" PRIu64
					  ": Profile.location[%zu].line[%zu].function_id: %" PRIu64
					  " names no function",
					  raw->offset, place, i, line->function);
		lines[i].function = reading->function_of[function];
		lines[i].line = line->line;
		lines[i].column = line->column;
	}
	return PERUN_OK;
}

int pprof_resolve_locations(struct pprof_reading *reading)
{
	PPROF_LIST(struct perun_line) lines = {0};
	int status = PERUN_OK;

	reading->location_of = perun_alloc_zero(reading->locations.count + 1, sizeof(perun_id));
	for (size_t i = 0; i < reading->locations.count && !status; i++) {
		const struct pprof_raw_location *raw = &reading->locations.items[i];
		uint32_t mapping = raw->mapping ? pprof_ids_get(&reading->mapping_ids, raw->mapping)
						: PERUN_NO_ID;
		struct perun_location location = {.address = raw->address,
						  .folded = raw->folded,
						  .source_id = raw->id,
						  .line_count = raw->line_count};

		/* A mapping that does not exist is none. */
		location.mapping =
			mapping == PERUN_NO_ID ? PERUN_NO_ID : reading->mapping_of[mapping];
		if (lines.room < raw->line_count) {
			lines.room = (size_t)raw->line_count * 2;
			lines.items =
				perun_realloc_array(lines.items, lines.room, sizeof *lines.items);
		}
		location.lines = lines.items;
		status = resolve_lines(reading, i, lines.items);
		if (!status)
			reading->location_of[i] =
				perun_builder_location(reading->builder, &location);
	}
	perun_free(lines.items);
	return status;
}
