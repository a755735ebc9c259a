/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading folded stacks. */
#include <inttypes.h>
#include <string.h>

#include <perun/json.h>

#include "formats/common/stacks.h"

#include "collapsed.h"

enum { HEAD = 64 * 1024 };

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct perun_builder *builder;
	unsigned counts;         /* numbers of a line */
	bool guessed;            /* the numbers were: lines that are not stacks may be left out */
	const char *name, *unit; /* of one number */
	uint64_t good, bad, bad_number; /* lines; the first bad one */
	char *bad_line;
	perun_id *locations;      /* of the last stack, the root first */
	perun_id *turned;         /* the same, the leaf first */
	size_t location_room;     /* of both */
	struct perun_buffer last; /* its text */
	perun_id names;           /* that were met, but for "" */
	perun_id unnamed;         /* the frame without a name, PERUN_NO_ID = none yet */
	struct perun_table_builder *table;
	struct perun_column_builder *stacks, *values[2];
};

static const char stack_expected[] = "frames joined by ';', a blank and a number";

static int wrong(struct reading *reading, const char *expected, const char *line)
{
	return stacks_wrong_line(reading->ctx, reading->lines, expected, line);
}

/* Warnings of a tool between the stacks: what flamegraph.pl leaves out. */
static int skip_line(struct reading *reading, const char *line)
{
	if (reading->counts == 2 || !reading->guessed)
		return wrong(reading,
			     reading->counts == 2 ? "two numbers at the end, as in the lines before"
						  : stack_expected,
			     line);
	if (reading->bad++ == 0) {
		reading->bad_number = perun_lines_number(reading->lines);
		reading->bad_line = perun_strndup(line, 60);
	}
	return PERUN_OK;
}

