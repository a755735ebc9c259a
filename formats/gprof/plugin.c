/* SPDX-License-Identifier: BSD-3-Clause */
/* gprof: the flat profile and the call graph that it prints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

enum section { ELSEWHERE, FLAT, GRAPH };

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	unsigned time;
	enum section section;
	bool flat; /* the rows are those of the flat profile, which has all of the graph */
	bool graph; /* the rows are those of the graph, as the flat profile came later or not at all */
	bool open;       /* a block has no end yet */
	perun_id caller; /* the stack of the block's function; PERUN_NO_ID: it is not there yet */
	double sum;      /* of all times, in seconds */
	bool counted;    /* some function counts its calls */
	struct perun_table_builder *arcs;
	struct perun_column_builder *callers, *callees, *counts, *costs;
};

static int wrong(struct reading *reading, const char *expected, const char *line)
{
	return stacks_wrong_line(reading->ctx, reading->lines, expected, line);
}

/* ---- fields ----------------------------------------------------------------------------------- */

static void skip_blanks(char **at)
{
	*at += strspn(*at, " \t");
}

/* A number and the blanks after it; false: there is none, and `*at` stays. */
static bool next_number(char **at, double *number)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*number = perun_strtod(*at, &end);
	if (*end && *end != ' ' && *end != '\t')
		return false;
	*at = end;
	skip_blanks(at);
	return true;
}

/* "7", "7/12": the first; "7+5": calls from elsewhere and by itself. */
static bool next_count(char **at, uint64_t *count)
{
	size_t length = strspn(*at, "0123456789");
	char *end = *at + length;

	if (!length || length > 18)
		return false;
	*count = strtoull(*at, NULL, 10);
	if (*end == '/' || *end == '+')
		end += 1 + strspn(end + 1, "0123456789");
	if (*end && *end != ' ' && *end != '\t')
		return false;
	*at = end;
	skip_blanks(at);
	return true;
}

/* Cut " [12]" or " (12)" from the end of a name: where its function is in the call graph, or would be. */
static void cut_index(const char *name, size_t *length)
{
	size_t at = *length - 1;

	if (!*length || (name[at] != ']' && name[at] != ')'))
		return;
	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (at < 2 || at == *length - 1 || name[at - 1] != (name[*length - 1] == ']' ? '[' : '(') ||
	    name[at - 2] != ' ')
		return;
	*length = at - 2;
}

/* Cut " <cycle 3>" from the end of a name. */
static void cut_cycle(const char *name, size_t *length)
{
	size_t at = *length;

	if (at < 10 || name[--at] != '>')
		return;
	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (at > 8 && memcmp(name + at - 8, " <cycle ", 8) == 0)
		*length = at - 8;
}

static bool is_whole_cycle(const char *name)
{
	return strncmp(name, "<cycle ", 7) == 0 && strstr(name, " as a whole>");
}

/* "main (a.c:12 @ 4005d0)", "main (a.c:12)" of a profile by lines: the parts. */
static void split_place(struct stacks_frame *frame)
{
	const char *name = frame->name, *end = name + frame->length, *open, *colon, *at;
	char *stop;
	int64_t line;

	open = frame->length && end[-1] == ')' ? memrchr(name, '(', frame->length) : NULL;
	colon = open ? memrchr(open, ':', (size_t)(end - open)) : NULL;
	if (!colon || open < name + 2 || open[-1] != ' ' || colon[1] < '0' || colon[1] > '9')
		return;
	line = strtoll(colon + 1, &stop, 10);
	at = strncmp(stop, " @ ", 3) == 0 ? stop + 3 : NULL;
	if (at)
		frame->address = strtoull(at, &stop, 16);
	if (stop != end - 1)
		return;
	frame->line = line;
	frame->file = open + 1;
	frame->file_length = (size_t)(colon - frame->file);
	frame->length = (size_t)(open - 1 - name);
}

