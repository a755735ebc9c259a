/* SPDX-License-Identifier: BSD-3-Clause */
/* dtrace: aggregations of stack() and ustack(), also of SystemTap: frames from the leaf on, then the count. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	unsigned metric;
	perun_id *frames;
	size_t count, room;
	struct perun_buffer name;
	bool begun; /* after the headings, which an empty line ends */
};

static bool is_count(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return length > 0 && length < 19;
}

static bool is_hex_number(const char *text, size_t length)
{
	return length && strspn(text, "0123456789abcdef") >= length;
}

/* Whether a line is a frame of SystemTap: "0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]", perhaps "(inexact)". */
static bool is_tap_frame(const char *text, size_t length)
{
	size_t at = 2;

	if (length < 8 || text[0] != '0' || text[1] != 'x')
		return false;
	while (at < length && strchr("0123456789abcdef", text[at]) && text[at])
		at++;
	return at > 2 && at + 3 < length && memcmp(text + at, " : ", 3) == 0;
}

/* Such a frame without offset and size. */
static perun_id tap_location_of(struct reading *reading, const char *text, size_t length)
{
	static const char inexact[] = " (inexact)";
	struct stacks_frame frame = {.address = strtoull(text, NULL, 16)};
	const char *name = strstr(text, " : ") + 3, *end = text + length, *open, *plus;

	if (end - name > 10 && memcmp(end - 10, inexact, 10) == 0)
		end -= 10;
	open = end > name && end[-1] == ']' ? memrchr(name, '[', (size_t)(end - name)) : NULL;
	if (open > name && open[-1] == ' ') {
		frame.module = open + 1;
		frame.module_length = (size_t)(end - 1 - frame.module);
		end = open - 1;
	}
	plus = memrchr(name, '+', (size_t)(end - name));
	if (plus > name && plus + 3 < end && plus[1] == '0' && plus[2] == 'x')
		end = plus;
	perun_buffer_clear(&reading->name);
	stacks_add_rust_name(&reading->name, name, (size_t)(end - name));
	frame.name = reading->name.length ? reading->name.data : "(unknown)";
	frame.length = reading->name.length;
	return stacks_keep(reading->stacks, stacks_frame(reading->stacks, &frame));
}

/* "libc.so.1`_lwp_start+0x4", "genunix`pwrite", "0x104d08831", "iscsid": without the offset. */
static perun_id location_of(struct reading *reading, const char *text, size_t length)
{
	const char *tick = memchr(text, '`', length), *plus;
	struct stacks_frame frame = {0};
	perun_id known = stacks_recall(reading->stacks, text, length);

	if (known != PERUN_NO_ID)
		return known;
	if (is_tap_frame(text, length))
		return tap_location_of(reading, text, length);
	if (tick && tick > text) {
		frame.module = text;
		frame.module_length = (size_t)(tick - text);
		length -= (size_t)(tick + 1 - text);
		text = tick + 1;
	}
	plus = memrchr(text, '+', length);
	if (plus > text && (size_t)(text + length - plus) > 3 && plus[1] == '0' && plus[2] == 'x' &&
	    is_hex_number(plus + 3, (size_t)(text + length - plus - 3)))
		length = (size_t)(plus - text);
	if (length > 2 && text[0] == '0' && text[1] == 'x')
		frame.address = strtoull(text, NULL, 16);
	perun_buffer_clear(&reading->name);
	stacks_add_rust_name(&reading->name, text, length);
	frame.name = reading->name.length ? reading->name.data : "(unknown)";
	frame.length = reading->name.length;
	return stacks_keep(reading->stacks, stacks_frame(reading->stacks, &frame));
}

static int end_stack(struct reading *reading, const char *count)
{
	perun_id stack;
	int status = stacks_make(reading->stacks, reading->frames, reading->count, true, &stack);

	if (status)
		return status;
	stacks_value(reading->stacks, reading->metric, (double)strtoull(count, NULL, 10));
	stacks_add(reading->stacks, stack);
	reading->count = 0;
	return PERUN_OK;
}

