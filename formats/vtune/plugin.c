/* SPDX-License-Identifier: BSD-3-Clause */
/* vtune: the call stacks of Intel VTune as CSV: vtune -report top-down -format csv. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/csv.h"
#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	struct csv_line csv;
	struct stacks_path path;
	char separator;
	size_t columns;             /* 0: the headings were not read yet */
	int *metrics;               /* of each column; -1 = none */
	size_t stack, module, file; /* columns; SIZE_MAX = none */
	bool total;                 /* the first line is the sum */
};

static bool ends_in(const char *text, const char *ending)
{
	size_t length = strlen(text), size = strlen(ending);

	return length >= size && strcmp(text + length - size, ending) == 0;
}

static int read_headings(struct reading *reading, char *line)
{
	bool found = false;

	reading->separator = csv_separator(line);
	if (!csv_split(&reading->csv, line, reading->separator))
		return stacks_wrong_line(reading->ctx, reading->lines, "headings of columns", line);
	reading->columns = reading->csv.count;
	reading->metrics = perun_alloc_zero(reading->columns, sizeof *reading->metrics);
	reading->stack = reading->module = reading->file = SIZE_MAX;
	for (size_t i = 0; i < reading->columns; i++) {
		char *name = reading->csv.fields[i];

		reading->metrics[i] = -1;
		if (strcmp(name, "Function Stack") == 0) {
			reading->stack = i;
		} else if (strcmp(name, "Module") == 0) {
			reading->module = i;
		} else if (strcmp(name, "Source File") == 0) {
			reading->file = i;
		} else if (ends_in(name, ":Self")) {
			name[strlen(name) - 5] = '\0';
			reading->metrics[i] = (int)stacks_metric(reading->stacks, name,
								 strstr(name, "Time") ? "s" : "");
			found = true;
		}
	}
	if (reading->stack == SIZE_MAX || !found)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected the columns \"Function Stack\" and \"…:Self\"");
	return PERUN_OK;
}

static perun_id location_of(struct reading *reading, const char *name)
{
	char **fields = reading->csv.fields;
	struct stacks_frame frame = {.name = name};

	if (reading->module != SIZE_MAX && *fields[reading->module] &&
	    *fields[reading->module] != '[')
		frame.module = fields[reading->module];
	if (reading->file != SIZE_MAX && *fields[reading->file] && *fields[reading->file] != '[')
		frame.file = fields[reading->file];
	return stacks_frame(reading->stacks, &frame);
}

/* "0.015", "15.6ms", "" */
static bool read_value(struct reading *reading, unsigned metric, const char *text, bool *any)
{
	char *end;
	double value = perun_strtod(text, &end);

	if (end == text)
		return !*text;
	if (strcmp(end, "ms") == 0)
		value /= 1e3;
	else if (strcmp(end, "us") == 0)
		value /= 1e6;
	else if (*end && strcmp(end, "s") != 0)
		return false;
	if (value != 0) {
		stacks_value(reading->stacks, metric, value);
		*any = true;
	}
	return true;
}

/* The row of the total adds nothing, but it has to be one. */
static int check_total(struct reading *reading)
{
	for (size_t i = 0; i < reading->columns; i++) {
		char *end;

		if (reading->metrics[i] < 0 || !*reading->csv.fields[i])
			continue;
		perun_strtod(reading->csv.fields[i], &end);
		if (end == reading->csv.fields[i])
			return stacks_wrong_line(reading->ctx, reading->lines, "a number",
						 reading->csv.fields[i]);
	}
	reading->total = true;
	return PERUN_OK;
}

static int read_row(struct reading *reading, size_t depth)
{
	bool any = false;
	perun_id stack;
	int status;

	for (size_t i = 0; i < reading->columns; i++)
		if (reading->metrics[i] >= 0 && !read_value(reading, (unsigned)reading->metrics[i],
							    reading->csv.fields[i], &any))
			return stacks_wrong_line(reading->ctx, reading->lines, "a number",
						 reading->csv.fields[i]);
	if (!any)
		return PERUN_OK;
	status = stacks_path_stack(reading->stacks, &reading->path, depth + 1, &stack);
	if (!status)
		stacks_add(reading->stacks, stack);
	return status;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	const char *name;
	size_t depth;

	(void)length;
	if (!line[strspn(line, " \t")])
		return PERUN_OK;
	if (!reading->columns)
		return read_headings(reading, line);
	if (!csv_split(&reading->csv, line, reading->separator) ||
	    reading->csv.count != reading->columns)
		return stacks_wrong_line(reading->ctx, reading->lines, "as many fields as headings",
					 line);
	name = reading->csv.fields[reading->stack];
	depth = strspn(name, " ");
	name += depth;
	if (depth == 0 && strcmp(name, "Total") == 0)
		return check_total(reading);
	depth -= reading->total && depth;
	if (depth > reading->path.count || !*name)
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "a function one blank below its caller", name);
	stacks_path_set(&reading->path, depth, location_of(reading, name));
	return read_row(reading, depth);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	(void)instance;
	reading.stacks = stacks_begin(ctx, builder, "vtune", NULL);
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	perun_lines_free(reading.lines);
	stacks_path_free(&reading.path);
	perun_free(reading.csv.fields);
	perun_free(reading.metrics);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && stacks_begins(probe, "Function Stack") &&
			       probe_has(probe, ":Self")
		       ? 95
		       : 0;
}

static const char *const marks[] = {":Self", NULL};

FORMAT_PLUGIN(vtune, "vtune", "call stacks of VTune as CSV", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
