/* SPDX-License-Identifier: BSD-3-Clause */
/* perf-stat: counters of `perf stat`: as text, with -x (CSV) or -j (JSON lines). */
#include <stdio.h>
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/csv.h"
#include "formats/common/each-line.h"

/* What -I counted in all intervals. */
struct sum {
	char *uid, *event, *unit;
	double value;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct benchmark *benchmark;
	struct csv_line csv;
	char separator;                 /* 0: text */
	struct perun_json_reader *json; /* of -j; NULL before the first line */
	struct perun_buffer uid;        /* scratch */
	char *command;                  /* of the text: "Performance counter stats for 'ls'" */
	size_t missing;                 /* counters that were not counted */
	struct sum *sums;
	size_t sum_count, sum_capacity, next_sum;
};

/* One line: a counter, and where it was counted. */
struct counter {
	const char *event, *unit;
	double value, deviation; /* percent; negative = none */
	const char *place;       /* "CPU0", "S0-D0-C1", or "" */
	bool interval;           /* of -I */
};

/* Times by the clock of the text's end are seconds; "msec" and "ns" of task-clock as well. */
static void add(struct reading *reading, const char *uid, const char *event, const char *unit,
		double value)
{
	if (strcmp(event, "time elapsed") == 0)
		benchmark_time(reading->benchmark, uid, "real", value);
	else if (strcmp(event, "user") == 0 || strcmp(event, "sys") == 0)
		benchmark_time(reading->benchmark, uid, event, value);
	else if (strcmp(event, "duration_time") == 0)
		benchmark_time(reading->benchmark, uid, "real", value / 1e9);
	else
		benchmark_value(reading->benchmark, uid, event, unit, false, value);
}

/* Intervals have the same counters in the same order: the next one is nearly always the next line's. */
static void add_interval(struct reading *reading, const char *uid, const struct counter *counter)
{
	struct sum *sum;

	for (size_t i = 0; i < reading->sum_count; i++) {
		sum = &reading->sums[(reading->next_sum + i) % reading->sum_count];
		if (strcmp(sum->event, counter->event) == 0 && strcmp(sum->uid, uid) == 0) {
			sum->value += counter->value;
			reading->next_sum = (size_t)(sum - reading->sums) + 1;
			return;
		}
	}
	PERUN_GROW(reading->sums, reading->sum_count, reading->sum_capacity);
	reading->sums[reading->sum_count++] = (struct sum){.uid = perun_strdup(uid),
							   .event = perun_strdup(counter->event),
							   .unit = perun_strdup(counter->unit),
							   .value = counter->value};
}

/* The counts of the whole run, as without -I. */
static void add_sums(struct reading *reading)
{
	for (size_t i = 0; i < reading->sum_count; i++) {
		struct sum *sum = &reading->sums[i];

		add(reading, sum->uid, sum->event, sum->unit, sum->value);
		perun_free(sum->uid);
		perun_free(sum->event);
		perun_free(sum->unit);
	}
	perun_free(reading->sums);
}

static void take_counter(struct reading *reading, const struct counter *counter)
{
	struct perun_buffer *uid_text = &reading->uid;
	const char *uid;

	perun_buffer_clear(uid_text);
	perun_buffer_add_text(uid_text, reading->command ? reading->command : "perf stat");
	perun_buffer_add_text(uid_text, *counter->place ? " " : "");
	perun_buffer_add_text(uid_text, counter->place);
	uid = uid_text->data;
	if (counter->interval) {
		add_interval(reading, uid, counter);
	} else {
		add(reading, uid, counter->event, counter->unit, counter->value);
		if (counter->deviation >= 0)
			benchmark_deviation(reading->benchmark, counter->event, uid,
					    counter->deviation / 100);
	}
}

/* ---- -j -------------------------------------------------------------------------------------- */

/* "cpu" : "0", "core" : "S0-D0-C1" … of -A, --per-core and the like, as the text has them. */
static void place_of(const struct perun_json *counter, char place[64])
{
	static const char *const keys[] = {"cpu", "core",   "cluster", "cache",
					   "die", "socket", "node",    "thread"};

	*place = '\0';
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *text = perun_json_as_string(perun_json_get(counter, keys[i]), NULL);

		if (text) {
			snprintf(place, 64, "%s%s",
				 i == 0 && strspn(text, "0123456789") ? "CPU" : "", text);
			return;
		}
	}
}

/* {"interval" : 1.0, "cpu" : "0", "counter-value" : "1234.000000", "unit" : "msec", "event" : "task-clock", …} */
/* One reader for all lines. */
static int parse(struct reading *reading, const char *line, size_t length,
		 struct perun_json **object)
{
	int status;

