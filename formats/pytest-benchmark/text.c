/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that pytest-benchmark prints: a line for each benchmark, with the columns that were asked for. */
#include <math.h>
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/pytest-benchmark/text.h"

enum { MEAN, MEDIAN, MIN, STDDEV, ROUNDS, COLUMNS };

static const char *const headings[COLUMNS] = {"Mean", "Median", "Min", "StdDev", "Rounds"};

/* More columns than pytest-benchmark has. */
#define MAX_COLUMNS 32

struct reading {
	struct benchmark *benchmark;
	char unit[8];             /* of the times of the table; "" = no table */
	int columns[MAX_COLUMNS]; /* which each is; COLUMNS = another one */
	size_t count;
};

static char *next_word(char **rest)
{
	char *word;

	do
		word = strsep(rest, " ");
	while (word && !*word);
	return word;
}

/* Take the last word off a line; NULL: the one before it would be the first, which is the name. */
static char *last_word(char *line)
{
	size_t length = strlen(line);
	char *blank;

	while (length && line[length - 1] == ' ')
		line[--length] = '\0';
	blank = strrchr(line, ' ');
	if (!blank)
		return NULL;
	*blank = '\0';
	return blank + 1;
}

/* "Name (time in us)     Min     Mean     OPS (Kops/s)     Rounds" */
static bool read_headings(struct reading *reading, char *line)
{
	static const char first[] = "Name (time in ";
	char *word;
	size_t length;

	if (strncmp(line, first, sizeof first - 1) != 0)
		return false;
	line += sizeof first - 1;
	length = strcspn(line, ")");
	reading->count = 0;
	reading->unit[0] = '\0';
	if (!line[length] || length >= sizeof reading->unit)
		return true;
	memcpy(reading->unit, line, length);
	reading->unit[length] = '\0';
	line += length + 1;
	while ((word = next_word(&line)) && reading->count < MAX_COLUMNS) {
		int column = 0;

		/* The unit of the column before. */
		if (*word == '(')
			continue;
		while (column < COLUMNS && strcmp(headings[column], word) != 0)
			column++;
		reading->columns[reading->count++] = column;
	}
	return true;
}

/* "1,123.2069 (1.04)": how it compares with the best is only there where the table has several. */
static bool take_cells(const struct reading *reading, char *line, double values[COLUMNS])
{
	for (size_t i = reading->count; i > 0; i--) {
		char *word = last_word(line);
		double value;

		if (word && *word == '(')
			word = last_word(line);
		if (!word)
			return false;
		if (reading->columns[i - 1] == COLUMNS)
			continue;
		if (!benchmark_grouped(word, &value))
			return false;
		values[reading->columns[i - 1]] = value;
	}
	return true;
}

/* With --benchmark-compare the runs that were kept are lines, too: "test_a (0001_ac3775c)", "test_a (NOW)". */
static bool is_of_this_run(char *name)
{
	size_t length = strlen(name);
	char *run;

	while (length && name[length - 1] == ' ')
		name[--length] = '\0';
	run = strrchr(name, '(');
	if (!run || run == name || run[-1] != ' ' || name[length - 1] != ')')
		return true;
	if (strcmp(run, "(NOW)") == 0) {
		run[-1] = '\0';
		return true;
	}
	return strspn(run + 1, "0123456789") != 4 || run[5] != '_';
}

static void read_row(struct reading *reading, char *line)
{
	double values[COLUMNS] = {NAN, NAN, NAN, NAN, NAN}, seconds;

	if (!take_cells(reading, line, values) || !is_of_this_run(line))
		return;
	for (int i = MEAN; i <= MIN; i++) {
		seconds = values[i];
		if (isnan(seconds))
			continue;
		if (!benchmark_to_seconds(&seconds, reading->unit))
			return;
		benchmark_time(reading->benchmark, line, "real", seconds);
		benchmark_samples(reading->benchmark, "time(real)");
		if (i == MEAN && values[ROUNDS] > 0)
			benchmark_deviation(reading->benchmark, "time(real)", line,
					    values[STDDEV] / values[MEAN] / sqrt(values[ROUNDS]));
		return;
	}
}

/* "FAILED tests/test_a.py::test_sort[3] - AssertionError: ..." */
static void read_failure(struct reading *reading, char *line)
{
	char *why = strstr(line, " - "), *name = line, *next;

	if (why)
		*why = '\0';
	while ((next = strstr(name, "::")))
		name = next + 2;
	if (name != line)
		benchmark_failed(reading->benchmark, name, why ? why + 3 : "");
}

/* "platform linux -- Python 3.9.7, pytest-7.2.2, pluggy-1.0.0" */
static void read_platform(struct reading *reading, char *line)
{
	char *version = strstr(line, " -- Python ");

	if (!version)
		return;
	version += strlen(" -- Python ");
	version[strcspn(version, ",")] = '\0';
	benchmark_machine(reading->benchmark, "toolchain", NULL, version);
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	line += strspn(line, " ");
	if (read_headings(reading, line))
		return PERUN_OK;
	if (!*line)
		reading->unit[0] = '\0'; /* the end of a table */
	else if (reading->unit[0] && line[strspn(line, "-")])
		read_row(reading, line);
	else if (strncmp(line, "FAILED ", 7) == 0)
		read_failure(reading, line + 7);
	else if (strncmp(line, "platform ", 9) == 0)
		read_platform(reading, line);
	return PERUN_OK;
}

/* What whole lines of results end in. */
static const char *const endings[] = {"=", "-", NULL};

int pytest_benchmark_read_text(struct perun_ctx *ctx, struct perun_input *input,
			       struct benchmark *benchmark)
{
	struct reading reading = {.benchmark = benchmark};
	struct perun_lines *lines = perun_lines_new(input, 0);
	int status = read_each_log_line(ctx, lines, read_line, &reading, endings);

	perun_lines_free(lines);
	return status;
}