static int stack_of_name(struct reading *reading, const char *name, perun_id *stack)
{
	struct stacks_frame frame = {.name = name, .length = strlen(name)};
	perun_id location = stacks_recall(reading->stacks, name, frame.length);

	if (location == PERUN_NO_ID) {
		cut_index(name, &frame.length);
		cut_cycle(name, &frame.length);
		split_place(&frame);
		if (!frame.length)
			return wrong(reading, "the name of a function", name);
		location = stacks_keep(reading->stacks, stacks_frame(reading->stacks, &frame));
	}
	return stacks_make(reading->stacks, &location, 1, true, stack);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* gprof prints hundredths of seconds: whole numbers are exact, and pprof has no others. */
static int64_t milliseconds(double seconds)
{
	return llround(seconds * 1000);
}

static void add_row(struct reading *reading, perun_id stack, double seconds, const uint64_t *calls)
{
	reading->sum += seconds;
	stacks_value(reading->stacks, reading->time, (double)milliseconds(seconds));
	if (calls) {
		reading->counted = true;
		stacks_value(reading->stacks, stacks_exact(reading->stacks, "calls", ""),
			     (double)*calls);
	}
	stacks_add(reading->stacks, stack);
}

/* " 32.43      0.12     0.12   400300     0.00     0.00  name": functions that do not count their calls have fewer numbers. */
static int read_function(struct reading *reading, char *line)
{
	char *at = line;
	double percent, sum, seconds, each;
	uint64_t calls;
	bool counted;
	perun_id stack;
	int status;

	skip_blanks(&at);
	if (!next_number(&at, &percent) || !next_number(&at, &sum) || !next_number(&at, &seconds))
		return wrong(reading, "a share, a sum and the seconds of a function", line);
	counted = next_count(&at, &calls);
	for (int i = 0; counted && i < 2; i++)
		next_number(&at, &each);
	if (!*at)
		return wrong(reading, "the name of a function", line);
	if (reading->graph)
		return PERUN_OK;
	reading->flat = true;
	status = stack_of_name(reading, at, &stack);
	if (!status)
		add_row(reading, stack, seconds, counted ? &calls : NULL);
	return status;
}

static void begin_arcs(struct reading *reading)
{
	static const struct perun_column_info columns[] = {
		{.name = "caller", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY},
		{.name = "callee", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY},
		{.name = "count", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC},
		{.name = "time",
		 .unit = "s",
		 .type = PERUN_TYPE_DOUBLE,
		 .role = PERUN_ROLE_METRIC}};

	if (reading->arcs)
		return;
	reading->arcs = perun_builder_table(stacks_builder(reading->stacks), "calls");
	reading->callers = perun_table_add_column(reading->arcs, &columns[0]);
	reading->callees = perun_table_add_column(reading->arcs, &columns[1]);
	reading->counts = perun_table_add_column(reading->arcs, &columns[2]);
	reading->costs = perun_table_add_column(reading->arcs, &columns[3]);
}

/* "[3]     77.0    0.00    0.29 1035646         name <cycle 1> [3]": what a block is about. */
static int read_primary(struct reading *reading, char *line)
{
	char *at = line + strcspn(line, "]");
	double percent, seconds, below;
	uint64_t calls;
	bool counted;
	int status;

	at += *at == ']';
	reading->open = true;
	skip_blanks(&at);
	if (!next_number(&at, &percent) || !next_number(&at, &seconds) || !next_number(&at, &below))
		return wrong(reading, "a share and the seconds of a function and of those below it",
			     line);
	counted = next_count(&at, &calls);
	if (!*at)
		return wrong(reading, "the name of a function", line);
	if (is_whole_cycle(at))
		return PERUN_OK;
	status = stack_of_name(reading, at, &reading->caller);
	if (status || reading->flat)
		return status;
	reading->graph = true;
	add_row(reading, reading->caller, seconds, counted ? &calls : NULL);
	return PERUN_OK;
}

/* "0.00    0.28       1/1           name [5]"; of a call within a cycle or of a function by itself only the count is known. */
static int read_callee(struct reading *reading, char *line)
{
	char *at = line, *point;
	double seconds = 0, below = 0;
	uint64_t count;
	perun_id callee;
	int status;

	skip_blanks(&at);
	point = at + strspn(at, "0123456789");
	if (*point == '.' && (!next_number(&at, &seconds) || !next_number(&at, &below)))
		return wrong(reading, "the seconds of a function and of those below it", line);
	if (!next_count(&at, &count) || !*at)
		return wrong(reading, "how often a function is called, and its name", line);
	status = stack_of_name(reading, at, &callee);
	if (status)
		return status;
	begin_arcs(reading);
	perun_column_set_id(reading->callers, PERUN_TYPE_STACK, reading->caller);
	perun_column_set_id(reading->callees, PERUN_TYPE_STACK, callee);
	perun_column_set_int64(reading->counts, (int64_t)count);
	perun_column_set_int64(reading->costs, milliseconds(seconds + below));
	perun_table_end_row(reading->arcs);
	return PERUN_OK;
}

/*
 * Each call is in two blocks, as one of the callers in that of its callee: that of the caller is read. So what is between blocks,
 * explanations too, is passed over.
 */
static int read_graph_line(struct reading *reading, char *line)
{
	const char *word = line + strspn(line, " \t");

	if (strncmp(line, "-----", 5) == 0) {
		reading->caller = PERUN_NO_ID;
		reading->open = false;
		return PERUN_OK;
	}
	if (*line == '[')
		return read_primary(reading, line);
	return reading->caller == PERUN_NO_ID || !*word ? PERUN_OK : read_callee(reading, line);
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* " time   seconds   seconds    calls  ms/call  ms/call  name", "index % time    self  children    called     name" */
static enum section section_of(const char *line)
{
	const char *word = line + strspn(line, " \t");

	if (strncmp(word, "time ", 5) == 0 && strstr(word, "seconds") && strstr(word, "name"))
		return FLAT;
	return strncmp(word, "index ", 6) == 0 && strstr(word, "self") ? GRAPH : ELSEWHERE;
}

static int read_line(void *data, char *line, size_t length)
{
	static const char sample[] = "Each sample counts as ", file[] = "gmon\1";
	struct reading *reading = data;
	enum section section = section_of(line);

	if (perun_lines_number(reading->lines) == 1 && strncmp(line, file, sizeof file - 1) == 0)
		return perun_fail(
			reading->ctx, PERUN_INPUT,
			"expected what gprof prints, found its input, which has addresses "
			"alone: give the output of 'gprof PROGRAM gmon.out'");
	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	if (*line == '\f')
		reading->section = ELSEWHERE;
	if (strncmp(line, sample, sizeof sample - 1) == 0)
		stacks_sample(reading->stacks, reading->time,
			      1000 * perun_strtod(line + sizeof sample - 1, NULL));
	if (section != ELSEWHERE) {
		reading->section = section;
		return PERUN_OK;
	}
	if (reading->section == GRAPH)
		return read_graph_line(reading, line);
	if (reading->section == FLAT && !length)
		reading->section = ELSEWHERE;
	return reading->section == FLAT ? read_function(reading, line) : PERUN_OK;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {
		.ctx = ctx, .lines = perun_lines_new(input, 0), .caller = PERUN_NO_ID};
	int status;

	(void)instance;
	reading.stacks = stacks_begin(ctx, builder, "gprof", NULL);
	reading.time = stacks_metric(reading.stacks, "time", "ms");
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	if (!status && reading.open)
		perun_warn(ctx,
			   "line %llu: a block of the call graph does not end: the file seems "
			   "to be cut off",
			   (unsigned long long)perun_lines_number(reading.lines));
	if (reading.sum == 0 && reading.counted)
		stacks_lead(reading.stacks, stacks_exact(reading.stacks, "calls", ""));
	perun_lines_free(reading.lines);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_starts(probe, "gmon\1"))
		return 90;
	return probe_has(probe, "cumulative   self ") && probe_has(probe, "seconds   seconds") ? 95
	       : probe_has(probe, "index % time    self  children    called") ||
			       probe_has(probe, "self descendents  called+self")
		       ? 95
		       : 0;
}

static const char *const marks[] = {"seconds   seconds", "index % time    self", "called+self",
				    "gmon\1", NULL};

FORMAT_PLUGIN(gprof, "gprof", "what gprof prints", NULL, .patterns = "*.gprof gmon.out",
	      .contains = marks, .probe = probe_format, .read = read_format);
