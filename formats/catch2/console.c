/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the console: three lines for each benchmark, with the name, mean and deviation in the first column; a
 * long name takes lines of its own before, or goes on beside the mean and the deviation. Above it, between rules, are the test case and its sections.
 */
#include <math.h>
#include <string.h>

#include "console.h"
#include "formats/common/each-line.h"

#define FAILED "Benchmark failed ("
/* After the name of the program. */
#define HOST " is a Catch2 v"

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
	struct perun_lines *lines;
	struct perun_buffer place;          /* "test case/section" */
	struct perun_buffer name;           /* of the benchmark */
	int rules;                          /* lines of dashes since the place began: 1 = in it */
	bool table;                         /* after the headings of the table */
	bool headings;                      /* the next rule is that below them */
	enum { HEAD, MEAN, DEVIATION } row; /* what the next line is */
	double seconds, share;              /* of the benchmark; the error as a share */
	struct perun_json *seen;            /* the benchmarks of the run */
};

void catch2_number_again(struct perun_json **seen, struct perun_buffer *name)
{
	int64_t before = 0;

	perun_buffer_add_char(name, '\0');
	name->length--;
	if (!*seen)
		*seen = perun_json_object();
	perun_json_as_int64(perun_json_get(*seen, name->data), &before);
	perun_json_set(*seen, name->data, perun_json_int64(before + 1));
	if (before)
		perun_buffer_printf(name, "#%lld", (long long)before + 1);
}

static bool is_rule(const char *line, char c)
{
	size_t length = strspn(line, (const char[]){c, '\0'});

	return length >= 20 && !line[length];
}

/* Take the last word of a line; NULL = there is none. */
static char *take_word(char *line, size_t *length)
{
	size_t end;

	while (*length && line[*length - 1] == ' ')
		line[--*length] = '\0';
	end = *length;
	while (*length && line[*length - 1] != ' ')
		--*length;
	return *length < end ? line + *length : NULL;
}

static bool is_number(const char *word)
{
	return word && *word && !word[strspn(word, "0123456789.")];
}

/* "NAME  100  208  7.1968 ms": samples, iterations and the estimated time follow the name. False: not so. */
static bool take_head(char *line, size_t *length)
{
	char *unit = take_word(line, length), *word;

	if (!unit || !strchr("numsh", *unit))
		return false;
	for (size_t i = 0; i < 3; i++) {
		word = take_word(line, length);
		if (!is_number(word))
			return false;
		*word = '\0';
	}
	while (*length && line[*length - 1] == ' ')
		line[--*length] = '\0';
	return *length > 0;
}

/* "344 ns" in seconds; where it ends. 0 = it is none. */
static size_t take_time(const char *line, double *seconds)
{
	size_t start = strspn(line, " "), length = benchmark_grouped(line + start, seconds), size;
	char unit[8] = "";

	start += length;
	if (!length || line[start] != ' ')
		return 0;
	size = strcspn(++start + line, " ");
	if (size >= sizeof unit)
		return 0;
	memcpy(unit, line + start, size);
	return benchmark_to_seconds(seconds, unit) ? start + size : 0;
}

/* The first word of a name has the place before it. */
static void add_name(struct reading *reading, const char *text)
{
	if (reading->name.length)
		perun_buffer_add_char(&reading->name, ' ');
	else if (reading->place.length)
		perun_buffer_printf(&reading->name, "%s/", reading->place.data);
	perun_buffer_add_text(&reading->name, text);
}

/* "NAME  Benchmark failed (what was thrown)": it has one line. */
static bool read_failure(struct reading *reading, char *line)
{
	char *why = strstr(line, FAILED), *end = why;

	if (!why)
		return false;
	while (end > line && end[-1] == ' ')
		end--;
	*end = '\0';
	why += strlen(FAILED);
	why[strcspn(why, ")")] = '\0';
	add_name(reading, line);
	perun_buffer_add_char(&reading->name, '\0');
	benchmark_failed(reading->benchmark, reading->name.data, why);
	perun_buffer_clear(&reading->name);
	return true;
}

/* "a long name   344 ns   341 ns   349 ns": where the times begin, with what goes on of the name before them. */
static char *find_times(char *line)
{
	for (char *at = line; at; at = strchr(at, ' ')) {
		char *word = at + strspn(at, " ");
		size_t used = 0, one;
		double seconds;

		if (!*word)
			return NULL;
		for (size_t i = 0; i < 3 && (one = take_time(word + used, &seconds)) > 0; i++)
			used += one;
		if (used && !word[used + strspn(word + used, " ")])
			return word;
		at = word;
	}
	return NULL;
}

