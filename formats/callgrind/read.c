/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading callgrind's format (valgrind's manual, "Callgrind Format Specification"). */
#include <inttypes.h>
#include <string.h>

#include "callgrind.h"

enum { EVENTS = 256, NAMES = 1 << 24, COMMENTS = 256 };

/* "(3) name" defines a short form, "(3)" represents it from then on. */
struct names {
	perun_id *ids; /* of each number; PERUN_NO_ID = not defined */
	size_t room;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct perun_builder *builder;
	struct callgrind_tables tables;
	bool begun;                              /* the tables are there: the events are fixed */
	char *events[EVENTS], *meanings[EVENTS]; /* meanings: of the event of that number */
	char *explained[EVENTS];                 /* "Ir : Instructions", as they are written */
	size_t event_count, explained_count;
	bool instructions, source_lines; /* which positions lines begin with */
	struct names objects, files, functions;
	struct callgrind_place at, callee;
	bool has_callee_file, has_callee_object;
	bool in_call; /* the next line has the costs of a call */
	bool in_jump; /* the next line has the position of a jump */
	int64_t count;
	int64_t costs[EVENTS]; /* of the line before */
	size_t comments, costs_read;
	bool by_callgrind,
		awaits_totals; /* valgrind writes the sums of what follows, and once more after it */
	size_t nameless; /* numbers of files and objects whose names the input does not have */
	char *command;
};

static int wrong(struct reading *reading, const char *expected, const char *found)
{
	char *shown = perun_strndup(found, 40), *printable = perun_printable(shown);
	int status =
		perun_fail(reading->ctx, PERUN_INPUT, "line %" PRIu64 ": expected %s, found '%s'",
			   perun_lines_number(reading->lines), expected, printable);

	perun_free(shown);
	perun_free(printable);
	return status;
}

static const char *skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

