/* SPDX-License-Identifier: BSD-3-Clause */
/* Edit > Deep Copy: the call tree with tabs between columns; what a function calls is one blank deeper. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "instruments.h"

enum { FIELDS = 16 };

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	struct stacks_tree tree;
	size_t columns, symbol;
	size_t self;      /* column of the time of the function alone; 0 = none */
	double self_unit; /* in ms */
	bool bytes;
};

static size_t split(char *line, char *fields[FIELDS])
{
	size_t count = 0;

	for (char *at = line; at && count < FIELDS;) {
		fields[count++] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	return count;
}

/* "Running Time\tSelf (ms)\t\tSymbol Name", "Bytes Used\tCount\t\tSymbol Name" */
static int read_headings(struct reading *reading, char *line)
{
	char *fields[FIELDS];

	reading->columns = split(line, fields);
	for (size_t i = 0; i < reading->columns; i++) {
		if (strncmp(fields[i], "Symbol Name", 11) == 0)
			reading->symbol = i;
		else if (strncmp(fields[i], "Self", 4) == 0 && !strchr(fields[i], '%') && i)
			reading->self = i;
		if (i == reading->self && i)
			reading->self_unit = strstr(fields[i], "(ms)")  ? 1
					     : strstr(fields[i], "(s)") ? 1e3
									: NAN;
	}
	if (!reading->symbol)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "line 1: expected the heading \"Symbol Name\"");
	reading->bytes = strncmp(fields[0], "Bytes", 5) == 0;
	reading->tree.metric = reading->bytes ? stacks_metric(reading->stacks, "space", "bytes")
					      : stacks_metric(reading->stacks, "time", "ms");
	return PERUN_OK;
}

/* "2126.0ms   49.7%", "1.20 s", "217.09 MB  50.4%": in ms or bytes; NaN when it is none. */
static double amount_of(const struct reading *reading, const char *text)
{
	static const struct {
		const char *name;
		double factor;
		bool bytes;
	} units[] = {{"ms", 1, false},          {"\xc2\xb5s", 1e-3, false},
		     {"us", 1e-3, false},       {"ns", 1e-6, false},
		     {"min", 60e3, false},      {"s", 1e3, false},
		     {"h", 3600e3, false},      {"Bytes", 1, true},
		     {"bytes", 1, true},        {"KB", 1024, true},
		     {"KiB", 1024, true},       {"MB", 1048576, true},
		     {"MiB", 1048576, true},    {"GB", 1073741824, true},
		     {"GiB", 1073741824, true}, {"TB", 1099511627776, true},
		     {"cycles", 1, false},      {"B", 1, true}};
	char *end;
	double value = perun_strtod(text + strspn(text, " "), &end);

	if (end == text)
		return NAN;
	end += strspn(end, " ");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t length = strlen(units[i].name);

		if (units[i].bytes == reading->bytes && strncmp(end, units[i].name, length) == 0 &&
		    strchr(" \t%", end[length]))
			return value * units[i].factor;
	}
	return value == 0 || !*end ? value : NAN;
}

/* With a column of its own, the time of the function alone; else what those below leave. */
static int add_row(struct reading *reading, char *fields[FIELDS], size_t depth, perun_id frame)
{
	double amount = amount_of(reading, fields[0]), own;
	perun_id stack;
	int status;

	if (isnan(amount))
		return stacks_wrong_line(reading->ctx, reading->lines, "a time or a size",
					 fields[0]);
	if (!reading->self || reading->bytes)
		return stacks_tree_open(&reading->tree, depth, frame, amount);
	stacks_path_set(&reading->tree.path, depth, frame);
	own = isnan(reading->self_unit)
		      ? amount_of(reading, fields[reading->self])
		      : perun_strtod(fields[reading->self], NULL) * reading->self_unit;
	if (!(own > 0))
		return PERUN_OK;
	status = stacks_make(reading->stacks, reading->tree.path.frames, depth + 1, false, &stack);
	if (status)
		return status;
	stacks_value(reading->stacks, reading->tree.metric, own);
	stacks_add(reading->stacks, stack);
	return PERUN_OK;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	char *fields[FIELDS], *symbol;
	size_t count, depth;

	while (length && line[length - 1] == '\r')
		line[--length] = '\0';
	if (!length)
		return PERUN_OK;
	if (!reading->columns)
		return read_headings(reading, line);
	count = split(line, fields);
	if (count <= reading->symbol || count <= reading->self)
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "as many columns as headings", line);
	symbol = fields[reading->symbol];
	depth = strspn(symbol, " ");
	symbol += depth;
	if (!*symbol)
		return PERUN_OK;
	if (depth > reading->tree.path.count)
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "a function one blank below its caller", symbol);
	return add_row(reading, fields, depth,
		       stacks_name(reading->stacks, symbol, strlen(symbol)));
}

int instruments_read_copy(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0), .stacks = stacks};
	int status;

	reading.tree.stacks = stacks;
	status = read_each_line(ctx, reading.lines, read_line, &reading);
	if (!status && (!reading.self || reading.bytes))
		status = stacks_tree_close(&reading.tree, 0);
	perun_lines_free(reading.lines);
	stacks_tree_free(&reading.tree);
	return status;
}
