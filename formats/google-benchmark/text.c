/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV of Google Benchmark and what it prints, as the document that its JSON is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"
#include "formats/common/result-table.h"
#include "formats/google-benchmark/text.h"

static struct perun_json *new_document(void)
{
	struct perun_json *document = perun_json_object();

	perun_json_set(document, "context", perun_json_object());
	perun_json_set(document, "benchmarks", perun_json_array());
	return document;
}

static void set_text(struct perun_json *object, const char *key, const char *text)
{
	perun_json_set(object, key, perun_json_text(text));
}

static void set_number(struct perun_json *object, const char *key, double number)
{
	perun_json_set(object, key, perun_json_double(number));
}

/*
 * A run of that name: "BM_Sort/8_mean" is an aggregate, "BM_Sort_BigO" and "BM_Sort_RMS" describe the complexity that was
 * fitted.
 */
static struct perun_json *new_run(const char *name)
{
	static const char *const aggregates[] = {"mean", "median", "stddev", "cv", "BigO", "RMS"};
	struct perun_json *run = perun_json_object();
	const char *last = strrchr(name, '_'), *aggregate = "";
	char *own;

	for (size_t i = 0; last && i < sizeof aggregates / sizeof *aggregates; i++)
		if (strcmp(last + 1, aggregates[i]) == 0)
			aggregate = aggregates[i];
	own = perun_strndup(name, *aggregate ? (size_t)(last - name) : strlen(name));
	set_text(run, "name", name);
	set_text(run, "run_name", own);
	set_text(run, "run_type", *aggregate ? "aggregate" : "iteration");
	if (*aggregate)
		set_text(run, "aggregate_name", aggregate);
	perun_free(own);
	return run;
}

static bool is_aggregate(const struct perun_json *run, const char *name)
{
	const char *is = perun_json_as_string(perun_json_get(run, "aggregate_name"), NULL);

	return is && strcmp(is, name) == 0;
}

/* Takes the times of a run; those of a fit are its coefficients, those of a quotient are none. */
static void set_times(struct perun_json *run, double real, double cpu, const char *unit)
{
	if (is_aggregate(run, "cv"))
		return;
	if (is_aggregate(run, "RMS")) {
		set_number(run, "rms", real);
	} else if (is_aggregate(run, "BigO")) {
		set_text(run, "big_o", unit);
		set_number(run, "real_coefficient", real);
		set_number(run, "cpu_coefficient", cpu);
	} else {
		set_number(run, "real_time", real);
		set_number(run, "cpu_time", cpu);
		set_text(run, "time_unit", unit);
	}
}

static void set_failure(struct perun_json *run, const char *why)
{
	perun_json_set(run, "error_occurred", perun_json_bool(true));
	set_text(run, "error_message", why);
}

/* ---- CSV --------------------------------------------------------------------------------------- */

/* The iterations of an aggregate are the repetitions. */
static const char *key_of(const struct perun_json *run, const char *heading)
{
	const char *type = perun_json_as_string(perun_json_get(run, "run_type"), NULL);

	return strcmp(heading, "iterations") == 0 && type && strcmp(type, "aggregate") == 0
		       ? "repetitions"
		       : heading;
}

static int read_row(void *data, const struct result_table *table)
{
	static const char *const known[] = {"name",      "real_time",      "cpu_time",
					    "time_unit", "error_occurred", "error_message"};
	struct perun_json *run = new_run(result_table_value(table, "name", NULL, NULL));
	const char *unit = result_table_value(table, "time_unit", NULL, NULL),
		   *failed = result_table_value(table, "error_occurred", NULL, NULL),
		   *why = result_table_value(table, "error_message", NULL, NULL);
	double real, cpu, number;

	if (failed && *failed && strcmp(failed, "false") != 0)
		set_failure(run, why ? why : "");
	else if (result_table_number(table, "real_time", &real) &&
		 result_table_number(table, "cpu_time", &cpu))
		set_times(run, real, cpu, unit && *unit ? unit : "ns");
	for (size_t i = 0; i < result_table_columns(table); i++) {
		const char *heading = result_table_heading(table, i),
			   *cell = result_table_cell(table, i);
		bool taken = false;

		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			taken = taken || strcmp(heading, known[k]) == 0;
		if (taken || !*cell)
			continue;
		if (strcmp(heading, "label") == 0)
			set_text(run, heading, cell);
		else if (result_table_number(table, heading, &number))
			set_number(run, key_of(run, heading), number);
	}
	perun_json_append(data, run);
	return PERUN_OK;
}

