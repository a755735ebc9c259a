/* SPDX-License-Identifier: BSD-3-Clause */
/* The text: a table of call stacks, the callers one blank less deep. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "ghc-prof.h"

/* "no. entries %time %alloc %time %alloc", and with -P "ticks bytes": what follows name, module and source. */
enum { NUMBERS = 6, MAX_NUMBERS = 8 };

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	struct stacks_path path;
	struct perun_buffer name;
	unsigned time, alloc, entries;
	double tick, total_time, total_alloc; /* in us, us, bytes */
	size_t numbers;                       /* 0: before the table */
	bool source, begun;
};

static double number_in(const char *text)
{
	char digits[64];
	size_t length = 0;

	for (text += strspn(text, " ="); strchr("0123456789.,", *text) && *text && length < 63;
	     text++)
		if (*text != ',')
			digits[length++] = *text;
	digits[length] = '\0';
	return perun_strtod(digits, NULL);
}

/* "total time  =        0.02 secs   (23 ticks @ 1000 us, 1 processor)" */
static void read_totals(struct reading *reading, const char *line)
{
	const char *time = strstr(line, "total time"), *alloc = strstr(line, "total alloc");
	const char *at = strstr(line, "ticks @");

	if (time)
		reading->total_time = number_in(time + 10) * 1e6;
	if (time && at) {
		reading->tick = number_in(at + 7);
		if (strstr(at, " ms"))
			reading->tick *= 1e3;
	}
	if (alloc)
		reading->total_alloc = number_in(alloc + 11);
}

/* The headings of the table of stacks have "entries"; those of the list above it do not. */
static bool read_headings(struct reading *reading, const char *line)
{
	if (!strstr(line, "COST CENTRE") || !strstr(line, "entries"))
		return false;
	reading->numbers = strstr(line, "ticks") && strstr(line, "bytes") ? MAX_NUMBERS : NUMBERS;
	reading->source = strstr(line, " SRC") != NULL;
	return true;
}

/* Take numbers from the end of the line; false: there are not as many. */
static bool take_numbers(struct reading *reading, char *line, size_t length,
			 double numbers[MAX_NUMBERS])
{
	for (size_t i = reading->numbers; i-- > 0;) {
		char *end;

		while (length && line[length - 1] == ' ')
			line[--length] = '\0';
		while (length && line[length - 1] != ' ')
			length--;
		numbers[i] = perun_strtod(line + length, &end);
		if (!length || end == line + length || *end)
			return false;
		line[length - 1] = '\0';
		length--;
	}
	while (length && line[length - 1] == ' ')
		line[--length] = '\0';
	return true;
}

static int add_row(struct reading *reading, const double numbers[MAX_NUMBERS])
{
	bool exact = reading->numbers == MAX_NUMBERS;
	double time = exact ? numbers[6] * reading->tick : numbers[2] / 100 * reading->total_time;
	double alloc = exact ? numbers[7] : numbers[3] / 100 * reading->total_alloc;
	perun_id stack;
	int status;

	if (time == 0 && alloc == 0 && numbers[1] == 0)
		return PERUN_OK;
	status = stacks_path_stack(reading->stacks, &reading->path, reading->path.count, &stack);
	if (status)
		return status;
	stacks_value(reading->stacks, reading->time, time);
	stacks_value(reading->stacks, reading->alloc, alloc);
	stacks_value(reading->stacks, reading->entries, numbers[1]);
	stacks_add(reading->stacks, stack);
	return PERUN_OK;
}

/* "  main.c    Main    Main.hs:5:1-9    307    1   0.1 …" */
static int read_row(struct reading *reading, char *line, size_t length)
{
	double numbers[MAX_NUMBERS];
	size_t depth = strspn(line, " ");
	char *name, *module, *source;

	if (!take_numbers(reading, line, length, numbers))
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "a cost centre, its module and numbers", line);
	name = line + depth;
	module = name + strcspn(name, " ");
	if (*module)
		*module++ = '\0';
	module += strspn(module, " ");
	source = module + strcspn(module, " ");
	if (*source)
		*source++ = '\0';
	source += strspn(source, " ");
	if (!*name || !*module || depth > reading->path.count)
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "a cost centre one blank below its caller", name);
	stacks_path_set(&reading->path, depth,
			ghc_location(reading->stacks, &reading->name, module, name,
				     reading->source ? source : NULL));
	return add_row(reading, numbers);
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	if (!reading->numbers) {
		read_totals(reading, line);
		read_headings(reading, line);
		return PERUN_OK;
	}
	if (!length)
		return PERUN_OK;
	return read_row(reading, line, length);
}

int ghc_read_text(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks)
{
	struct reading reading = {
		.ctx = ctx, .lines = perun_lines_new(input, 0), .stacks = stacks, .tick = 1000};
	int status;

	reading.time = stacks_metric(stacks, "time", "us");
	reading.alloc = stacks_metric(stacks, "alloc", "bytes");
	reading.entries = stacks_exact(stacks, "entries", "");
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	stacks_sample(stacks, reading.time, reading.tick);
	perun_lines_free(reading.lines);
	stacks_path_free(&reading.path);
	perun_buffer_free(&reading.name);
	return status;
}