	if (!reading->json)
		reading->json = perun_json_reader_new_text(reading->ctx, line, length, NULL);
	else
		perun_json_reader_set_text(reading->json, line, length);
	status = perun_json_read_value(reading->json, object);
	if (!status && perun_json_next(reading->json) != PERUN_JSON_END)
		status = perun_json_fail(reading->json, "expected the end of the document");
	if (status)
		perun_json_free(*object);
	return status;
}

static int read_json(struct reading *reading, const char *line, size_t length)
{
	struct counter counter = {.deviation = -1};
	struct perun_json *object;
	const char *value;
	char place[64];

	if (parse(reading, line, length, &object))
		return perun_fail(reading->ctx, PERUN_OK, "line %llu of the file",
				  (unsigned long long)perun_lines_number(reading->lines));
	counter.event = perun_json_as_string(perun_json_get(object, "event"), NULL);
	counter.unit = perun_json_as_string(perun_json_get(object, "unit"), NULL);
	if (!counter.unit)
		counter.unit = "";
	counter.interval = perun_json_get(object, "interval") != NULL;
	perun_json_as_double(perun_json_get(object, "variance"), &counter.deviation);
	place_of(object, place);
	counter.place = place;
	value = perun_json_as_string(perun_json_get(object, "counter-value"), NULL);
	if (counter.event && value && benchmark_grouped(value, &counter.value))
		take_counter(reading, &counter);
	else if (counter.event && value)
		reading->missing++;
	perun_json_free(object);
	return PERUN_OK;
}

/* ---- -x -------------------------------------------------------------------------------------- */

static bool is_number(const char *field)
{
	double number;

	return *field && benchmark_grouped(field, &number) == strlen(field);
}

/*
 * The column of the value: a number or "<not counted>", then a unit and a name, which are neither. With -I the time
 * comes before it, with -A, --per-core … the place, and the number of processors in it.
 */
static size_t value_column(const struct csv_line *csv)
{
	for (size_t i = 0; i + 2 < csv->count; i++) {
		char **at = &csv->fields[i];

		if ((is_number(at[0]) || strncmp(at[0], "<not ", 5) == 0) && !is_number(at[1]) &&
		    *at[1] != '<' && *at[2] && !is_number(at[2]) && *at[2] != '<')
			return i;
	}
	return csv->count;
}

