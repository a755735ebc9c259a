/* SPDX-License-Identifier: BSD-3-Clause */
/* asv: airspeed velocity: what `asv run` prints, and a file of its results. */
#include <math.h>
#include <string.h>

#include "formats/asv/printed-table.h"
#include "formats/common/characters.h"
#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"

/* Half of a 99 % interval is this many standard errors. */
#define INTERVAL_99_Z 2.576

/* Where the columns of a file of results are; SIZE_MAX = it has no such one. */
struct columns {
	size_t result, parameters, samples, bounds[2];
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct benchmark *benchmark;
	char *environment; /* "virtualenv-py3.6" */
	char *name;        /* of the benchmark whose parameters follow */
	struct asv_table table;
	struct columns columns;
	size_t failed;
	uint64_t expansion_left; /* bytes of names */
	size_t values;
};

struct settings {
	uint64_t expansion_limit;
};

static const struct perun_option options[] = {
	{.name = "expansion-limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "64M",
	 .help = "reading: how much the names of benchmarks with their parameters may take"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct settings *settings = perun_alloc_zero(1, sizeof *settings);

	(void)ctx;
	(void)subcommand;
	settings->expansion_limit = perun_option_size(given, "expansion-limit");
	*instance = settings;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	perun_free(instance);
}

/* The metric of a benchmark of memory: an object's size, which is the same each time, or what a process had at most. */
static const char *metric_of_memory(const char *kind)
{
	if (strncmp(kind, "mem_", 4) == 0)
		return "size";
	return strncmp(kind, "peakmem_", 8) == 0 ? "memory" : NULL;
}

/* The benchmark's own name without those of its module and class: it begins with what is measured. */
static const char *kind_of(const char *name)
{
	const char *end = name + strcspn(name, "( "), *last = end;

	while (last > name && last[-1] != '.')
		last--;
	return last;
}

/* ---- what asv run prints ---------------------------------------------------------------------- */

/*
 * "11.1±0.01μs", "2.42k" (bytes of mem_ and peakmem_ benchmarks), "35.5ms", "3": decimal factors, as asv prints sizes.
 */
static bool add_text(struct reading *reading, const char *uid, const char *text)
{
	double value, factor = 1;
	size_t length = benchmark_grouped(text, &value);
	const char *unit = text + length, *spread = strstr(text, "\xc2\xb1");
	const char *memory = metric_of_memory(kind_of(uid));
	double around = 0;
	bool done;

	if (!length)
		return false;
	if (spread) {
		length = benchmark_grouped(spread + 2, &around);
		unit = spread + 2 + length;
	}
	unit += *unit == ' ';
	if (*unit && strchr("kMGT", *unit) && !unit[1]) {
		factor = *unit == 'k' ? 1e3 : *unit == 'M' ? 1e6 : *unit == 'G' ? 1e9 : 1e12;
		unit = memory ? "B" : "";
	} else if (!*unit) {
		unit = memory ? "B" : "";
	}
	done = benchmark_in_unit(reading->benchmark, uid, "real", memory, unit, value * factor);
	/* Half of the range between the quartiles of the samples, which is more than the error of their median. */
	if (done && spread && value > 0 && !memory)
		benchmark_deviation(reading->benchmark, "time(real)", uid, around / value);
	return done;
}

static char *uid_of(const struct reading *reading, const char *name, const char *parameters)
{
	struct perun_buffer uid = {0};

	perun_buffer_add_text(&uid, name);
	if (*parameters)
		perun_buffer_printf(&uid, "(%s)", parameters);
	if (reading->environment)
		perun_buffer_printf(&uid, " [%s]", reading->environment);
	return perun_buffer_take(&uid);
}

static void fail(struct reading *reading, const char *name, const char *parameters)
{
	char *uid = uid_of(reading, name, parameters);

	reading->failed++;
	benchmark_failed(reading->benchmark, uid, "");
	perun_free(uid);
}

/* The last word of a line, which it is cut off from; NULL = it has only one. */
static char *take_last(char *line)
{
	char *last = strrchr(line, ' ');

	if (!last || last == line)
		return NULL;
	*last = '\0';
	for (char *end = last; end > line && end[-1] == ' '; end--)
		end[-1] = '\0';
	return last + 1;
}

/* "1/6": some of a benchmark's parameters failed. */
static bool is_share(const char *text)
{
	size_t first = strspn(text, "0123456789");

	return first && text[first] == '/' && strspn(text + first + 1, "0123456789") &&
	       !text[first + 1 + strspn(text + first + 1, "0123456789")];
}

/* "[ 35.00%] ··· benchmarks.TimeSuite.time_iterkeys    11.1±0.01μs", after the dots */
static void read_result(struct reading *reading, char *text)
{
	char *value = take_last(text), *uid, *share;

	perun_free(reading->name);
	reading->name = NULL;
	asv_table_free(&reading->table);
	if (value && strcmp(value, "failed") == 0 && (share = strrchr(text, ' ')) &&
	    is_share(share + 1)) {
		take_last(text);
		value = "ok";
	}
	if (!value || strchr(text, ' '))
		return;
	if (strcmp(value, "failed") == 0 || strcmp(value, "n/a") == 0) {
		if (*value == 'f')
			fail(reading, text, "");
		return;
	}
	if (strcmp(value, "ok") == 0) {
		reading->name = perun_strdup(text); /* a table of parameters follows */
		return;
	}
	uid = uid_of(reading, text, "");
	add_text(reading, uid, value);
	perun_free(uid);
}

/* "   10      1.23±0.1μs     2.5±0.1ms": a line of the table. */
static void read_row(struct reading *reading, const char *line)
{
	const struct asv_table *table = &reading->table;

	if (!asv_table_next(&reading->table, line))
		return;
	for (size_t i = table->first_value; i < table->columns; i++) {
		char *parameters = asv_table_parameters(table, i), *uid;

		if (strcmp(table->cells[i], "failed") == 0)
			fail(reading, reading->name, parameters);
		if (*table->cells[i] && strchr("-0123456789", *table->cells[i])) {
			uid = uid_of(reading, reading->name, parameters);
			add_text(reading, uid, table->cells[i]);
			perun_free(uid);
		}
		perun_free(parameters);
	}
}

/* A line of the table after "[ 50.00%] ···": each character of that becomes a blank, so that columns stay where they are. */
static void blank(char *line, char *text)
{
	size_t count = characters_in(line, (size_t)(text - line));

	memset(line, ' ', count);
	memmove(line + count, text, strlen(text) + 1);
}

static int read_line(void *data, char *line, size_t length)
{
	static const char dots[] = "\xc2\xb7";
	struct reading *reading = data;
	char *text = strchr(line, ']');

	while (length && strchr(" \r\t", line[length - 1]))
		line[--length] = '\0';
	if (*line != '[' || !text || !memchr(line, '%', (size_t)(text - line))) {
		if (reading->table.part != ASV_TABLE_NONE)
			read_row(reading, line);
		return PERUN_OK;
	}
	text += 1 + strspn(text + 1, " ");
	while (strncmp(text, dots, 2) == 0)
		text += 2;
	if (reading->table.part != ASV_TABLE_NONE &&
	    (strncmp(text, "  ", 2) == 0 || strchr("=-", text[strspn(text, " ")]))) {
		blank(line, text);
		read_row(reading, line);
		return PERUN_OK;
	}
	text += strspn(text, " ");
	if (strncmp(text, "Benchmarking ", 13) == 0) {
		perun_free(reading->environment);
		reading->environment = perun_strdup(text + 13);
	} else if (*text == '=') {
		if (reading->name)
			asv_table_begin(&reading->table, line);
	} else if (strncmp(text, "Running", 7) != 0 && strncmp(text, "Building", 8) != 0 &&
		   strncmp(text, "Setting up", 10) != 0 && strncmp(text, "For ", 4) != 0) {
		read_result(reading, text);
	}
	return PERUN_OK;
}

/* ---- a file of results ------------------------------------------------------------------------ */

/* The place of a column; the order of version 2 is in "result_columns". */
static size_t column_of(const struct perun_json *document, const char *name, size_t otherwise)
{
	const struct perun_json *columns = perun_json_get(document, "result_columns");

	for (size_t i = 0; i < perun_json_count(columns); i++) {
		const char *text = perun_json_as_string(perun_json_pass(columns, i, NULL), NULL);

		if (text && strcmp(text, name) == 0)
			return i;
	}
	return otherwise;
}

static struct columns columns_of(const struct perun_json *document)
{
	return (struct columns){
		.result = column_of(document, "result", 0),
		.parameters = column_of(document, "params", 1),
		.samples = column_of(document, "samples", SIZE_MAX),
		.bounds = {column_of(document, "stats_ci_99_a", SIZE_MAX),
			   column_of(document, "stats_ci_99_b", SIZE_MAX)},
	};
}

/* The combination of parameters number `at`, the last one changes first: "10, 'a'". */
static char *combination(const struct perun_json *parameters, size_t at)
{
	struct perun_buffer out = {0};
	size_t dimensions = perun_json_count(parameters), count = 0;
	struct {
		size_t dimension, value;
	} chosen[64]; /* where it is not the first value: `at` is halved each time */

	for (size_t i = dimensions; at && i-- > 0;) {
		size_t values = perun_json_count(perun_json_pass(parameters, i, NULL));

		if (values > 1 && at % values) {
			chosen[count].dimension = i;
			chosen[count++].value = at % values;
		}
		at /= values ? values : 1;
	}
	for (size_t i = 0; i < dimensions; i++) {
		const bool later = count && chosen[count - 1].dimension == i;
		const char *text = perun_json_as_string(
			perun_json_pass(perun_json_pass(parameters, i, NULL),
					later ? chosen[count - 1].value : 0, NULL),
			NULL);

		perun_buffer_add_text(&out, i ? ", " : "");
		perun_buffer_add_text(&out, text ? text : "?");
		count -= later;
	}
	return perun_buffer_take(&out);
}

/*
 * Files of results have no units: the benchmark's kind is in its name. A value that is NaN has failed. `samples`: the
 * times whose median it is, with --record-samples; NULL where they were not kept.
 */
static int add_number(struct reading *reading, const char *name, const char *parameters,
		      double value, double deviation, const struct perun_json *samples)
{
	const char *kind = kind_of(name), *memory = metric_of_memory(kind);
	char *uid = uid_of(reading, name, parameters);
	size_t length = strlen(uid);

	if (length > reading->expansion_left) {
		perun_free(uid);
		return perun_fail(
			reading->ctx, PERUN_INPUT,
			"the names of benchmarks with their parameters take more than the "
			"option expansion-limit allows");
	}
	reading->expansion_left -= length;
	if (isnan(value)) {
		reading->failed++;
		benchmark_failed(reading->benchmark, uid, "");
	} else if (memory) {
		benchmark_value(reading->benchmark, uid, memory, "B", false, value);
	} else if (strncmp(kind, "track_", 6) == 0) {
		benchmark_value(reading->benchmark, uid, "value", "", false, value);
	} else if (perun_json_count(samples) > 1) {
		benchmark_times(reading->benchmark, uid, "real", samples, 1);
		benchmark_samples(reading->benchmark, "time(real)");
	} else if (benchmark_time(reading->benchmark, uid, "real", value)) {
		benchmark_deviation(reading->benchmark, "time(real)", uid, deviation);
	}
	perun_free(uid);
	return ++reading->values % 1024 == 0 && perun_cancelled(reading->ctx) ? PERUN_CANCELLED
									      : PERUN_OK;
}

/* The standard error of value `i` by its 99 % interval, as a share; NaN = the file has none. */
static double deviation_at(const struct columns *columns, const struct perun_json *entry, size_t i,
			   double value)
{
	double bounds[2];

	for (size_t k = 0; k < 2; k++) {
		size_t column = columns->bounds[k];

		if (column == SIZE_MAX || perun_json_type(entry) != PERUN_JSON_TYPE_ARRAY ||
		    !perun_json_as_double(perun_json_pass(perun_json_at(entry, column), i, NULL),
					  &bounds[k]))
			return NAN;
	}
	return (bounds[1] - bounds[0]) / 2 / INTERVAL_99_Z / value;
}

static const struct perun_json *samples_at(const struct columns *columns,
					   const struct perun_json *entry, size_t i)
{
	if (columns->samples == SIZE_MAX || perun_json_type(entry) != PERUN_JSON_TYPE_ARRAY)
		return NULL;
	return perun_json_pass(perun_json_at(entry, columns->samples), i, NULL);
}

/* [[values], [[parameters]], …], or in version 1 a number or {"result": …, "params": …} */
static int read_entry(struct reading *reading, const struct perun_json *entry, const char *name)
{
	const struct perun_json *values = entry, *parameters = NULL;
	int status = PERUN_OK;
	double value;

	if (perun_json_type(entry) == PERUN_JSON_TYPE_ARRAY) {
		values = perun_json_at(entry, reading->columns.result);
		parameters = perun_json_at(entry, reading->columns.parameters);
	} else if (perun_json_type(entry) == PERUN_JSON_TYPE_OBJECT) {
		values = perun_json_get(entry, "result");
		parameters = perun_json_get(entry, "params");
	}
	if (perun_json_as_double(values, &value))
		status = add_number(reading, name, "", value, NAN, NULL);
	for (size_t i = 0; !status && i < perun_json_count(values); i++) {
		char *words;

		words = combination(parameters, i);
		if (!perun_json_as_double(perun_json_pass(values, i, NULL), &value))
			value = NAN;
		status = add_number(reading, name, words, value,
				    deviation_at(&reading->columns, entry, i, value),
				    samples_at(&reading->columns, entry, i));
		perun_free(words);
	}
	return status;
}

/* "py3.9-cython-numpy1.8": before version 2 files are named so, and what they require says it. */
static char *environment_of(const struct perun_json *document)
{
	const char *name = perun_json_as_string(perun_json_get(document, "env_name"), NULL);
	const char *python = perun_json_as_string(perun_json_get(document, "python"), NULL);
	const struct perun_json *requirements = perun_json_get(document, "requirements");
	struct perun_buffer out = {0};

	if (name || !python)
		return perun_strdup(name);
	perun_buffer_printf(&out, "py%s", python);
	for (size_t i = 0; i < perun_json_count(requirements); i++) {
		const char *name,
			*version =
				perun_json_as_string(perun_json_pass(requirements, i, &name), NULL);

		perun_buffer_printf(&out, "-%s%s", name, version ? version : "");
	}
	return perun_buffer_take(&out);
}

static int read_results(struct reading *reading, struct perun_input *input)
{
	static const char *const facts[] = {"commit_hash", "date", "env_name", "params", "python"};
	const struct perun_json *results;
	struct perun_json *document;
	int status = benchmark_document(reading->ctx, input, &document);

	if (status)
		return status;
	status = benchmark_member(reading->ctx, document, "", "results", PERUN_JSON_TYPE_OBJECT,
				  &results);
	reading->environment = environment_of(document);
	reading->columns = columns_of(document);
	for (size_t i = 0; !status && i < perun_json_count(results); i++) {
		const char *name;
		const struct perun_json *entry = perun_json_pass(results, i, &name);

		status = read_entry(reading, entry, name);
	}
	benchmark_machine(reading->benchmark, "cpu", "model",
			  perun_json_as_string(perun_json_path(document, "/params/cpu"), NULL));
	benchmark_machine(reading->benchmark, "cpu", "total",
			  perun_json_as_string(perun_json_path(document, "/params/num_cpu"), NULL));
	benchmark_machine(reading->benchmark, "architecture", NULL,
			  perun_json_as_string(perun_json_path(document, "/params/arch"), NULL));
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		if (perun_json_get(document, facts[i]))
			benchmark_fact(reading->benchmark, facts[i],
				       perun_json_clone(perun_json_get(document, facts[i])));
	perun_json_free(document);
	return status;
}

/* What whole lines of results end in. */
static const char *const endings[] = {"ns", "us", "μs",     "ms",  "#s", "#B", "#k",
				      "#M", "#G", "failed", "n/a", "-",  "=",  NULL};

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	const struct settings *settings = instance;
	struct reading reading = {.ctx = ctx, .expansion_left = settings->expansion_limit};
	char first = 0;
	size_t got;
	int status = perun_input_read(ctx, input, &first, 1, &got);

	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	reading.benchmark = benchmark_begin(ctx, builder, "asv", input);
	if (!status && first == '{') {
		status = read_results(&reading, input);
	} else if (!status) {
		reading.lines = perun_lines_new(input, 0);
		status = read_each_log_line(ctx, reading.lines, read_line, &reading, endings);
		perun_lines_free(reading.lines);
	}
	if (!status && reading.failed)
		perun_warn(ctx, "%s: %zu benchmark%s failed and %s left out",
			   perun_input_name(input), reading.failed, reading.failed == 1 ? "" : "s",
			   reading.failed == 1 ? "is" : "are");
	perun_free(reading.environment);
	perun_free(reading.name);
	asv_table_free(&reading.table);
	return benchmark_end(reading.benchmark, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_has(probe, "%] \xc2\xb7"))
		return 92;
	return probe_has(probe, "\"commit_hash\"") && probe_has(probe, "\"results\"") &&
			       (probe_has(probe, "\"env_name\"") ||
				probe_has(probe, "\"requirements\""))
		       ? 95
		       : 0;
}

static const char *const marks[] = {"%] \xc2\xb7", "\"commit_hash\"", NULL};

FORMAT_PLUGIN(asv, "asv", "results of airspeed velocity", options, .open = open_format,
	      .close = close_format, .contains = marks, .probe = probe_format, .read = read_format);