int google_benchmark_csv(struct perun_ctx *ctx, struct perun_input *input,
			 struct perun_json **document)
{
	*document = new_document();
	return result_table_read(ctx, input, "name", read_row,
				 perun_json_get(*document, "benchmarks"));
}

/* ---- what it prints ---------------------------------------------------------------------------- */

/* Time and its unit, processor time and its unit, iterations; then counters. */
enum { TIME, TIME_UNIT, CPU, CPU_UNIT, ITERATIONS, COUNTERS, MAX_WORDS = 256 };

struct console {
	struct perun_lines *lines;
	struct perun_json *context, *runs;
	size_t width;   /* of the names; 0 = there were no headings yet */
	char *headings; /* counters of a table (--benchmark_counters_tabular) */
	char *counters[MAX_WORDS];
	size_t counter_count;
};

/* The words of a line in place; the number of them. */
static size_t split_words(char *line, char *words[MAX_WORDS])
{
	char *rest, *word;
	size_t count = 0;

	for (word = strtok_r(line, " \r", &rest); word && count < MAX_WORDS;
	     word = strtok_r(NULL, " \r", &rest))
		words[count++] = word;
	return count;
}

/*
 * "Benchmark      Time             CPU   Iterations": the name has a blank after it and the time 13 columns, of which its
 * heading takes the last ones.
 */
static void take_headings(struct console *console, const char *line)
{
	char *words[MAX_WORDS];
	size_t count, end = (size_t)(strstr(line, " Time") + strlen(" Time") - line);

	perun_free(console->headings);
	console->headings = perun_strdup(line);
	console->width = end > 14 ? end - 14 : 0;
	console->counter_count = 0;
	count = split_words(console->headings, words);
	for (size_t i = 4; i < count; i++) /* Benchmark Time CPU Iterations */
		if (strcmp(words[i], "UserCounters...") != 0)
			console->counters[console->counter_count++] = words[i];
}

/* "1.5k/s", "3.2Gi/s", "12.5%", "4": a counter with the prefix that people read; the bytes it has, 0 = none. */
static size_t read_counter(const char *text, double *number)
{
	static const char prefixes[] = "kMGTPEZY", small[] = "munpfazy";
	size_t used = benchmark_grouped(text, number);
	const char *at;

	if (!used)
		return 0;
	if (text[used] && (at = strchr(prefixes, text[used]))) {
		bool binary = text[used + 1] == 'i';

		*number *= pow(binary ? 1024 : 1000, (double)(at - prefixes + 1));
		used += binary ? 2 : 1;
	} else if (text[used] && (at = strchr(small, text[used]))) {
		*number *= pow(1000, -(double)(at - small + 1));
		used++;
	} else if (text[used] == '%') {
		*number /= 100;
		used++;
	}
	if (strcmp(text + used, "/s") == 0)
		used += 2;
	return text[used] && strcmp(text + used, "s") != 0 ? 0 : used;
}

/* "items_per_second=83M/s", then perhaps a label of several words. */
static void take_counters(struct console *console, struct perun_json *run, char **words,
			  size_t count)
{
	struct perun_buffer label = {0};
	double number;

	for (size_t i = 0; i < count; i++) {
		char *equals = strchr(words[i], '=');

		if (i < console->counter_count && read_counter(words[i], &number)) {
			set_number(run, console->counters[i], number);
		} else if (equals && !label.length && read_counter(equals + 1, &number)) {
			*equals = '\0';
			set_number(run, words[i], number);
		} else {
			perun_buffer_printf(&label, "%s%s", label.length ? " " : "", words[i]);
		}
	}
	if (label.length)
		set_text(run, "label", label.data);
	perun_buffer_free(&label);
}