/* "1234,,instructions:u,1000,100.00,,", "1.0,CPU0,1234,,instructions,…" */
static void read_fields(struct reading *reading, char *line)
{
	struct counter counter = {.place = "", .deviation = -1};
	char **fields;
	size_t at;

	if (!csv_split(&reading->csv, line, reading->separator))
		return;
	fields = reading->csv.fields;
	for (size_t i = 0; i < reading->csv.count; i++)
		fields[i] += strspn(fields[i], " ");
	at = value_column(&reading->csv);
	if (at == reading->csv.count || strcmp(fields[0], "summary") == 0)
		return;
	if (*fields[at] == '<') {
		reading->missing++;
		return;
	}
	counter.interval = at && is_number(fields[0]);
	if (at > (size_t)counter.interval)
		counter.place = fields[counter.interval];
	benchmark_grouped(fields[at], &counter.value);
	counter.unit = fields[at + 1];
	counter.event = fields[at + 2];
	if (at + 3 < reading->csv.count && strchr(fields[at + 3], '%'))
		benchmark_grouped(fields[at + 3], &counter.deviation);
	take_counter(reading, &counter);
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
 * What -A, --per-core and the like put before the number: "CPU0", "S0-D0-C1  2", a thread's "name-123". The text after
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

/* What comes after the number and its unit: "seconds time elapsed", "seconds user". */
static void read_clock(struct reading *reading, char *event, double seconds)
{
	size_t length;

	event[strcspn(event, "(#\r")] = '\0';
	length = strlen(event);
	while (length && event[length - 1] == ' ')
		event[--length] = '\0';
	add(reading, reading->command ? reading->command : "perf stat", event, "s", seconds);
}

/* "1.000123  1,234 cycles", "1.000123  CPU0 …" of -I: the text after the time; the same text without one. */
static char *take_interval(char *text, bool *interval)
{
	double seconds;
	size_t length = benchmark_grouped(text, &seconds);
	char *next = text + length + strspn(text + length, " \t");
	char place[32];

	*interval = length && next > text + length && *next != '+' && *next != '-' &&
		    (strchr("0123456789<", *next) || take_place(next, place) != next);
	return *interval ? next : text;
}

/* "( +-  1.20% )" of -r, in percent; negative = none. */
static double deviation_of(const char *text)
{
	const char *at = strstr(text, "( +-");
	double percent;

	if (!at)
		return -1;
	at += 4 + strspn(at + 4, " ");
	return benchmark_grouped(at, &percent) && strchr(at, '%') ? percent : -1;
}

/* "  1,234.5 msec task-clock   #  0.9 CPUs utilized  ( +- 1.2% )", "  0.0012 seconds time elapsed" */
static void read_text(struct reading *reading, char *line)
{
	char *unit = line + strspn(line, " \t"), *event, *end, place[32];
	const char *stats = "Performance counter stats for ";
	struct counter counter = {.unit = "", .place = place};
	size_t length;

	if (strncmp(unit, stats, strlen(stats)) == 0) {
		read_command(reading, unit + strlen(stats));
		return;
	}
	unit = take_interval(unit, &counter.interval);
	unit = take_place(unit, place);
	if (strncmp(unit, "<not ", 5) == 0)
		reading->missing++;
	length = benchmark_grouped(unit, &counter.value);
	if (!length || (unit[length] != ' ' && unit[length] != '\t'))
		return;
	event = unit + length + strspn(unit + length, " \t");
	counter.deviation = deviation_of(event);
	if (strncmp(event, "+-", 2) == 0 && (unit = strstr(event, "seconds"))) /* of -r */
		event = unit;
	if (strncmp(event, "seconds ", 8) == 0) {
		read_clock(reading, event + 8, counter.value);
		return;
	}
	end = event + strcspn(event, " \t\r");
	if (end - event <= 6 &&
	    (strncmp(event, "msec", 4) == 0 || strncmp(event, "ns", 2) == 0 ||
	     strncmp(event, "Joules", 6) == 0 || strncmp(event, "MiB", 3) == 0)) {
		counter.unit = event;
		event = end + strspn(end, " \t");
		*end = '\0';
		end = event + strcspn(event, " \t\r");
	}
	*end = '\0';
	counter.event = event;
	if (*event && *event != '#')
		take_counter(reading, &counter);
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

/* The length of the first field of such a line: a number, "<not counted>" or a place. */
static size_t first_field(const char *text, const char *stop)
{
	const char *at = text;

	if (stop - at > 3 && memcmp(at, "CPU", 3) == 0)
		at += 3;
	while (at < stop && *at && strchr("0123456789.-SDCLN", *at))
		at++;
	if (stop - text > 5 && memcmp(text, "<not ", 5) == 0) {
		const char *end = memchr(text, '>', (size_t)(stop - text));

		at = end ? end + 1 : text;
	}
	return (size_t)(at - text);
}

/* A line "NUMBER,UNIT,EVENT,TIME,SHARE…", with or without places before it: its separator; 0 = there is none. */
static char separator_of(const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *at;
		const char *stop = newline ? newline : end;
		size_t count = 0;

		while (text < stop && *text == ' ')
			text++;
		at = text + first_field(text, stop);
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

/* What whole lines end in: of JSON, and of text the last ones. */
static const char *const endings[] = {"}", "elapsed", "user", "sys", NULL};

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
		status = read_each_log_line(ctx, reading.lines, read_line, &reading, endings);
	add_sums(&reading);
	if (!status && reading.missing)
		perun_warn(ctx, "%s: %zu counter%s not counted and left out",
			   perun_input_name(input), reading.missing,
			   reading.missing == 1 ? " was" : "s were");
	perun_lines_free(reading.lines);
	perun_free(reading.csv.fields);
	perun_json_reader_free(reading.json);
	perun_buffer_free(&reading.uid);
	perun_free(reading.command);
	return benchmark_end(reading.benchmark, status);
}

/* Whether a known event begins a field. */
static bool has_event(const struct perun_probe *probe, char separator)
{
	static const char *const events[] = {"task-clock",   "cpu-clock",        "cycles",
					     "instructions", "context-switches", "page-faults",
					     "duration_time"};
	const char *text = probe->data, *end = text + probe->size;

	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		const char *at = text;

		while ((at = memmem(at, (size_t)(end - at), events[i], strlen(events[i])))) {
			if (at > text && (at[-1] == separator || at[-1] == ' '))
				return true;
			at++;
		}
	}
	return false;
}

static int probe_format(const struct perun_probe *probe)
{
	char separator;

	if (probe->directory || memchr(probe->data, '\0', probe->size))
		return 0;
	if (probe_has(probe, "Performance counter stats for ") ||
	    probe_has(probe, " seconds time elapsed") || probe_has(probe, " counts unit events") ||
	    (probe_has(probe, "\"counter-value\"") && probe_has(probe, "\"event\"")))
		return 95;
	separator = separator_of(probe->data, probe->size);
	return separator && has_event(probe, separator) ? 70 : 0;
}

static const char *const marks[] = {"Performance counter stats for ",
				    " seconds time elapsed",
				    " counts unit events",
				    "\"counter-value\"",
				    "task-clock",
				    "cpu-clock",
				    "cycles",
				    "instructions",
				    "context-switches",
				    "page-faults",
				    "duration_time",
				    NULL};

FORMAT_PLUGIN(perf_stat, "perf-stat", "counters of perf stat", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
