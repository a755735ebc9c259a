/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heaptrack: what heaptrack_interpret writes, a line for each string, instruction, call and allocation; all numbers
 * are hexadecimal.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

/* Allocations of one size from one place; SAVED: of which peak AT_PEAK is. */
enum fact { SIZE, TRACE, COUNT, LIVE, AT_PEAK, TEMPORARY, SAVED, FACTS };

/* A fact of each allocation, in as many bytes as the highest needs: most are allocated a few times. */
struct column {
	uint8_t width; /* 0: all are 0 */
	void *numbers;
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
	struct column allocations[FACTS];
	size_t allocation_count, allocation_room;
	uint64_t heap, most, peak; /* bytes now, at the peak; the number of the peak */
	uint64_t last;             /* the allocation made last, plus 1 */
	unsigned version;
};

static int wrong(struct reading *reading, const char *expected, const char *line)
{
	return stacks_wrong_line(reading->ctx, reading->lines, expected, line);
}

static inline unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

/* The next hexadecimal number of a line, the highest one where it is higher; false: there is none. */
static bool take(const char **at, uint64_t *number)
{
	const char *text = *at;
	uint64_t value = 0;
	unsigned digit;

	while (*text == ' ')
		text++;
	*at = text;
	for (; (digit = digit_of(*text)) < 16; text++)
		value = value >> 60 ? UINT64_MAX : value << 4 | digit;
	if (text == *at)
		return false;
	*at = text;
	*number = value;
	return true;
}

/* ---- facts of allocations ------------------------------------------------------------------------ */

static inline uint64_t get(const struct reading *reading, enum fact fact, size_t i)
{
	const struct column *column = &reading->allocations[fact];

	switch (column->width) {
	case 0:
		return 0;
	case 1:
		return ((const uint8_t *)column->numbers)[i];
	case 2:
		return ((const uint16_t *)column->numbers)[i];
	case 4:
		return ((const uint32_t *)column->numbers)[i];
	default:
		return ((const uint64_t *)column->numbers)[i];
	}
}

static inline void put(struct column *column, size_t i, uint64_t number)
{
	if (column->width == 1)
		((uint8_t *)column->numbers)[i] = (uint8_t)number;
	else if (column->width == 2)
		((uint16_t *)column->numbers)[i] = (uint16_t)number;
	else if (column->width == 4)
		((uint32_t *)column->numbers)[i] = (uint32_t)number;
	else if (column->width)
		((uint64_t *)column->numbers)[i] = number;
}

static void widen(struct reading *reading, enum fact fact, uint64_t number)
{
	struct column *column = &reading->allocations[fact];
	uint8_t width = number > UINT32_MAX   ? 8
			: number > UINT16_MAX ? 4
			: number > UINT8_MAX  ? 2
					      : 1;
	struct column wide = {width, perun_alloc_zero(reading->allocation_room, width)};

	for (size_t i = 0; column->width && i < reading->allocation_count; i++)
		put(&wide, i, get(reading, fact, i));
	perun_free(column->numbers);
	*column = wide;
}

static inline void set(struct reading *reading, enum fact fact, size_t i, uint64_t number)
{
	const uint8_t width = reading->allocations[fact].width;

	if (width < 8 && number >> width * 8)
		widen(reading, fact, number);
	put(&reading->allocations[fact], i, number);
}

static inline uint64_t add(struct reading *reading, enum fact fact, size_t i, uint64_t number)
{
	number += get(reading, fact, i);
	set(reading, fact, i, number);
	return number;
}

/* Room for one more, of which all is 0. */
static void add_allocation(struct reading *reading)
{
	size_t count = reading->allocation_count++;
	bool full = count == reading->allocation_room;

	if (full)
		reading->allocation_room = (count + 32) * 2;
	for (size_t i = 0; i < FACTS; i++) {
		struct column *column = &reading->allocations[i];

		if (full && column->width)
			column->numbers = perun_realloc_array(
				column->numbers, reading->allocation_room, column->width);
		put(column, count, 0);
	}
}

/* ---- lines ----------------------------------------------------------------------------------------- */

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
	add_allocation(reading);
	set(reading, SIZE, reading->allocation_count - 1, size);
	set(reading, TRACE, reading->allocation_count - 1, trace);
	return PERUN_OK;
}

/* What was alive at the last peak is kept before the first change after it. */
static void save_peak(struct reading *reading, size_t i)
{
	if (get(reading, SAVED, i) == reading->peak)
		return;
	set(reading, AT_PEAK, i, get(reading, LIVE, i));
	set(reading, SAVED, i, reading->peak);
}

/* "+ ALLOCATION", "- ALLOCATION": one that is freed at once is temporary. */
static int read_change(struct reading *reading, const char *line)
{
	const char *at = line + 1;
	uint64_t number, live;

	if (!take(&at, &number) || number >= reading->allocation_count)
		return wrong(reading, "the number of an allocation before it", line);
	save_peak(reading, number);
	live = get(reading, LIVE, number);
	if (*line == '+') {
		add(reading, COUNT, number, 1);
		set(reading, LIVE, number, live + 1);
		reading->heap += get(reading, SIZE, number);
		reading->last = number + 1;
		if (reading->heap > reading->most) {
			reading->most = reading->heap;
			reading->peak++;
		}
		return PERUN_OK;
	}
	if (!live)
		return wrong(reading, "something that is allocated to be freed", line);
	set(reading, LIVE, number, live - 1);
	if (reading->last == number + 1)
		add(reading, TEMPORARY, number, 1);
	reading->heap -= get(reading, SIZE, number);
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

static int add_row(struct reading *reading, const unsigned metrics[5], size_t i)
{
	double size = (double)get(reading, SIZE, i), count = (double)get(reading, COUNT, i);
	uint64_t trace = get(reading, TRACE, i);
	perun_id path = trace ? reading->traces[trace - 1] : PERUN_NO_ID, stack;
	int status;

	save_peak(reading, i);
	if (count == 0)
		return PERUN_OK;
	status = stacks_of_path(reading->stacks, path, &stack);
	if (status)
		return status;
	stacks_value(reading->stacks, metrics[0], size * (double)get(reading, AT_PEAK, i));
	stacks_value(reading->stacks, metrics[1], size * count);
	stacks_value(reading->stacks, metrics[2], count);
	stacks_value(reading->stacks, metrics[3], (double)get(reading, TEMPORARY, i));
	stacks_value(reading->stacks, metrics[4], size * (double)get(reading, LIVE, i));
	stacks_add(reading->stacks, stack);
	return PERUN_OK;
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

	for (size_t i = 0; i < 5; i++)
		numbers[i] = stacks_exact(reading->stacks, metrics[i].name, metrics[i].unit);
	for (size_t i = 0; !status && i < reading->allocation_count; i++)
		status = add_row(reading, numbers, i);
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
	for (size_t i = 0; i < FACTS; i++)
		perun_free(reading.allocations[i].numbers);
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
