/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV of JMH and what it prints, as results of its JSON. */
#include <string.h>

#include "formats/common/each-line.h"
#include "formats/common/result-table.h"
#include "formats/jmh/results.h"

/* A result without its metrics; takes `parameters`. */
static struct perun_json *new_result(const char *name, const char *mode,
				     struct perun_json *parameters)
{
	struct perun_json *result = perun_json_object();

	perun_json_set(result, "benchmark", perun_json_text(name));
	perun_json_set(result, "mode", perun_json_text(mode));
	perun_json_set(result, "params", parameters);
	return result;
}

static struct perun_json *new_metric(double score, const char *unit)
{
	struct perun_json *metric = perun_json_object();

	perun_json_set(metric, "score", perun_json_double(score));
	perun_json_set(metric, "scoreUnit", perun_json_text(unit));
	return metric;
}

/*
 * "a.B.get" is the benchmark itself; after a colon come metrics of profilers ("a.B.get:gc.alloc.rate"), and percentiles
 * ("a.B.get:get·p0.50", "a.B.get:p0.50"), which are not metrics. The name ends at the colon afterwards.
 */
static bool split_name(char *name, const char **metric)
{
	char *colon = strchr(name, ':');
	const char *dot;

	*metric = "";
	if (!colon)
		return true;
	*colon = '\0';
	*metric = colon + 1 + (strncmp(colon + 1, "\xc2\xb7", 2) == 0 ? 2 : 0);
	dot = strstr(*metric, "\xc2\xb7p");
	dot = dot ? dot + 2 : *metric;
	return strncmp(dot, "p0.", 3) != 0 && strcmp(dot, "p1.00") != 0;
}

/* Takes `metric` and `parameters`. */
static int take(struct jmh_reading *reading, char *name, const char *mode,
		struct perun_json *parameters, struct perun_json *metric, size_t line)
{
	const char *secondary;
	bool known = split_name(name, &secondary);
	struct perun_json *result = new_result(name, mode, parameters);
	int status = PERUN_OK;

	if (known && *secondary) {
		status = jmh_take_metric(reading, result, secondary, metric);
		perun_json_free(metric);
	} else {
		perun_json_set(result, "primaryMetric", metric);
		if (known)
			status = jmh_take_result(reading, result, line);
	}
	perun_json_free(result);
	return status;
}

/* ---- CSV --------------------------------------------------------------------------------------- */

static int read_row(void *data, const struct result_table *table)
{
	static const char *const needed[] = {"Benchmark", "Mode", "Unit"};
	struct jmh_reading *reading = data;
	struct perun_json *parameters, *metric;
	double score, number;
	char *name;
	int status;

	for (size_t i = 0; i < 3; i++)
		if (!result_table_value(table, needed[i], NULL, NULL))
			return perun_fail(reading->ctx, PERUN_INPUT, "there is no column %s",
					  needed[i]);
	if (!result_table_number(table, "Score", &score))
		return perun_fail(reading->ctx, PERUN_INPUT, "line %llu: expected a score",
				  result_table_line(table));
	metric = new_metric(score, result_table_value(table, "Unit", NULL, NULL));
	if (result_table_number(table, "Score Error (99.9%)", &number))
		perun_json_set(metric, "scoreError", perun_json_double(number));
	if (result_table_number(table, "Samples", &number))
		perun_json_set(metric, "samples", perun_json_double(number));
	parameters = perun_json_object();
	for (size_t i = 0; i < result_table_columns(table); i++) {
		const char *heading = result_table_heading(table, i);

		/* A benchmark without this parameter has an empty cell. */
		if (strncmp(heading, "Param: ", 7) == 0 && *result_table_cell(table, i))
			perun_json_set(parameters, heading + 7,
				       perun_json_text(result_table_cell(table, i)));
	}
	name = perun_strdup(result_table_value(table, "Benchmark", NULL, NULL));
	status = take(reading, name, result_table_value(table, "Mode", NULL, NULL), parameters,
		      metric, (size_t)result_table_line(table));
	perun_free(name);
	return status;
}

int jmh_read_csv(struct jmh_reading *reading, struct perun_input *input)
{
	return result_table_read(reading->ctx, input, "Benchmark", read_row, reading);
}

/* ---- what it prints ---------------------------------------------------------------------------- */

