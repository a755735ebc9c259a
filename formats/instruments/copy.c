/* SPDX-License-Identifier: BSD-3-Clause */
/* Edit > Deep Copy: the call tree with tabs between columns; what a function calls is one blank deeper. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "instruments.h"

enum { FIELDS = 16 };

enum kind { UNKNOWN, TIME, BYTES, CYCLES };

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	struct stacks_tree tree;
	size_t columns, symbol;
	size_t self;      /* column of the time of the function alone; 0 = none */
	double self_unit; /* in ms */
	size_t margin;    /* blanks before the outermost function */
	enum kind kind;
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
	return PERUN_OK;
}

/* "2126.0ms   49.7%", "1.20 s", "217.09 MB  50.4%", "96.08 Gc": in ms, bytes or cycles; NaN when it is none of these.
 */
static double amount_of(struct reading *reading, const char *text)
{
	static const struct {
		const char *name;
		double factor;
		enum kind kind;
	} units[] = {
		{"ms", 1, TIME},         {"\xc2\xb5s", 1e-3, TIME},    {"us", 1e-3, TIME},
		{"ns", 1e-6, TIME},      {"min", 60e3, TIME},          {"s", 1e3, TIME},
		{"h", 3600e3, TIME},     {"Bytes", 1, BYTES},          {"bytes", 1, BYTES},
		{"KB", 1024, BYTES},     {"KiB", 1024, BYTES},         {"MB", 1048576, BYTES},
		{"MiB", 1048576, BYTES}, {"GB", 1073741824, BYTES},    {"GiB", 1073741824, BYTES},
		{"B", 1, BYTES},         {"TB", 1099511627776, BYTES}, {"cycles", 1, CYCLES},
		{"Kc", 1e3, CYCLES},     {"Mc", 1e6, CYCLES},          {"Gc", 1e9, CYCLES},
		{"Tc", 1e12, CYCLES}};
	char *end;
	double value = perun_strtod(text + strspn(text, " "), &end);

	if (end == text)
		return NAN;
	end += strspn(end, " ");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t length = strlen(units[i].name);

		if (strncmp(end, units[i].name, length) != 0 || !strchr(" \t%", end[length]))
			continue;
		if (reading->kind == UNKNOWN)
			reading->kind = units[i].kind;
		if (units[i].kind == reading->kind)
			return value * units[i].factor;
	}
	return value == 0 || !*end ? value : NAN;
}

/* The first amount says what is counted. */
static double first_amount(struct reading *reading, const char *text)
{
	static const struct {
		const char *name, *unit;
	} metrics[] = {[UNKNOWN] = {"time", "ms"},
		       [TIME] = {"time", "ms"},
		       [BYTES] = {"space", "bytes"},
		       [CYCLES] = {"cycles", "count"}};
	double amount = amount_of(reading, text);

	if (reading->kind == UNKNOWN)
		reading->kind = TIME;
	reading->tree.metric = stacks_metric(reading->stacks, metrics[reading->kind].name,
					     metrics[reading->kind].unit);
	return amount;
}

/* With a column of its own, the time of the function alone; else what those below leave. */
static int add_row(struct reading *reading, char *fields[FIELDS], size_t depth, perun_id frame)
{
	double amount = reading->kind == UNKNOWN ? first_amount(reading, fields[0])
						 : amount_of(reading, fields[0]);
	double own;
	perun_id stack;
	int status;

	if (isnan(amount))
		return stacks_wrong_line(reading->ctx, reading->lines, "a time, a size or cycles",
					 fields[0]);
	if (!reading->self || reading->kind == BYTES)
		return stacks_tree_open(&reading->tree, depth, frame, amount);
	stacks_path_set(&reading->tree.path, depth, frame);
	own = isnan(reading->self_unit)
		      ? amount_of(reading, fields[reading->self])
		      : perun_strtod(fields[reading->self], NULL) * reading->self_unit;
	if (!(own > 0))
		return PERUN_OK;
	status = stacks_path_stack(reading->stacks, &reading->tree.path, depth + 1, &stack);
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
	if (reading->kind == UNKNOWN)
		reading->margin = depth;
	depth -= depth < reading->margin ? depth : reading->margin;
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
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	if (!status && (!reading.self || reading.kind == BYTES))
		status = stacks_tree_close(&reading.tree, 0);
	perun_lines_free(reading.lines);
	stacks_tree_free(&reading.tree);
	return status;
}