static void add_frame(struct reading *reading, const char *text, size_t length)
{
	PERUN_GROW(reading->frames, reading->count, reading->room);
	reading->frames[reading->count++] = location_of(reading, text, length);
}

/* "module`outer->inner": what is inlined comes first. C++ has arguments or "operator->". */
static void add_frames(struct reading *reading, const char *text, size_t length)
{
	size_t end = length;
	const char *arrow = memmem(text, length, "->", 2);

	if (!arrow || memchr(text, '(', length) || memmem(text, length, "operator", 8)) {
		add_frame(reading, text, length);
		return;
	}
	for (size_t at = length; at-- > 1;) {
		if (text[at] != '>' || text[at - 1] != '-' || at + 1 == end || at == 1)
			continue;
		add_frame(reading, text + at + 1, end - at - 1);
		end = --at;
	}
	add_frame(reading, text, end);
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	while (length && (*line == ' ' || *line == '\t')) {
		line++;
		length--;
	}
	if (!length) {
		reading->begun = true;
		return PERUN_OK;
	}
	if (!reading->begun && !memchr(line, '`', length) && !is_tap_frame(line, length))
		return PERUN_OK;
	reading->begun = true;
	if (is_count(line, length)) {
		if (!reading->count)
			return stacks_wrong_line(reading->ctx, reading->lines,
						 "frames before their count", line);
		return end_stack(reading, line);
	}
	add_frames(reading, line, length);
	return PERUN_OK;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	(void)instance;
	reading.stacks = stacks_begin(ctx, builder, "dtrace", NULL);
	reading.metric = stacks_metric(reading.stacks, "samples", "");
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	if (!status && reading.count)
		status = perun_fail(ctx, PERUN_INPUT,
				    "line %llu: expected the count of a stack, found the end: "
				    "the file seems to be cut off",
				    (unsigned long long)perun_lines_number(reading.lines));
	perun_lines_free(reading.lines);
	perun_free(reading.frames);
	perun_buffer_free(&reading.name);
	return stacks_end(reading.stacks, status);
}

/* "MODULE`FUNCTION": a file, not the marks of a quotation. */
static bool is_frame(const char *text, size_t length)
{
	const char *tick = memchr(text, '`', length);

	if (is_tap_frame(text, length))
		return true;
	if (!tick || tick == text || tick + 1 == text + length)
		return false;
	for (const char *c = text; c < tick; c++)
		if (strchr(" \t\"'(){}[]<>=,;", *c))
			return false;
	return true;
}

/* Indented frames, and lines of a number alone. */
static int probe_format(const struct perun_probe *probe)
{
	const char *at = probe->data, *end = at + probe->size;
	size_t frames = 0, counts = 0;

	if (probe->directory || memchr(probe->data, '\0', probe->size))
		return 0;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		size_t blanks = 0;

		while (at + blanks < stop && (at[blanks] == ' ' || at[blanks] == '\t'))
			blanks++;
		at += blanks;
		while (stop > at && strchr(" \t\r", stop[-1]))
			stop--;
		if (blanks && is_count(at, (size_t)(stop - at)))
			counts++;
		else if (blanks && is_frame(at, (size_t)(stop - at)))
			frames++;
		if (!newline)
			break;
		at = newline + 1;
	}
	if (frames && (counts || !probe->whole))
		return probe_has(probe, "FUNCTION:NAME") ? 95 : 75;
	return frames && probe_has(probe, "FUNCTION:NAME") ? 60 : 0;
}

static const char *const marks[] = {"`", " : ", NULL};

FORMAT_PLUGIN(dtrace, "dtrace", "stacks that DTrace or SystemTap counted", NULL,
	      .patterns = "*.dtrace", .contains = marks, .probe = probe_format,
	      .read = read_format);