/* A few such lines are named, with many of them it is another kind of file. */
static int judge_skipped(struct reading *reading)
{
	char *printable;

	if (!reading->bad)
		return PERUN_OK;
	if (reading->bad * COLLAPSED_GOOD_LINES > reading->good)
		return stacks_wrong_at(reading->ctx, reading->bad_number, stack_expected,
				       reading->bad_line);
	printable = perun_printable(reading->bad_line);
	perun_warn(reading->ctx,
		   "skipped %" PRIu64 " line%s without a number, first line %" PRIu64 ": '%s'",
		   reading->bad, reading->bad == 1 ? "" : "s", reading->bad_number, printable);
	perun_free(printable);
	return PERUN_OK;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static perun_id make_location(struct reading *reading, perun_id name)
{
	struct perun_function function = {.name = name, .system_name = name};
	struct perun_line line = {.function = perun_builder_function(reading->builder, &function)};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

	return perun_builder_location(reading->builder, &location);
}

/* Names become strings in a row, after "", and each gets a location at once, so that nothing has to be kept of where these are. */
static perun_id location_of(struct reading *reading, const char *name, size_t length)
{
	perun_id id = perun_builder_string(reading->builder, name, length);

	if (!length && reading->unnamed == PERUN_NO_ID)
		reading->unnamed = make_location(reading, id);
	if (!length)
		return reading->unnamed;
	if (id == reading->names + 1) {
		make_location(reading, id);
		reading->names++;
	}
	return id <= reading->unnamed ? id - 1 : id;
}

/* The bytes of whole frames, with what separates them, that a text begins with as the last one does. */
static size_t common_bytes(const struct reading *reading, const char *text, size_t length)
{
	const char *last = reading->last.data, *separator;
	size_t most = length < reading->last.length ? length : reading->last.length, at = 0;
	uint64_t a, b;

	for (; most - at >= sizeof a; at += sizeof a) {
		memcpy(&a, text + at, sizeof a);
		memcpy(&b, last + at, sizeof b);
		if (a != b)
			break;
	}
	while (at < most && text[at] == last[at])
		at++;
	separator = at ? memrchr(text, ';', at) : NULL;
	return separator ? (size_t)(separator - text) + 1 : 0;
}

static size_t count_separators(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += text[i] == ';';
	return count;
}

/*
 * "main;f;g", the root first; the stack of it has the leaf first. Lines are mostly sorted, so that most of a stack is as in the
 * line before; what is new is looked up from the leaf on.
 */
static perun_id make_stack(struct reading *reading, const char *text, size_t length)
{
	size_t common = common_bytes(reading, text, length), end = length;
	size_t known = count_separators(text, common);
	size_t count = known + count_separators(text + common, length - common) + 1;

	if (count > reading->location_room) {
		reading->location_room = count * 2;
		reading->locations = perun_realloc_array(reading->locations, reading->location_room,
							 sizeof *reading->locations);
		reading->turned = perun_realloc_array(reading->turned, reading->location_room,
						      sizeof *reading->turned);
	}
	for (size_t i = count; i-- > known;) {
		const char *separator = memrchr(text + common, ';', end - common);
		size_t start = separator ? (size_t)(separator - text) + 1 : common;

		reading->locations[i] = location_of(reading, text + start, end - start);
		end = start - 1;
	}
	for (size_t i = 0; i < count; i++)
		reading->turned[i] = reading->locations[count - 1 - i];
	perun_buffer_clear(&reading->last);
	perun_buffer_add(&reading->last, text, length);
	return perun_builder_stack(reading->builder, reading->turned, count);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A line without blanks before it; NULL for those that say nothing. */
static const char *trim(const char *line, size_t *length)
{
	while (*length && (*line == ' ' || *line == '\t')) {
		line++;
		--*length;
	}
	return *length && *line != '#' ? line : NULL;
}

static int read_line(struct reading *reading, const char *line, size_t length)
{
	struct collapsed_number numbers[2];
	perun_id stack;

	if (memchr(line, '\0', length))
		return wrong(reading, "text", line);
	line = trim(line, &length);
	if (!line)
		return PERUN_OK;
	if (!collapsed_take(line, &length, reading->counts, numbers))
		return skip_line(reading, line);
	reading->good++;
	stack = make_stack(reading, line, length);
	perun_column_set_id(reading->stacks, PERUN_TYPE_STACK, stack);
	for (unsigned i = 0; i < reading->counts; i++) {
		if (numbers[i].whole)
			perun_column_set_int64(reading->values[i], numbers[i].integer);
		else
			perun_column_set_double(reading->values[i], numbers[i].real);
	}
	perun_table_end_row(reading->table);
	return PERUN_OK;
}

/* What Austin counts, "# mode: wall" after "# austin: 3.7.0": microseconds, or bytes. */
static void find_mode(struct reading *reading, const char *head, size_t size)
{
	static const struct {
		const char *mode, *name, *unit;
	} modes[] = {{"\n# mode: wall", "time", "us"},
		     {"\n# mode: cpu", "time", "us"},
		     {"\n# mode: memory", "space", "bytes"}};

	if (size < 10 || memcmp(head, "# austin: ", 10) != 0)
		return;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		if (memmem(head, size, modes[i].mode, strlen(modes[i].mode))) {
			reading->name = modes[i].name;
			reading->unit = modes[i].unit;
			return;
		}
	}
}

/* Whether all whole lines of the first bytes end in two numbers. */
static int guess_counts(struct reading *reading, struct perun_input *input)
{
	char *head = perun_alloc(HEAD);
	size_t filled = 0, got, two = 0, at = 0;
	int status;

	do {
		status = perun_input_read(reading->ctx, input, head + filled, HEAD - filled, &got);
		filled += got;
	} while (!status && got && filled < HEAD);
	reading->counts = 1;
	find_mode(reading, head, filled);
	while (at < filled) {
		char *newline = memchr(head + at, '\n', filled - at);
		size_t length = (newline ? (size_t)(newline - head) : filled) - at, rest = length;
		const char *line;
		struct collapsed_number numbers[2];

		if (!newline && filled == HEAD)
			break;
		if (rest && head[at + rest - 1] == '\r')
			rest--;
		line = trim(head + at, &rest);
		at += length + 1;
		if (!line)
			continue;
		if (!collapsed_take(line, &rest, 2, numbers)) {
			two = 0;
			break;
		}
		two++;
	}
	if (two)
		reading->counts = 2;
	perun_free(head);
	return status ? status : perun_input_skip_to_start(reading->ctx, input);
}

static void begin(struct reading *reading)
{
	struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	const char *const names[] = {reading->counts == 2 ? "base" : reading->name, "new"};
	struct perun_json *header = perun_json_object();

	reading->table = perun_builder_table(reading->builder, "resources");
	reading->stacks = perun_table_add_column(reading->table, &stack);
	perun_column_save_memory(reading->stacks);
	for (unsigned i = 0; i < reading->counts; i++) {
		/* Whole numbers, as long as all are. */
		struct perun_column_info value = {.name = names[i],
						  .type = PERUN_TYPE_INT64,
						  .role = PERUN_ROLE_METRIC,
						  .growing = true};

		reading->values[i] = perun_table_add_column(reading->table, &value);
		perun_column_save_memory(reading->values[i]);
	}
	if (reading->counts == 1 && *reading->unit) {
		struct perun_json *units = perun_json_object();

		perun_json_set(units, reading->name, perun_json_text(reading->unit));
		perun_json_set(header, "units", units);
	}
	perun_json_set(header, "default_metric", perun_json_text(names[reading->counts - 1]));
	perun_json_set(perun_builder_document(reading->builder), "header", header);
}

int collapsed_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		   struct perun_builder *builder)
{
	const struct collapsed_options *options = instance;
	struct reading reading = {.ctx = ctx,
				  .builder = builder,
				  .counts = options->counts,
				  .unnamed = PERUN_NO_ID,
				  .name = "samples",
				  .unit = ""};
	int status = reading.counts ? PERUN_OK : guess_counts(&reading, input);
	size_t length;
	char *line;

	if (status)
		return status;
	reading.guessed = !options->counts;
	reading.lines = perun_lines_new(input, 0);
	begin(&reading);
	while (!(status = perun_lines_next(ctx, reading.lines, &line, &length)) && line) {
		status = read_line(&reading, line, length);
		if (!status && perun_lines_number(reading.lines) % 65536 == 0 &&
		    perun_cancelled(ctx))
			status = PERUN_CANCELLED;
		if (status)
			break;
	}
	if (!status)
		status = judge_skipped(&reading);
	if (!status && perun_table_builder_rows(reading.table) == 0)
		status = perun_fail(ctx, PERUN_INPUT, "there is no stack in it");
	perun_free(reading.locations);
	perun_free(reading.turned);
	perun_buffer_free(&reading.last);
	perun_free(reading.bad_line);
	perun_lines_free(reading.lines);
	return status;
}
