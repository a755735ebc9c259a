/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heaptrack: what heaptrack_interpret writes, a line for each string, instruction, call and allocation; all numbers
 * are hexadecimal.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

/* Allocations of one size from one place. */
struct allocation {
	uint64_t size;
	uint32_t trace;
	uint64_t count, live, at_peak, temporary;
	uint64_t saved; /* of which peak `at_peak` is */
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	perun_id *strings;
	struct place {
		perun_id location;
		bool stop; /* nothing outside of it is shown */
	} * places;
	size_t string_count, string_room, place_count, place_room;
	perun_id *traces; /* paths of calls */
	size_t trace_count, trace_room;
	struct allocation *allocations;
	size_t allocation_count, allocation_room;
	uint64_t heap, most, peak; /* bytes now, at the peak; the number of the peak */
	uint64_t last;             /* the allocation made last, plus 1 */
	unsigned version;
};

static int wrong(struct reading *reading, const char *expected, const char *line)
{
	return stacks_wrong_line(reading->ctx, reading->lines, expected, line);
}

/* The next hexadecimal number of a line; false: there is none. */
static bool take(const char **at, uint64_t *number)
{
	char *end;

	while (**at == ' ')
		++*at;
	if (!strchr("0123456789abcdefABCDEF", **at) || !**at)
		return false;
	*number = strtoull(*at, &end, 16);
	*at = end;
	return true;
}

/* "s 4 main": since version 3 with the length. */
static int read_string(struct reading *reading, const char *line, size_t length)
{
	const char *at = line + 1, *end = line + length;
	uint64_t size;

	if (reading->version >= 3 && (!take(&at, &size) || *at != ' '))
		return wrong(reading, "the length of a string", line);
	at += *at == ' ';
	PERUN_GROW(reading->strings, reading->string_count, reading->string_room);
	reading->strings[reading->string_count++] = perun_builder_string(
		stacks_builder(reading->stacks), at, at < end ? (size_t)(end - at) : 0);
	return PERUN_OK;
}

static bool has_string(const struct reading *reading, uint64_t number)
{
	return number <= reading->string_count;
}

static perun_id string_at(const struct reading *reading, uint64_t number)
{
	return number ? reading->strings[number - 1] : 0;
}

static perun_id address_text(struct reading *reading, uint64_t address)
{
	char name[32];

	perun_snprintf(name, sizeof name, "0x%llx", (unsigned long long)address);
	return perun_builder_text(stacks_builder(reading->stacks), name);
}

/* "FUNCTION FILE LINE", from the innermost inlined function on; a function without a name is named by the address. */
static size_t take_lines(struct reading *reading, const char **at, uint64_t address,
			 struct perun_line *lines, size_t most)
{
	size_t count = 0;
	uint64_t name, file, line;

	while (count < most && take(at, &name)) {
		struct perun_function function = {0};

		file = line = 0;
		if (take(at, &file))
			take(at, &line);
		if (!has_string(reading, name) || !has_string(reading, file))
			return SIZE_MAX;
		function.name = function.system_name =
			name ? string_at(reading, name) : address_text(reading, address);
		function.file = string_at(reading, file);
		lines[count++] =
			(struct perun_line){.function = perun_builder_function(
						    stacks_builder(reading->stacks), &function),
					    .line = line < INT32_MAX ? (int64_t)line : 0};
	}
	return count;
}

/* Functions that heaptrack's own tools show no callers of. */
static bool is_stop(struct reading *reading, const char *line)
{
	static const char *const stops[] = {"main", "__libc_start_main",
					    "__static_initialization_and_destruction_0"};
	const char *at = line + 1, *name;
	uint64_t number[3];

	for (size_t i = 0; i < 3; i++)
		if (!take(&at, &number[i]))
			return false;
	name = perun_builder_string_at(stacks_builder(reading->stacks),
				       string_at(reading, number[2]), NULL);
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
		if (strcmp(name, stops[i]) == 0)
			return true;
	return false;
}