/* Appends what goes on of the name; the times after it, NULL = there are none. */
static const char *take_rest(struct reading *reading, char *line)
{
	char *times = find_times(line), *end = times;

	while (end > line && end[-1] == ' ')
		*--end = '\0';
	if (times && end > line)
		add_name(reading, line);
	return times;
}

/* The mean and its bounds; the row of the deviation, where the name may go on, ends the benchmark. */
static int read_mean(struct reading *reading, char *line)
{
	const char *times = take_rest(reading, line);
	double low, high;
	size_t length = times ? take_time(times, &reading->seconds) : 0, second;

	if (!length)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "line %llu: expected a mean such as 12.5 ns",
				  (unsigned long long)perun_lines_number(reading->lines));
	reading->share = NAN;
	second = take_time(times + length, &low);
	if (second && take_time(times + length + second, &high))
		reading->share = (high - low) / 2 / BENCHMARK_INTERVAL_Z / reading->seconds;
	reading->row = DEVIATION;
	return PERUN_OK;
}

static void end_benchmark(struct reading *reading)
{
	if (reading->row != DEVIATION)
		return;
	if (reading->name.length) {
		catch2_number_again(&reading->seen, &reading->name);
		benchmark_time(reading->benchmark, reading->name.data, "real", reading->seconds);
		benchmark_deviation(reading->benchmark, "time(real)", reading->name.data,
				    reading->share);
	}
	perun_buffer_clear(&reading->name);
	reading->row = HEAD;
}

static void read_row(struct reading *reading, char *line, size_t length)
{
	char *head;
	size_t rest;

	if (read_failure(reading, line))
		return;
	head = perun_strndup(line, length);
	rest = strlen(head); /* a NUL ends a line as well */
	/* A name begins at the margin. */
	if (*line != ' ') {
		if (take_head(head, &rest))
			reading->row = MEAN;
		add_name(reading, reading->row == MEAN ? head : line);
	}
	perun_free(head);
}

/* A rule is around a place, which ends the table before, or below the headings of a table. */
static void read_rule(struct reading *reading)
{
	perun_buffer_clear(&reading->name);
	if (reading->table && reading->headings) {
		reading->headings = false;
		return;
	}
	if (reading->table)
		reading->rules = 0;
	reading->table = false;
	if (++reading->rules == 1)
		perun_buffer_clear(&reading->place);
}

static void forget_seen(struct reading *reading)
{
	perun_json_free(reading->seen);
	reading->seen = NULL;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	char *host;

	while (length && strchr(" \r\t", line[length - 1]))
		line[--length] = '\0';
	if (reading->row == MEAN)
		return read_mean(reading, line);
	if (reading->row == DEVIATION) {
		bool times = take_rest(reading, line);

		end_benchmark(reading);
		if (times)
			return PERUN_OK;
	}
	host = strstr(line, HOST);
	if (host && !reading->table) {
		*host = '\0';
		benchmark_command(reading->benchmark, line);
	} else if (is_rule(line, '=') || is_rule(line, '.') || is_rule(line, '~')) {
		reading->rules = 0;
		reading->table = false;
		if (line[0] == '=') /* the end of a run: what comes after it repeats it */
			forget_seen(reading);
	} else if (is_rule(line, '-')) {
		read_rule(reading);
	} else if (strncmp(line, "benchmark name", 14) == 0) {
		reading->table = true;
		reading->headings = true;
	} else if (!reading->table && reading->rules == 1 && length) {
		if (reading->place.length)
			perun_buffer_add_char(&reading->place, '/');
		perun_buffer_add_text(&reading->place, line + strspn(line, " "));
	} else if (reading->table && !length) {
		perun_buffer_clear(&reading->name);
	} else if (reading->table) {
		read_row(reading, line, length);
	}
	return PERUN_OK;
}

/* What whole lines end in where no values may follow. */
static const char *const endings[] = {"=", "-", ")", NULL};

int catch2_read_console(struct perun_ctx *ctx, struct perun_input *input,
			struct benchmark *benchmark)
{
	struct reading reading = {
		.ctx = ctx, .benchmark = benchmark, .lines = perun_lines_new(input, 0)};
	int status = read_each_log_line(ctx, reading.lines, read_line, &reading, endings);

	if (!status)
		end_benchmark(&reading);
	perun_lines_free(reading.lines);
	forget_seen(&reading);
	perun_buffer_free(&reading.place);
	perun_buffer_free(&reading.name);
	return status;
}

bool catch2_probe_console(const struct perun_probe *probe)
{
	return probe_has(probe, "\nbenchmark name ") && probe_has(probe, " iterations ") &&
	       probe_has(probe, "low mean");
}
