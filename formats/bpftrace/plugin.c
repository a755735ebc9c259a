/* SPDX-License-Identifier: BSD-3-Clause */
/* bpftrace: maps whose keys hold stacks: "@NAME[", frames from the leaf on, "]: COUNT". */
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	perun_id *frames;
	size_t count, room;
	char *map; /* its name; NULL: between maps */
	uint64_t begin;
};

/* "func+163", "func+163 (/lib/x.so)", "7f00 func+3 (mod)", "0x7f1234": without the offset. */
static perun_id location_of(struct reading *reading, char *text, size_t length)
{
	struct stacks_frame frame = {.name = text};
	perun_id known = stacks_recall(reading->stacks, text, length);
	size_t digits;
	char *open = length && text[length - 1] == ')' ? strrchr(text, '(') : NULL, *plus;

	if (known != PERUN_NO_ID)
		return known;
	digits = strspn(text, "0123456789abcdef");
	if (open > text + 1 && open[-1] == ' ') {
		frame.module = open + 1;
		frame.module_length = length - (size_t)(open + 2 - text);
		if (!frame.module_length)
			frame.module = NULL;
		length = (size_t)(open - 1 - text);
		text[length] = '\0';
	}
	if (digits >= 8 && text[digits] == ' ') {
		frame.address = strtoull(text, NULL, 16);
		text += digits + 1;
		length -= digits + 1;
	} else if (strncmp(text, "0x", 2) == 0) {
		frame.address = strtoull(text, NULL, 16);
	}
	plus = strrchr(text, '+');
	if (plus > text && plus[1] && plus[1 + strspn(plus + 1, "0123456789")] == '\0')
		*plus = '\0';
	frame.name = *text ? text : "(unknown)";
	return stacks_keep(reading->stacks, stacks_frame(reading->stacks, &frame));
}

/* "]: 113", ", swapper/0, 12]: 113", "]: count 3, average 5, total 15" */
static int end_map(struct reading *reading, char *line, char *close)
{
	char *end, *total = strstr(close, "total ");
	unsigned metric;
	double value;
	perun_id stack;
	int status;

	value = perun_strtod(total ? total + 6 : close + 2 + strspn(close + 2, " "), &end);
	if (end == close + 2 + strspn(close + 2, " "))
		return stacks_wrong_line(reading->ctx, reading->lines, "a number after ']:'", line);
	metric = stacks_metric(reading->stacks, *reading->map ? reading->map : "samples", "");
	*close = '\0';
	line += strspn(line, " ,");
	if (*line)
		stacks_label(reading->stacks, "key", line, strlen(line));
	status = stacks_make(reading->stacks, reading->frames, reading->count, true, &stack);
	if (status)
		return status;
	stacks_value(reading->stacks, metric, value);
	stacks_add(reading->stacks, stack);
	reading->count = 0;
	perun_free(reading->map);
	reading->map = NULL;
	return PERUN_OK;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	char *close, *open, *end;

	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	end = line + length;
	if (!reading->map) {
		open = strchr(line, '[');
		/* Of a map without stacks the key and the value are on one line. */
		if (*line == '@' && open && !strstr(line, "]: ")) {
			reading->map = perun_strndup(line + 1, (size_t)(open - line - 1));
			reading->begin = perun_lines_number(reading->lines);
		}
		return PERUN_OK;
	}
	close = *line == ']' || *line == ',' ? strstr(line, "]: ") : NULL;
	if (close)
		return end_map(reading, line, close);
	while (*line == ' ' || *line == '\t')
		line++;
	if (!*line || strcmp(line, ",") == 0)
		return PERUN_OK; /* between the stacks of a key */
	if (*line == ',') {
		line += strspn(line, ", ");
		stacks_label(reading->stacks, "key", line, strlen(line));
		return PERUN_OK;
	}
	PERUN_GROW(reading->frames, reading->count, reading->room);
	reading->frames[reading->count++] = location_of(reading, line, (size_t)(end - line));
	return PERUN_OK;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	(void)instance;
	reading.stacks = stacks_begin(ctx, builder, "bpftrace", NULL);
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	if (!status && reading.map)
		status = perun_fail(ctx, PERUN_INPUT,
				    "line %llu: the map that begins here has no end",
				    (unsigned long long)reading.begin);
	perun_lines_free(reading.lines);
	perun_free(reading.frames);
	perun_free(reading.map);
	return stacks_end(reading.stacks, status);
}

/* A line that begins with '@' and ends in '['. */
static int probe_format(const struct perun_probe *probe)
{
	const char *at = probe->data, *end = at + probe->size;

	while (!probe->directory && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		if (stop > at && stop[-1] == '\r')
			stop--;
		if (stop - at >= 2 && *at == '@' && at[1] != ' ' && stop[-1] == '[')
			return 90;
		if (!newline)
			break;
		at = newline + 1;
	}
	return 0;
}

static const char *const marks[] = {"@", NULL};

FORMAT_PLUGIN(bpftrace, "bpftrace", "stacks in maps of bpftrace", NULL, .patterns = "*.bt.out",
	      .contains = marks, .probe = probe_format, .read = read_format);
