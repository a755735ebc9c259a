/* SPDX-License-Identifier: BSD-3-Clause */
/* perf-stat: counters of `perf stat`: as text, with -x (CSV) or -j (JSON lines). */
#include <stdlib.h>
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/csv.h"
#include "formats/common/each-line.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct benchmark *benchmark;
	struct csv_line csv;
	char separator; /* 0: text */
	char *command;  /* of the text: "Performance counter stats for 'ls'" */
	size_t missing; /* counters that were not counted */
};

/* Times by the clock of the text's end are seconds; "msec" and "ns" of task-clock as well. */
static void add(struct reading *reading, const char *event, const char *unit, double value)
{
	const char *uid = reading->command ? reading->command : "perf stat";

	if (strcmp(event, "time elapsed") == 0)
		benchmark_time(reading->benchmark, uid, "real", value);
	else if (strcmp(event, "user") == 0 || strcmp(event, "sys") == 0)
		benchmark_time(reading->benchmark, uid, event, value);
	else if (strcmp(event, "duration_time") == 0)
		benchmark_time(reading->benchmark, uid, "real", value / 1e9);
	else
		benchmark_value(reading->benchmark, uid, event, unit, false, value);
}

/* ---- -j -------------------------------------------------------------------------------------- */

/* {"counter-value" : "1234.000000", "unit" : "msec", "event" : "task-clock", …} */
static int read_json(struct reading *reading, const char *line, size_t length)
{
	struct perun_json *counter;
	const char *event, *value, *unit;
	double number;
	int status = perun_json_parse(reading->ctx, line, length, NULL, &counter);

	if (status)
		return perun_fail(reading->ctx, PERUN_OK, "line %llu of the file",
				  (unsigned long long)perun_lines_number(reading->lines));
	event = perun_json_as_string(perun_json_get(counter, "event"), NULL);
	value = perun_json_as_string(perun_json_get(counter, "counter-value"), NULL);
	unit = perun_json_as_string(perun_json_get(counter, "unit"), NULL);
	if (event && value && benchmark_grouped(value, &number))
		add(reading, event, unit ? unit : "", number);
	else if (event && value)
		reading->missing++;
	perun_json_free(counter);
	return PERUN_OK;
}

/* ---- -x -------------------------------------------------------------------------------------- */