enum { MAX_PARAMETERS = 64, MAX_WORDS = MAX_PARAMETERS + 16 };

struct console {
	struct jmh_reading *reading;
	struct perun_lines *lines;
	struct perun_json *result; /* the benchmark whose iterations are read; NULL = none */
	const char *mode;
	bool iterations; /* there were some: the table only repeats their means */
	char *parameters[MAX_PARAMETERS];
	size_t parameter_count;
	bool table;
	size_t approximate; /* scores that are not digits */
};

static const char *after(const char *line, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(line, prefix, length) == 0 ? line + length : NULL;
}

/* "Average time, time/op" as the JSON has it. */
static const char *mode_of(const char *text)
{
	static const char *const modes[][2] = {{"Throughput", "thrpt"},
					       {"Average time", "avgt"},
					       {"Sampling time", "sample"},
					       {"Single shot", "ss"}};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (after(text, modes[i][0]))
			return modes[i][1];
	return "";
}

/* "(n = 10, kind = x)" */
static struct perun_json *parameters_of(const char *text)
{
	struct perun_json *parameters = perun_json_object();
	char *copy = perun_strdup(text + (*text == '(')), *rest = copy, *one;

	copy[strcspn(copy, ")")] = '\0';
	while ((one = strsep(&rest, ","))) {
		char *equals = strstr(one, " = ");

		if (!equals)
			continue;
		*equals = '\0';
		perun_json_set(parameters, one + strspn(one, " "), perun_json_text(equals + 3));
	}
	perun_free(copy);
	return parameters;
}

static int end_result(struct console *console)
{
	int status = PERUN_OK;

	if (console->result && perun_json_get(console->result, "primaryMetric"))
		status = jmh_take_result(console->reading, console->result,
					 (size_t)perun_lines_number(console->lines));
	perun_json_free(console->result);
	console->result = NULL;
	return status;
}

/* The metric `key` of an object, with its list of one fork's values. */
static struct perun_json *values_of(struct perun_json *object, const char *key, const char *unit)
{
	struct perun_json *metric, *forks;

	if (!perun_json_get(object, key)) {
		metric = perun_json_object();
		forks = perun_json_array();
		perun_json_append(forks, perun_json_array());
		perun_json_set(metric, "rawData", forks);
		perun_json_set(metric, "scoreUnit", perun_json_text(unit));
		perun_json_set(object, key, metric);
	}
	return perun_json_path(perun_json_get(object, key), "/rawData/0");
}

/* "12.345 ns/op", "n = 12, mean = 5.1 us/op, p{…} = …": an amount and the word after it, which the caller frees. */
static char *amount_of(const char *text, double *amount)
{
	const char *mean = strstr(text, "mean = ");
	size_t used;

	text = mean ? mean + 7 : text;
	text += strspn(text, " ");
	used = benchmark_grouped(text, amount);
	if (!used)
		return NULL;
	text += used + strspn(text + used, " ");
	return perun_strndup(text, strcspn(text, ", \r"));
}

/* An iteration of the benchmark, or a metric of a profiler during it: "     gc.alloc.rate: 0.001 MB/sec". */
static void take_iteration(struct console *console, const char *line)
{
	const char *value = after(line, "Iteration ");
	struct perun_json *of = console->result;
	char *unit, *name = NULL;
	double amount;

	if (value) {
		console->iterations = true;
		value = strchr(value, ':');
	} else if (*line == ' ' && perun_json_get(of, "primaryMetric")) {
		line += strspn(line, " ");
		line += strncmp(line, "\xc2\xb7", 2) == 0 ? 2 : 0;
		value = strstr(line, ": ");
		name = value ? perun_strndup(line, (size_t)(value - line)) : NULL;
		of = perun_json_get(of, "secondaryMetrics");
	}
	unit = value ? amount_of(value + 1, &amount) : NULL;
	if (unit)
		perun_json_append(values_of(of, name ? name : "primaryMetric", unit),
				  perun_json_double(amount));
	perun_free(unit);
	perun_free(name);
}