/* "i IP MODULE [FUNCTION [FILE LINE]]…" */
static int read_place(struct reading *reading, const char *line)
{
	enum { INLINED = 64 };
	struct perun_builder *builder = stacks_builder(reading->stacks);
	struct perun_line lines[INLINED];
	struct perun_location location = {.mapping = PERUN_NO_ID, .lines = lines};
	struct perun_mapping mapping = {0};
	const char *at = line + 1;
	uint64_t module = 0;
	size_t count;
	bool stop;

	if (!take(&at, &location.address) || !take(&at, &module) || !has_string(reading, module))
		return wrong(reading, "an address and its module", line);
	count = take_lines(reading, &at, location.address, lines, INLINED);
	if (count == SIZE_MAX)
		return wrong(reading, "the number of a string before it", line);
	if (count == 0) {
		struct perun_function function = {0};

		function.name = function.system_name = address_text(reading, location.address);
		lines[count++] =
			(struct perun_line){.function = perun_builder_function(builder, &function)};
	}
	if (module) {
		mapping.file = string_at(reading, module);
		location.mapping = perun_builder_mapping(builder, &mapping);
	}
	location.line_count = (uint32_t)count;
	stop = is_stop(reading, line);
	PERUN_GROW(reading->places, reading->place_count, reading->place_room);
	reading->places[reading->place_count].stop = stop;
	reading->places[reading->place_count++].location =
		perun_builder_location(builder, &location);
	return PERUN_OK;
}

/* "t PLACE PARENT" */
static int read_trace(struct reading *reading, const char *line)
{
	const char *at = line + 1;
	uint64_t place, parent;
	perun_id caller = PERUN_NO_ID;
	const struct place *called;

	if (!take(&at, &place) || !take(&at, &parent) || !place || place > reading->place_count ||
	    parent > reading->trace_count)
		return wrong(reading, "a place and a call before it", line);
	PERUN_GROW(reading->traces, reading->trace_count, reading->trace_room);
	called = &reading->places[place - 1];
	if (parent && !called->stop)
		caller = reading->traces[parent - 1];
	reading->traces[reading->trace_count++] =
		perun_builder_path(stacks_builder(reading->stacks), caller, called->location);
	return PERUN_OK;
}

/* "a SIZE TRACE" */
static int read_allocation(struct reading *reading, const char *line)
{
	const char *at = line + 1;
	uint64_t size, trace;

	if (!take(&at, &size) || !take(&at, &trace) || trace > reading->trace_count)
		return wrong(reading, "a size and a call before it", line);
	PERUN_GROW(reading->allocations, reading->allocation_count, reading->allocation_room);
	reading->allocations[reading->allocation_count++] =
		(struct allocation){.size = size, .trace = (uint32_t)trace};
	return PERUN_OK;
}

/* What was alive at the last peak is kept before the first change after it. */
static void save_peak(struct reading *reading, struct allocation *allocation)
{
	if (allocation->saved == reading->peak)
		return;
	allocation->at_peak = allocation->live;
	allocation->saved = reading->peak;
}

