/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading Extra-P's text format: sections PARAMETER, POINTS, METRIC, REGION, DATA, one a line. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/experiment.h>
#include <perun/json.h>

#include "extrap-text.h"

enum { PARAMETERS = 64, VALUES_AT_ONCE = 4096 };

/* What was measured, and where the file says so. */
struct block {
	perun_id region, metric;
	uint64_t line;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct perun_builder *builder;
	struct perun_experiment_rows rows;
	size_t parameter_count;
	perun_id first_point; /* others follow it */
	size_t point_count;
	perun_id metric, region; /* PERUN_NO_ID = none yet */
	size_t data;             /* DATA lines since the last METRIC or REGION */
	bool measured;
	struct block *blocks;
	size_t block_count, block_room;
	double *numbers;
	size_t number_count, number_room;
};

static int wrong(struct reading *reading, const char *format, ...) PERUN_PRINTF(2, 3);
static int wrong(struct reading *reading, const char *format, ...)
{
	va_list args;
	int status;

	va_start(args, format);
	status = perun_fail_va(reading->ctx, PERUN_INPUT, format, args);
	va_end(args);
	return perun_fail(reading->ctx, status, "line %" PRIu64,
			  perun_lines_number(reading->lines));
}

/* Runs of blanks become one; those at the ends go. */
static size_t squeeze(char *line)
{
	size_t length = 0;
	bool blank = false; /* since the last letter */

	for (const char *at = line; *at; at++) {
		if (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
			blank = length > 0;
			continue;
		}
		if (blank)
			line[length++] = ' ';
		blank = false;
		line[length++] = *at;
	}
	line[length] = '\0';
	return length;
}

static void add_number(struct reading *reading, double number)
{
	PERUN_GROW(reading->numbers, reading->number_count, reading->number_room);
	reading->numbers[reading->number_count++] = number;
}

static bool ends_number(char c)
{
	return c == '\0' || c == ' ' || c == '(' || c == ')';
}

