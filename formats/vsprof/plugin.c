/* SPDX-License-Identifier: BSD-3-Clause */
/* vsprof: call trees of Visual Studio's profiler, the CallTreeSummary of vsperfreport as CSV. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/csv.h"
#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

/* Columns, by their headings. */
enum { LEVEL, NAME, CALLS, SHARE, MODULE, COLUMNS };

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	struct csv_line csv;
	struct stacks_path path;
	char separator;
	size_t headings;         /* 0: they were not read yet */
	size_t columns[COLUMNS]; /* SIZE_MAX = none */
	unsigned share, calls;   /* metrics */
};

static const char *const names[COLUMNS] = {"Level", "Function Name", "Number of Calls",
					   "Elapsed Exclusive Time %", "Module Name"};

static int read_headings(struct reading *reading, char *line)
{
	reading->separator = csv_separator(line);
	if (!csv_split(&reading->csv, line, reading->separator))
		return stacks_wrong_line(reading->ctx, reading->lines, "headings of columns", line);
	reading->headings = reading->csv.count;
	for (size_t column = 0; column < COLUMNS; column++) {
		reading->columns[column] = SIZE_MAX;
		for (size_t i = 0; i < reading->headings; i++)
			if (strcmp(reading->csv.fields[i], names[column]) == 0)
				reading->columns[column] = i;
		if (reading->columns[column] == SIZE_MAX && column <= SHARE)
			return perun_fail(reading->ctx, PERUN_INPUT, "expected the column \"%s\"",
					  names[column]);
	}
	return PERUN_OK;
}

/* "2,893,824": digits in groups of three after the first, all with the same separator. False: not such a number. */
static bool read_count(const char *text, double *count)
{
	char separator = '\0';
	size_t group = 0;

	*count = 0;
	for (const char *at = text; *at; at++) {
		if (*at >= '0' && *at <= '9') {
			*count = *count * 10 + (*at - '0');
			group++;
			continue;
		}
		if (!strchr(",. ", *at) || (separator ? *at != separator || group != 3 : group > 3))
			return false;
		separator = *at;
		group = 0;
	}
	return separator ? group == 3 : group > 0;
}

/* "18.39", "18,39" */
static bool read_share(char *text, double *share)
{
	char *comma = strchr(text, ','), *end;

	if (comma)
		*comma = '.';
	*share = perun_strtod(text, &end);
	return end != text && !*end && *share >= 0;
}

static perun_id location_of(struct reading *reading)
{
	char **fields = reading->csv.fields;
	struct stacks_frame frame = {.name = fields[reading->columns[NAME]]};

	if (reading->columns[MODULE] != SIZE_MAX && *fields[reading->columns[MODULE]])
		frame.module = fields[reading->columns[MODULE]];
	return stacks_frame(reading->stacks, &frame);
}

/* 2,"N.f(int32)","2,893,824",54.37,4.21,0.04,0.00,"program.exe", where level 0 is the process. */
static int read_row(struct reading *reading, char *line)
{
	char **fields;
	double level, calls, share;
	perun_id stack;
	int status;

	if (!csv_split(&reading->csv, line, reading->separator) ||
	    reading->csv.count != reading->headings)
		return stacks_wrong_line(reading->ctx, reading->lines, "as many fields as headings",
					 line);
	fields = reading->csv.fields;
	if (!read_count(fields[reading->columns[LEVEL]], &level) || level > 1e6)
		return stacks_wrong_line(reading->ctx, reading->lines, "a level",
					 fields[reading->columns[LEVEL]]);
	if (!read_count(fields[reading->columns[CALLS]], &calls))
		return stacks_wrong_line(reading->ctx, reading->lines, "a number of calls",
					 fields[reading->columns[CALLS]]);
	if (!read_share(fields[reading->columns[SHARE]], &share))
		return stacks_wrong_line(reading->ctx, reading->lines, "a percentage",
					 fields[reading->columns[SHARE]]);
	if (level == 0) {
		stacks_command(reading->stacks, fields[reading->columns[NAME]]);
		return PERUN_OK;
	}
	if (level > (double)reading->path.count + 1)
		return stacks_wrong_line(reading->ctx, reading->lines,
					 "a function one level below its caller",
					 fields[reading->columns[NAME]]);
	stacks_path_set(&reading->path, (size_t)level - 1, location_of(reading));
	status = stacks_path_stack(reading->stacks, &reading->path, (size_t)level, &stack);
	if (status || (share == 0 && calls == 0))
		return status;
	stacks_value(reading->stacks, reading->share, share);
	stacks_value(reading->stacks, reading->calls, calls);
	stacks_add(reading->stacks, stack);
	return PERUN_OK;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	if (length && line[length - 1] == '\r')
		line[--length] = '\0';
	if (!length)
		return PERUN_OK;
	return reading->headings ? read_row(reading, line) : read_headings(reading, line);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	reading.stacks = stacks_begin(ctx, builder, "vsprof", instance);
	reading.share = stacks_measured(reading.stacks, "time", "%");
	reading.calls = stacks_metric(reading.stacks, "calls", "");
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	perun_lines_free(reading.lines);
	stacks_path_free(&reading.path);
	perun_free(reading.csv.fields);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && probe_has(probe, "Function Name") &&
			       probe_has(probe, "Number of Calls") &&
			       probe_has(probe, "Elapsed Exclusive Time %")
		       ? 95
		       : 0;
}

static const char *const marks[] = {"Elapsed Exclusive Time %", NULL};

FORMAT_PLUGIN(vsprof, "vsprof", "call trees of Visual Studio's profiler as CSV",
	      stacks_option_table, .open = stacks_open, .close = stacks_close,
	      .patterns = "CallTreeSummary*.csv", .contains = marks, .probe = probe_format,
	      .read = read_format);