/* After the name: "ERROR OCCURRED: 'why'", "SKIPPED: 'why'", or what was measured. */
static void take_run(struct console *console, const char *name, char *rest)
{
	char *quote = strchr(rest, '\''), *words[MAX_WORDS];
	bool failed = strncmp(rest, "ERROR", 5) == 0 || strncmp(rest, "SKIPPED", 7) == 0;
	struct perun_json *run;
	double real, cpu, iterations;
	size_t count, first = COUNTERS;

	if (failed) {
		run = new_run(name);
		if (quote)
			quote[strcspn(quote + 1, "'") + 1] = '\0';
		set_failure(run, quote ? quote + 1 : "");
		perun_json_append(console->runs, run);
		return;
	}
	count = split_words(rest, words);
	if (count <= CPU_UNIT || !benchmark_grouped(words[TIME], &real) ||
	    !benchmark_grouped(words[CPU], &cpu))
		return;
	run = new_run(name);
	set_times(run, real, cpu, words[TIME_UNIT]);
	if (count > ITERATIONS && benchmark_grouped(words[ITERATIONS], &iterations))
		set_number(run, key_of(run, "iterations"), iterations);
	else
		first = ITERATIONS;
	if (first <= count)
		take_counters(console, run, words + first, count - first);
	perun_json_append(console->runs, run);
}

#define RUNNING "Running "
/* Of the last 1, 5 and 15 minutes. */
#define LOAD "Load Average: "

/* What is said before the headings. */
static void take_context(struct console *console, const char *line)
{
	int processors;
	double megahertz;

	/* What a warning would say follows, and does not where there is nothing to warn of. */
	if (sscanf(line, "Run on (%d X %lf", &processors, &megahertz) == 2) {
		set_text(console->context, "library_build_type", "release");
		perun_json_set(console->context, "cpu_scaling_enabled", perun_json_bool(false));
		perun_json_set(console->context, "num_cpus", perun_json_int64(processors));
		set_number(console->context, "mhz_per_cpu", megahertz);
	} else if (strncmp(line, RUNNING, strlen(RUNNING)) == 0) {
		set_text(console->context, "executable", line + strlen(RUNNING));
	} else if (strncmp(line, LOAD, strlen(LOAD)) == 0) {
		struct perun_json *loads = perun_json_array();

		perun_json_append(loads,
				  perun_json_double(perun_strtod(line + strlen(LOAD), NULL)));
		perun_json_set(console->context, "load_avg", loads);
	} else if (strstr(line, "CPU scaling is enabled")) {
		perun_json_set(console->context, "cpu_scaling_enabled", perun_json_bool(true));
	} else if (strstr(line, "Library was built as DEBUG")) {
		set_text(console->context, "library_build_type", "debug");
	}
}

static int take_line(void *data, char *line, size_t length)
{
	struct console *console = data;
	size_t name;

	if (strncmp(line, "Benchmark ", 10) == 0 && strstr(line, " Time ") &&
	    strstr(line, " CPU ")) {
		take_headings(console, line);
	} else if (!console->width) {
		take_context(console, line);
	} else if (length && line[0] != '-' && line[0] != ' ') {
		/* A name may have blanks; one that is wider than the headings ends at the first. */
		name = length > console->width && line[console->width] == ' ' ? console->width
									      : strcspn(line, " ");
		if (name < length) {
			char *rest = line + name + strspn(line + name, " ");

			line[name] = '\0';
			while (name && line[name - 1] == ' ')
				line[--name] = '\0';
			take_run(console, line, rest);
		}
	}
	return PERUN_OK;
}

int google_benchmark_console(struct perun_ctx *ctx, struct perun_input *input,
			     struct perun_json **document)
{
	struct console console = {.lines = perun_lines_new(input, 0)};
	int status;

	*document = new_document();
	console.context = perun_json_get(*document, "context");
	console.runs = perun_json_get(*document, "benchmarks");
	status = read_each_log_line(ctx, console.lines, take_line, &console, NULL);
	perun_lines_free(console.lines);
	perun_free(console.headings);
	return status;
}