/* "Benchmark   (n)  Mode  Cnt  Score   Error  Units": the names of its parameters. */
static bool take_headings(struct console *console, char *line)
{
	char *word, *rest;

	if (!strstr(line, " Mode ") || !strstr(line, " Score ") || !strstr(line, " Units"))
		return false;
	while (console->parameter_count)
		perun_free(console->parameters[--console->parameter_count]);
	for (word = strtok_r(line, " \r", &rest); word; word = strtok_r(NULL, " \r", &rest))
		if (*word == '(' && console->parameter_count < MAX_PARAMETERS) {
			word[strcspn(word, ")")] = '\0';
			console->parameters[console->parameter_count++] = perun_strdup(word + 1);
		}
	console->table = true;
	return true;
}

/* "A.run  10  avgt  5  12.500 ± 0.400  ns/op"; without Cnt and Error where there was one value. */
static int take_table_row(struct console *console, char *line)
{
	char *words[MAX_WORDS], *rest, *word;
	size_t count = 0, mode = console->parameter_count + 1, at = mode + 1;
	struct perun_json *parameters, *metric;
	double numbers[3] = {0};
	size_t found = 0;

	for (word = strtok_r(line, " \r", &rest); word && count < MAX_WORDS;
	     word = strtok_r(NULL, " \r", &rest))
		words[count++] = word;
	if (count < mode + 3)
		return PERUN_OK;
	for (; at + 1 < count && found < 3; at++)
		if (benchmark_grouped(words[at], &numbers[found]))
			found++;
		else if (strcmp(words[at], "\xc2\xb1") != 0 && strcmp(words[at], "?") != 0)
			break;
	if (!found || at + 1 != count) {
		if (at < count && strcmp(words[at], "\xe2\x89\x88") == 0)
			console->approximate++;
		return PERUN_OK;
	}
	parameters = perun_json_object();
	for (size_t i = 0; i < console->parameter_count; i++)
		if (strcmp(words[1 + i], "N/A") != 0)
			perun_json_set(parameters, console->parameters[i],
				       perun_json_text(words[1 + i]));
	metric = new_metric(numbers[found > 1], words[count - 1]);
	if (found == 3) {
		perun_json_set(metric, "samples", perun_json_double(numbers[0]));
		perun_json_set(metric, "scoreError", perun_json_double(numbers[2]));
	}
	return take(console->reading, words[0], words[mode], parameters, metric,
		    (size_t)perun_lines_number(console->lines));
}

static int take_line(void *data, char *line, size_t length)
{
	struct console *console = data;
	const char *rest;
	int status = PERUN_OK;

	(void)length;
	if ((rest = after(line, "# Benchmark: "))) {
		char *name = perun_strndup(rest, strcspn(rest, " \r"));

		status = end_result(console);
		console->result = new_result(name, console->mode, perun_json_object());
		perun_json_set(console->result, "secondaryMetrics", perun_json_object());
		perun_free(name);
	} else if ((rest = after(line, "# Benchmark mode: "))) {
		status = end_result(console);
		console->mode = mode_of(rest);
	} else if (console->result && (rest = after(line, "# Parameters: "))) {
		perun_json_set(console->result, "params", parameters_of(rest));
	} else if (after(line, "Result \"") ||
		   (after(line, "Benchmark ") && take_headings(console, line))) {
		status = end_result(console);
	} else if (console->table && !console->iterations && *line && *line != '#') {
		status = take_table_row(console, line);
	} else if (console->result) {
		take_iteration(console, line);
	}
	return status;
}

/* What whole lines of results end in. */
static const char *const endings[] = {"/op", "/s",   "/ms",  "/us",    "/ns", "/min",
				      "/hr", "/day", "/sec", "counts", "ms",  NULL};

int jmh_read_console(struct jmh_reading *reading, struct perun_input *input)
{
	struct console console = {
		.reading = reading, .lines = perun_lines_new(input, 0), .mode = ""};
	int status = read_each_log_line(reading->ctx, console.lines, take_line, &console, endings);

	if (!status)
		status = end_result(&console);
	if (!status && console.approximate)
		perun_warn(reading->ctx, "%s: left out %zu score%s only about a power of ten",
			   perun_input_name(input), console.approximate,
			   console.approximate == 1 ? " that is" : "s that are");
	perun_json_free(console.result);
	perun_lines_free(console.lines);
	while (console.parameter_count)
		perun_free(console.parameters[--console.parameter_count]);
	return status;
}