/* "+ ALLOCATION", "- ALLOCATION": one that is freed at once is temporary. */
static int read_change(struct reading *reading, const char *line)
{
	const char *at = line + 1;
	struct allocation *allocation;
	uint64_t number;

	if (!take(&at, &number) || number >= reading->allocation_count)
		return wrong(reading, "the number of an allocation before it", line);
	allocation = &reading->allocations[number];
	save_peak(reading, allocation);
	if (*line == '+') {
		allocation->count++;
		allocation->live++;
		reading->heap += allocation->size;
		reading->last = number + 1;
		if (reading->heap > reading->most) {
			reading->most = reading->heap;
			reading->peak++;
		}
		return PERUN_OK;
	}
	if (!allocation->live)
		return wrong(reading, "something that is allocated to be freed", line);
	allocation->live--;
	allocation->temporary += reading->last == number + 1;
	reading->heap -= allocation->size;
	reading->last = 0;
	return PERUN_OK;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	const char *at = line + 1;
	uint64_t number;

	if (length && line[length - 1] == '\r')
		line[--length] = '\0';
	switch (line[0]) {
	case 'v':
		if (take(&at, &number) && take(&at, &number))
			reading->version = (unsigned)number;
		return PERUN_OK;
	case 'X':
		stacks_command(reading->stacks, line + (length > 2 ? 2 : length));
		return PERUN_OK;
	case 's':
		return read_string(reading, line, length);
	case 'i':
		return read_place(reading, line);
	case 'm': /* modules: what heaptrack itself writes has addresses, not places */
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "a raw recording of heaptrack: heaptrack_interpret < FILE");
	case 't':
		return read_trace(reading, line);
	case 'a':
		return read_allocation(reading, line);
	case '+':
	case '-':
		return read_change(reading, line);
	default:
		return PERUN_OK; /* times, memory of the process, comments, suppressions */
	}
}

static int add_rows(struct reading *reading)
{
	static const struct {
		const char *name, *unit;
	} metrics[] = {{"peak", "bytes"},
		       {"allocated", "bytes"},
		       {"allocations", ""},
		       {"temporary", ""},
		       {"leaked", "bytes"}};
	unsigned numbers[5];
	int status = PERUN_OK;
	perun_id stack;

	for (size_t i = 0; i < 5; i++)
		numbers[i] = stacks_exact(reading->stacks, metrics[i].name, metrics[i].unit);
	for (size_t i = 0; !status && i < reading->allocation_count; i++) {
		struct allocation *allocation = &reading->allocations[i];
		double size = (double)allocation->size;
		perun_id path = PERUN_NO_ID;

		save_peak(reading, allocation);
		if (!allocation->count)
			continue;
		if (allocation->trace)
			path = reading->traces[allocation->trace - 1];
		status = stacks_of_path(reading->stacks, path, &stack);
		if (status)
			break;
		stacks_value(reading->stacks, numbers[0], size * (double)allocation->at_peak);
		stacks_value(reading->stacks, numbers[1], size * (double)allocation->count);
		stacks_value(reading->stacks, numbers[2], (double)allocation->count);
		stacks_value(reading->stacks, numbers[3], (double)allocation->temporary);
		stacks_value(reading->stacks, numbers[4], size * (double)allocation->live);
		stacks_add(reading->stacks, stack);
	}
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	reading.stacks = stacks_begin(ctx, builder, "heaptrack", instance);
	status = read_each_line(ctx, reading.lines, read_line, &reading);
	if (!status)
		status = add_rows(&reading);
	perun_lines_free(reading.lines);
	perun_free(reading.strings);
	perun_free(reading.places);
	perun_free(reading.traces);
	perun_free(reading.allocations);
	return stacks_end(reading.stacks, status);
}

/* "v 10400 3", then lines of one letter and numbers. */
static int probe_format(const struct perun_probe *probe)
{
	const char *text = probe->data, *end = text + probe->size, *line;

	if (probe->directory || probe->size < 4 || text[0] != 'v' || text[1] != ' ')
		return 0;
	line = memchr(text, '\n', probe->size);
	if (!line || line - text > 40)
		return 0;
	for (const char *at = text + 2; at < line; at++)
		if (!strchr("0123456789abcdef \r", *at))
			return 0;
	line++;
	return end - line > 1 && strchr("Xx#sIAc", *line) && line[1] == ' ' ? 95 : 0;
}

static const char *const marks[] = {"\nX ", "\nx ", "\n# ", "\ns ", "\nI ", "\nA ", "\nc ", NULL};

FORMAT_PLUGIN(heaptrack, "heaptrack", "allocations that heaptrack recorded", stacks_option_table,
	      .open = stacks_open, .close = stacks_close, .patterns = "heaptrack.* *.heaptrack",
	      .contains = marks, .probe = probe_format, .read = read_format);