/* The value of a digit, 16 = it is none. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

static bool read_hexadecimal(const char **text, uint64_t *number)
{
	const char *const first = *text + 2, *at = first;
	uint64_t value = 0, digit;

	for (; (digit = digit_of(*at)) < 16; at++) {
		if (value > UINT64_MAX >> 4)
			return false;
		value = value << 4 | digit;
	}
	*number = value;
	*text = at;
	return at > first;
}

/* A decimal or "0x" number; false when there is none or it is too large. */
static bool read_unsigned(const char **text, uint64_t *number)
{
	const char *const first = *text, *at = first;
	uint64_t value = 0, digit;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		return read_hexadecimal(text, number);
	for (; (digit = (unsigned char)(*at - '0')) < 10; at++) {
		/* Fewer digits always fit. */
		if (at - first >= 15 && value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*number = value;
	*text = at;
	return at > first;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int read_name(struct reading *reading, struct names *names, const char *text, perun_id *name)
{
	const char *at = text + 1;
	uint64_t number;

	if (*text != '(' || !read_unsigned(&at, &number) || *at != ')') {
		*name = perun_builder_text(reading->builder, text);
		return PERUN_OK;
	}
	if (number >= NAMES)
		return wrong(reading, "a name's number below 16777216", text);
	if (number >= names->room) {
		size_t room = names->room;

		names->room = (size_t)number * 2 + 64;
		names->ids = perun_realloc_array(names->ids, names->room, sizeof *names->ids);
		memset(names->ids + room, 0xff, (names->room - room) * sizeof *names->ids);
	}
	at = skip_blanks(at + 1);
	if (*at)
		names->ids[number] = perun_builder_text(reading->builder, at);
	*name = names->ids[number];
	if (*name != PERUN_NO_ID)
		return PERUN_OK;
	if (names == &reading->functions)
		return wrong(reading, "the number of a name that was given before", text);
	/* Costs are those of functions: a part of a file, cut from a larger one, may lack where these are. */
	reading->nameless++;
	*name = names->ids[number] = perun_builder_text(reading->builder, "");
	return PERUN_OK;
}

static int read_place(struct reading *reading, const char *key, size_t length, const char *text)
{
	struct callgrind_place *at = &reading->at, *callee = &reading->callee;
	perun_id target; /* of a jump: its name may be defined there, but it costs nothing */
	int status;

#define IS(KEY) (length == strlen(KEY) && memcmp(key, KEY, length) == 0)
	if (IS("fl")) {
		status = read_name(reading, &reading->files, text, &at->file);
		at->home = at->file;
		return status;
	}
	if (IS("fi") || IS("fe"))
		return read_name(reading, &reading->files, text, &at->file);
	if (IS("fn")) {
		at->file = at->home;
		return read_name(reading, &reading->functions, text, &at->function);
	}
	if (IS("ob"))
		return read_name(reading, &reading->objects, text, &at->object);
	if (IS("cfi") || IS("cfl")) {
		reading->has_callee_file = true;
		return read_name(reading, &reading->files, text, &callee->file);
	}
	if (IS("cob")) {
		reading->has_callee_object = true;
		return read_name(reading, &reading->objects, text, &callee->object);
	}
	if (IS("jfi"))
		return read_name(reading, &reading->files, text, &target);
	if (IS("jfn"))
		return read_name(reading, &reading->functions, text, &target);
	if (IS("cfn"))
		return read_name(reading, &reading->functions, text, &callee->function);
#undef IS
	return wrong(reading,
		     "fl, fi, fe, fn, ob, cfi, cfl, cfn, cob, calls, jump or jcnd before '='", key);
}

/* ---- positions and costs --------------------------------------------------------------------- */

/* One position: a number, "+n" or "-n" from the one before, or "*" for the same. */
static bool read_position(const char **text, uint64_t *position)
{
	uint64_t number;
	char sign = **text;

	if (sign == '*') {
		++*text;
		return true;
	}
	*text += sign == '+' || sign == '-';
	if (!read_unsigned(text, &number))
		return false;
	*position = sign == '+' ? *position + number : sign == '-' ? *position - number : number;
	return true;
}

/* The positions that a line begins with; relative to `base`. */
static int read_positions(struct reading *reading, const char **text, struct callgrind_place *place,
			  const char *line)
{
	uint64_t number = (uint64_t)place->line;
	bool good = true;

	if (reading->instructions)
		good = read_position(text, &place->address);
	if (good && reading->source_lines) {
		*text = skip_blanks(*text);
		good = read_position(text, &number);
		place->line = (int64_t)number;
	}
	if (!good || (**text && **text != ' ' && **text != '\t'))
		return wrong(reading, "positions (numbers, +n, -n or *)", line);
	*text = skip_blanks(*text);
	return PERUN_OK;
}

/* "event: Ir : Instructions": what the short name means; formulas ("a = b + c") are not kept. */
static void find_meaning(struct reading *reading, const char *text)
{
	const char *colon = strchr(text, ':');
	size_t length = strcspn(text, " \t:=");

	for (size_t i = 0; colon && i < reading->event_count; i++)
		if (!reading->meanings[i] && strlen(reading->events[i]) == length &&
		    memcmp(reading->events[i], text, length) == 0)
			reading->meanings[i] = perun_strdup(skip_blanks(colon + 1));
}

static int begin_tables(struct reading *reading, const char *line)
{
	if (reading->begun)
		return PERUN_OK;
	if (reading->event_count == 0)
		return wrong(reading, "a line events: before any costs", line);
	for (size_t i = 0; i < reading->explained_count; i++)
		find_meaning(reading, reading->explained[i]);
	callgrind_tables_begin(&reading->tables, reading->builder, reading->events,
			       reading->meanings, reading->event_count);
	reading->begun = true;
	return PERUN_OK;
}

static int read_costs(struct reading *reading, const char *line)
{
	int64_t costs[EVENTS];
	const char *text = line;
	struct callgrind_place place = reading->at;
	size_t given = 0;
	int status = begin_tables(reading, line);

	if (!status)
		status = read_positions(reading, &text, &place, line);
	if (status)
		return status;
	reading->at.address = place.address;
	reading->at.line = place.line;
	if (reading->in_jump) {
		reading->in_jump = false;
		return PERUN_OK;
	}
	for (; *text; given++) {
		uint64_t cost;

		/* Relative ones, as of positions: valgrind does not write them, but others do. */
		cost = (uint64_t)reading->costs[given < EVENTS ? given : 0];
		if (given == reading->event_count || !read_position(&text, &cost) ||
		    cost > INT64_MAX || (*text && *text != ' ' && *text != '\t'))
			return wrong(reading, "a cost for each event and no more", line);
		reading->costs[given] = (int64_t)cost;
		if (__builtin_mul_overflow((int64_t)cost, reading->tables.factors[given],
					   &costs[given]))
			return wrong(reading, "a cost below 2^63 in the event's unit", line);
		text = skip_blanks(text);
	}
	for (; given < reading->event_count; given++)
		costs[given] = 0;
	reading->costs_read++;
	if (reading->in_call)
		callgrind_add_call(&reading->tables, &place, &reading->callee, reading->count,
				   costs);
	else
		callgrind_add_self(&reading->tables, &place, costs);
	reading->in_call = false;
	return PERUN_OK;
}

/* "calls=3 +12": how often, and where the callee is. Its costs are on the next line. */
static int read_calls(struct reading *reading, const char *text)
{
	struct callgrind_place target = reading->at;
	uint64_t count;
	int status;

	if (!read_unsigned(&text, &count) || count > INT64_MAX)
		return wrong(reading, "a number of calls", text);
	text = skip_blanks(text);
	status = read_positions(reading, &text, &target, text);
	if (status)
		return status;
	if (reading->callee.function == PERUN_NO_ID)
		return wrong(reading, "cfn= before calls=", text);
	if (!reading->has_callee_file)
		reading->callee.file = reading->at.file;
	if (!reading->has_callee_object)
		reading->callee.object = reading->at.object;
	reading->callee.home = reading->callee.file;
	reading->callee.line = target.line;
	reading->callee.address = target.address;
	reading->has_callee_file = reading->has_callee_object = false;
	reading->count = (int64_t)count;
	reading->in_call = true;
	return PERUN_OK;
}

/* ---- the heading ----------------------------------------------------------------------------- */

static int read_events(struct reading *reading, const char *text)
{
	size_t count = 0;

	while (*(text = skip_blanks(text))) {
		size_t length = strcspn(text, " \t");

		if (reading->begun) { /* another part of the file: the same events */
			if (count >= reading->event_count ||
			    strlen(reading->events[count]) != length ||
			    memcmp(reading->events[count], text, length) != 0)
				return wrong(reading, "the events of the first part", text);
		} else {
			for (size_t i = 0; i < reading->event_count; i++)
				if (strlen(reading->events[i]) == length &&
				    memcmp(reading->events[i], text, length) == 0)
					return wrong(reading, "events of different names", text);
			if (count == EVENTS)
				return wrong(reading, "at most 256 events", text);
			reading->events[reading->event_count++] = perun_strndup(text, length);
		}
		count++;
		text += length;
	}
	return PERUN_OK;
}

static void keep_comment(struct reading *reading, const char *text)
{
	struct perun_json *document = perun_builder_document(reading->builder);
	struct perun_json *comments = perun_json_get(document, "comments");

	if (!*text || reading->comments++ >= COMMENTS)
		return;
	if (!comments) {
		comments = perun_json_array();
		perun_json_set(document, "comments", comments);
	}
	perun_json_append(comments, perun_json_text(text));
}

static int read_heading(struct reading *reading, const char *line, const char *colon)
{
	const char *text = skip_blanks(colon + 1);
	size_t length = (size_t)(colon - line);

#define IS(KEY) (length == strlen(KEY) && memcmp(line, KEY, length) == 0)
	if (IS("events"))
		return read_events(reading, text);
	if (IS("positions")) {
		reading->instructions = strstr(text, "instr") != NULL;
		reading->source_lines = strstr(text, "line") != NULL;
		if (!reading->instructions && !reading->source_lines)
			return wrong(reading, "positions: instr, line or both", text);
	} else if (IS("event")) {
		if (reading->explained_count < EVENTS)
			reading->explained[reading->explained_count++] = perun_strdup(text);
	} else if (IS("cmd") && !reading->command) {
		reading->command = perun_strdup(text);
	} else if (IS("desc")) {
		keep_comment(reading, text);
	} else if (IS("creator")) {
		reading->by_callgrind = strncmp(text, "callgrind-", 10) == 0;
	} else if (IS("summary") || IS("totals")) {
		reading->awaits_totals = reading->by_callgrind && IS("summary");
	} else if (IS("version") && strcmp(text, "1") != 0) {
		return wrong(reading, "version: 1", text);
	}
#undef IS
	return PERUN_OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int read_line(struct reading *reading, char *line, size_t length)
{
	size_t word = 0;

	if (strlen(line) != length)
		return wrong(reading, "text", line);
	while (line[word] >= 'a' && line[word] <= 'z')
		word++;
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		line[--length] = '\0';
	if (length == 0 || line[0] == '#')
		return PERUN_OK;
	if (word && line[word] == ':')
		return read_heading(reading, line, line + word);
	if ((reading->in_call || reading->in_jump) && word)
		return wrong(reading, "the costs of a call or the place of a jump", line);
	if (word && line[word] == '=') {
		const char *text = skip_blanks(line + word + 1);

		if (word == 5 && memcmp(line, "calls", 5) == 0)
			return read_calls(reading, text);
		if (word == 4 && (memcmp(line, "jump", 4) == 0 || memcmp(line, "jcnd", 4) == 0)) {
			reading->in_jump = true;
			return PERUN_OK;
		}
		return read_place(reading, line, word, text);
	}
	return read_costs(reading, line);
}

static int finish(struct reading *reading)
{
	struct perun_json *header;

	if (reading->costs_read == 0)
		return perun_fail(reading->ctx, PERUN_INPUT, "there are no costs in it");
	if (reading->in_call)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "the file ends within a call: expected its costs");
	header = perun_json_get(perun_builder_document(reading->builder), "header");
	if (reading->nameless)
		perun_warn(reading->ctx,
			   "%zu file%s or object%s without a name: only numbers are given",
			   reading->nameless, reading->nameless == 1 ? "" : "s",
			   reading->nameless == 1 ? "" : "s");
	if (reading->awaits_totals)
		perun_warn(reading->ctx,
			   "there are no totals at the end: the file seems to be cut off");
	if (reading->command)
		perun_json_set(header, "cmd", perun_json_text(reading->command));
	return PERUN_OK;
}

int callgrind_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		   struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .builder = builder, .source_lines = true};
	size_t length;
	char *line;
	int status;

	(void)instance;
	reading.callee.function = PERUN_NO_ID;
	reading.lines = perun_lines_new(input, 1 << 20);
	while (!(status = perun_lines_next(ctx, reading.lines, &line, &length)) && line) {
		status = read_line(&reading, line, length);
		if (!status && perun_lines_number(reading.lines) % 65536 == 0 &&
		    perun_cancelled(ctx))
			status = PERUN_CANCELLED;
		if (status)
			break;
	}
	if (!status)
		status = finish(&reading);
	for (size_t i = 0; i < reading.event_count; i++) {
		perun_free(reading.events[i]);
		perun_free(reading.meanings[i]);
	}
	for (size_t i = 0; i < reading.explained_count; i++)
		perun_free(reading.explained[i]);
	if (reading.begun)
		callgrind_tables_free(&reading.tables);
	perun_free(reading.objects.ids);
	perun_free(reading.files.ids);
	perun_free(reading.functions.ids);
	perun_free(reading.command);
	perun_lines_free(reading.lines);
	return status;
}