/* "1234,,instructions:u,1000,100.00,,": with -A, -I or -r --per-… other columns come first. */
static void read_fields(struct reading *reading, char *line)
{
	char **fields;
	double number;

	if (!csv_split(&reading->csv, line, reading->separator) || reading->csv.count < 3)
		return;
	fields = reading->csv.fields;
	if (strncmp(fields[0], "<not ", 5) == 0)
		reading->missing++;
	else if (*fields[2] && benchmark_grouped(fields[0], &number))
		add(reading, fields[2], fields[1], number);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void read_command(struct reading *reading, const char *text)
{
	const char *end = strrchr(text, '\'');

	perun_free(reading->command);
	reading->command = NULL;
	if (*text == '\'' && end > text + 1)
		reading->command = perun_strndup(text + 1, (size_t)(end - text - 1));
}

/*
 * What -A, --per-core and the like put before the number: "CPU0", "S0-D0-C1  2", a thread's "name-123". The text behind
 * it, and the place in `place`; the same text when there is none.
 */
static char *take_place(char *text, char place[32])
{
	size_t length = strcspn(text, " \t");
	char *next = text + length + strspn(text + length, " \t");
	double number;

	*place = '\0';
	if (strncmp(text, "CPU", 3) != 0 && !(*text == 'S' && strchr("0123456789", text[1])) &&
	    !(*text == 'N' && strchr("0123456789", text[1])))
		return text;
	if (!length || length >= 32 || !*next)
		return text;
	memcpy(place, text, length);
	place[length] = '\0';
	/* The number of processors that are in it. */
	if (*text != 'C') {
		size_t digits = benchmark_grouped(next, &number);
		char *value = next + digits + strspn(next + digits, " \t");

		if (digits && *value && (strchr("0123456789", *value) || *value == '<'))
			next = value;
	}
	return next;
}

/* "  1,234.5 msec task-clock   #  0.9 CPUs utilized  ( +- 1.2% )", "  0.0012 seconds time elapsed" */
static void read_text(struct reading *reading, char *line)
{
	char *unit = line + strspn(line, " \t"), *event, *end, place[32], *named;
	const char *stats = "Performance counter stats for ";
	size_t length;
	double number;

	if (strncmp(unit, stats, strlen(stats)) == 0) {
		read_command(reading, unit + strlen(stats));
		return;
	}
	unit = take_place(unit, place);
	if (strncmp(unit, "<not ", 5) == 0)
		reading->missing++;
	length = benchmark_grouped(unit, &number);
	if (!length || (unit[length] != ' ' && unit[length] != '\t'))
		return;
	event = unit + length + strspn(unit + length, " \t");
	if (strncmp(event, "+-", 2) == 0 && (unit = strstr(event, "seconds"))) /* of -r */
		event = unit;
	if (strncmp(event, "seconds ", 8) == 0) {
		event += 8;
		event[strcspn(event, "(#\r")] = '\0';
		length = strlen(event);
		while (length && event[length - 1] == ' ')
			event[--length] = '\0';
		add(reading, event, "s", number);
		return;
	}
	unit = "";
	end = event + strcspn(event, " \t\r");
	if (end - event <= 6 &&
	    (strncmp(event, "msec", 4) == 0 || strncmp(event, "ns", 2) == 0 ||
	     strncmp(event, "Joules", 6) == 0 || strncmp(event, "MiB", 3) == 0)) {
		unit = event;
		event = end + strspn(end, " \t");
		*end = '\0';
		end = event + strcspn(event, " \t\r");
	}
	*end = '\0';
	if (!*event || *event == '#')
		return;
	named = reading->command;
	if (*place)
		reading->command = perun_format("%s %s", named ? named : "perf stat", place);
	add(reading, event, unit, number);
	if (*place) {
		perun_free(reading->command);
		reading->command = named;
	}
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	if (line[strspn(line, " \t")] == '{')
		return read_json(reading, line, length);
	if (*line == '#' || !length)
		return PERUN_OK;
	if (reading->separator)
		read_fields(reading, line);
	else
		read_text(reading, line);
	return PERUN_OK;
}

/* A line "NUMBER,UNIT,EVENT,TIME,SHARE…": the separator after the number; 0 = there is none. */
static char separator_of(const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *at = text;
		const char *stop = newline ? newline : end;
		size_t count = 0;

		while (at < stop && strchr("0123456789.", *at) && *at)
			at++;
		if (at > text && at < stop && strchr(",;|\t:", *at) && *at) {
			for (const char *c = at; c < stop; c++)
				count += *c == *at;
			if (count >= 4)
				return *at;
		}
		text = newline ? newline + 1 : end;
	}
	return 0;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	char head[4096];
	size_t got = 0;
	int status = perun_input_read(ctx, input, head, sizeof head, &got);

	(void)instance;
	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	reading.benchmark = benchmark_begin(ctx, builder, "perf-stat", input);
	reading.lines = perun_lines_new(input, 0);
	if (!memmem(head, got, "Performance counter stats", 25))
		reading.separator = separator_of(head, got);
	if (!status)
		status = read_each_line(ctx, reading.lines, read_line, &reading);
	if (!status && reading.missing)
		perun_warn(ctx, "%s: %zu counter%s not counted and left out",
			   perun_input_name(input), reading.missing,
			   reading.missing == 1 ? " was" : "s were");
	perun_lines_free(reading.lines);
	perun_free(reading.csv.fields);
	perun_free(reading.command);
	return benchmark_end(reading.benchmark, status);
}

static bool has_event(const struct perun_probe *probe)
{
	static const char *const events[] = {"task-clock",   "cpu-clock",        "cycles",
					     "instructions", "context-switches", "page-faults",
					     "duration_time"};

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (probe_has(probe, events[i]))
			return true;
	return false;
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || memchr(probe->data, '\0', probe->size))
		return 0;
	if (probe_has(probe, "Performance counter stats for ") ||
	    (probe_has(probe, "\"counter-value\"") && probe_has(probe, "\"event\"")))
		return 95;
	return has_event(probe) && separator_of(probe->data, probe->size) ? 70 : 0;
}

FORMAT_PLUGIN(perf_stat, "perf-stat", "counters of perf stat", NULL, .probe = probe_format,
	      .read = read_format);