/* The number at `*text`, which is moved after it. */
static int read_number(struct reading *reading, const char **text)
{
	size_t length = 0, used;
	double number;

	while (!ends_number((*text)[length]))
		length++;

	used = perun_json_scan_double(*text, length, &number);
	if (used == 0 || used != length) {
		char *shown = perun_strndup(*text, length < 40 ? length : 40);
		char *printable = perun_printable(shown);

		wrong(reading, "expected a number, found '%s'", printable);
		perun_free(shown);
		perun_free(printable);
		return PERUN_INPUT;
	}
	add_number(reading, number);
	*text += length;
	return PERUN_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

static int read_parameters(struct reading *reading, const char *text)
{
	if (reading->point_count)
		return wrong(reading, "PARAMETER after POINTS: name all parameters before");
	if (!*text)
		return wrong(reading, "expected the names of parameters after PARAMETER");
	while (*text) {
		size_t length = strcspn(text, " ");
		char *name = perun_strndup(text, length);
		perun_id id = perun_builder_parameter(reading->builder, name, NULL);

		perun_free(name);
		text += length + (text[length] == ' ');
		if (id >= reading->parameter_count) /* else it was named before */
			reading->parameter_count = (size_t)id + 1;
		if (reading->parameter_count > PARAMETERS)
			return wrong(reading, "more than %d parameters", PARAMETERS);
	}
	return PERUN_OK;
}

static int end_point(struct reading *reading)
{
	perun_id point;

	if (reading->number_count != reading->parameter_count)
		return wrong(reading,
			     "a point of %zu numbers, expected one for each of the %zu parameters",
			     reading->number_count, reading->parameter_count);
	point = perun_builder_point(reading->builder, reading->numbers, reading->number_count);
	reading->number_count = 0;
	/* New points have larger numbers than all before. */
	if (!reading->point_count)
		reading->first_point = point;
	else if (point < reading->first_point + reading->point_count)
		return wrong(reading, "point %zu is repeated as point %zu",
			     (size_t)(point - reading->first_point) + 1, reading->point_count + 1);
	reading->point_count++;
	return PERUN_OK;
}

/*
 * "(20 1) (20 2)", "((20) (1)) ((20) (2))", "20 30" for one parameter. An outer parenthesis is a point,
 * one inside it a coordinate.
 */
static int read_points(struct reading *reading, const char *text)
{
	bool braces = strchr(text, '(') != NULL;
	int depth = 0, status = PERUN_OK;

	if (reading->parameter_count == 0)
		return wrong(reading, "POINTS before any PARAMETER");
	reading->number_count = 0;
	while (*text && !status) {
		if (*text == ' ') {
			text++;
		} else if (*text == '(') {
			if (++depth > 2)
				return wrong(reading, "parentheses within a coordinate");
			text++;
		} else if (*text == ')') {
			if (--depth < 0)
				return wrong(reading, "')' without '('");
			text++;
			if (depth == 0)
				status = end_point(reading);
		} else {
			if (braces && depth == 0)
				return wrong(reading, "a number outside of the parentheses");
			status = read_number(reading, &text);
			if (!status && !braces && reading->number_count == 1 &&
			    reading->parameter_count == 1)
				status = end_point(reading);
		}
	}
	if (!status && depth)
		return wrong(reading, "a '(' is not closed");
	if (!status && reading->number_count)
		return wrong(reading,
			     "points of %zu coordinates are written in parentheses: (1 2) (3 4)",
			     reading->parameter_count);
	return status;
}

/* The last block must have been complete, as far as it was begun. */
static int end_block(struct reading *reading)
{
	if (reading->data && reading->data != reading->point_count)
		return wrong(
			reading,
			"%zu DATA lines before this one, expected one for each of the %zu points",
			reading->data, reading->point_count);
	reading->data = 0;
	return PERUN_OK;
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Whoever repeats a block meant another region, or repetitions, which are in one line. */
static int check_blocks(struct reading *reading)
{
	struct block *blocks = reading->blocks;

	if (reading->block_count)
		qsort(blocks, reading->block_count, sizeof *blocks, compare_blocks);
	for (size_t i = 1; i < reading->block_count; i++)
		if (blocks[i].region == blocks[i - 1].region &&
		    blocks[i].metric == blocks[i - 1].metric)
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "line %" PRIu64
					  ": this REGION and METRIC were already measured from "
					  "line %" PRIu64
					  " on: repeated values belong in one DATA line",
					  blocks[i].line, blocks[i - 1].line);
	return PERUN_OK;
}

/* Where the numbers of a DATA line belong. */
static void begin_data(struct reading *reading)
{
	if (reading->metric == PERUN_NO_ID)
		reading->metric = perun_builder_metric(reading->builder, "", 0);
	if (reading->data == 0) {
		PERUN_GROW(reading->blocks, reading->block_count, reading->block_room);
		reading->blocks[reading->block_count++] = (struct block){
			reading->region, reading->metric, perun_lines_number(reading->lines)};
	}
}

static void add_values(struct reading *reading)
{
	perun_experiment_add(&reading->rows, reading->region, reading->metric,
			     reading->first_point + (perun_id)reading->data, reading->numbers,
			     reading->number_count);
	reading->number_count = 0;
}

static int read_data(struct reading *reading, const char *text)
{
	int status = PERUN_OK;

	if (reading->point_count == 0)
		return wrong(reading, "DATA before any %s",
			     reading->parameter_count ? "POINTS" : "PARAMETER");
	if (reading->region == PERUN_NO_ID)
		return wrong(reading, "DATA before any REGION: name the call path");
	if (reading->data == reading->point_count)
		return wrong(reading, "more DATA lines than the %zu points", reading->point_count);
	if (!*text)
		return wrong(reading, "expected values after DATA");
	begin_data(reading);
	reading->number_count = 0;
	while (*text && !status) {
		text += *text == ' ';
		status = read_number(reading, &text);
		if (reading->number_count == VALUES_AT_ONCE)
			add_values(reading);
	}
	if (status)
		return status;
	add_values(reading);
	reading->data++;
	reading->measured = true;
	return PERUN_OK;
}

static int read_section(struct reading *reading, char *line)
{
	char *text = strchr(line, ' ');
	size_t name = text ? (size_t)(text - line) : strlen(line);
	const char *rest = text ? text + 1 : "";
	int status;

#define IS(NAME) (name == strlen(NAME) && memcmp(line, NAME, name) == 0)
	if (IS("PARAMETER"))
		return read_parameters(reading, rest);
	if (IS("POINTS"))
		return read_points(reading, rest);
	if (IS("METRIC")) {
		status = end_block(reading);
		reading->metric = perun_builder_metric(reading->builder, rest, strlen(rest));
		return status;
	}
	if (IS("REGION")) {
		status = end_block(reading);
		reading->region = perun_builder_callpath(reading->builder, rest, strlen(rest));
		return status;
	}
	if (IS("DATA"))
		return read_data(reading, rest);
#undef IS
	{
		char *printable;

		line[name < 40 ? name : 40] = '\0';
		printable = perun_printable(line);
		status = wrong(reading,
			       "expected PARAMETER, POINTS, METRIC, REGION or DATA at its start, "
			       "found '%s'",
			       printable);
		perun_free(printable);
	}
	return status;
}

static int read_line(struct reading *reading, char *line, size_t length)
{
	bool indented = *line == ' ' || *line == '\t';

	if (strlen(line) != length)
		return wrong(reading, "a byte 0, expected text");
	if (line[0] == '#' || squeeze(line) == 0)
		return PERUN_OK;
	if (indented)
		return wrong(reading, "the section's name is not at the start of the line");
	return read_section(reading, line);
}

int extraptext_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder)
{
	struct reading reading = {
		.ctx = ctx, .builder = builder, .metric = PERUN_NO_ID, .region = PERUN_NO_ID};
	size_t length;
	char *line;
	int status;

	(void)instance;
	perun_experiment_begin(builder, &reading.rows);
	reading.lines = perun_lines_new(input, 0);
	while (!(status = perun_lines_next(ctx, reading.lines, &line, &length)) && line) {
		status = read_line(&reading, line, length);
		if (status)
			break;
	}
	if (!status)
		status = end_block(&reading);
	if (!status)
		status = check_blocks(&reading);
	if (!status && !reading.measured)
		status = wrong(&reading, "the file ends without any DATA");
	perun_lines_free(reading.lines);
	perun_free(reading.blocks);
	perun_free(reading.numbers);
	return status;
}
