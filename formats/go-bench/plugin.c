/* SPDX-License-Identifier: BSD-3-Clause */
/* go-bench: what `go test -bench` prints, as text or JSON; a line that appears again is a repeat. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "events.h"
#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"
#include "formats/common/numbers.h"

/* The values of lines, "1234 ns/op". Texts are ids in the builder. */
struct values {
	struct numbers amounts, uids, units;
};

/* What a line states of a unit, a text as well. */
struct direction {
	perun_id unit;
	uint32_t number : 29; /* of lines that state something */
	uint32_t says : 1, higher : 1, exact : 1;
};

/* What is read of the values of a unit, which is a text of the builder. */
struct known_unit {
	perun_id text;
	const char *unit;
	char *metric;
	const char *own; /* the end of the unit */
	bool rate, lower, exact;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_input *input;
	struct perun_builder *builder;
	struct benchmark *benchmark;
	uint64_t line;
	struct values values;
	struct values tests; /* that passed, of JSON: what is read where there is no benchmark */
	perun_id package;
	struct perun_buffer uid; /* scratch */
	bool packages;           /* there are several */
	size_t failures;         /* lines "--- FAIL: TestX" */
	char *first_failure;
	char **failed; /* the names of benchmarks, until their package is known */
	size_t failed_count, failed_capacity;
	char *end; /* what the program of the package ended by; NULL = by itself */
	struct direction *directions; /* lines "Unit NAME better=higher" */
	size_t direction_count, direction_capacity;
};

/* ---- lines ---------------------------------------------------------------------------------- */

/* The next word of a line, NULL at the end. */
static char *next_word(char **rest)
{
	char *word = *rest, *end;

	while (*word == ' ' || *word == '\t')
		word++;
	for (end = word; *end && *end != ' ' && *end != '\t';)
		end++;
	if (!*word)
		return NULL;
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static int fail_at(struct reading *reading, const char *expected, const char *found)
{
	return perun_fail(reading->ctx, PERUN_INPUT, "line %" PRIu64 ": expected %s, found %s%s%s",
			  reading->line, expected, found ? "'" : "the end of the line",
			  found ? found : "", found ? "'" : "");
}

/* The name with its package and the number of processors, as the line has it: whatever else is in the file. */
static const char *name_benchmark(struct reading *reading, perun_id package, const char *name)
{
	struct perun_buffer *uid = &reading->uid;

	perun_buffer_clear(uid);
	if (package) {
		perun_buffer_add_text(uid,
				      perun_builder_string_at(reading->builder, package, NULL));
		perun_buffer_add_char(uid, '.');
	}
	perun_buffer_add_text(uid, name);
	return uid->data;
}

static size_t value_count(const struct values *values)
{
	return values->amounts.count;
}

static void add_value(struct values *values, perun_id uid, perun_id unit, double amount)
{
	numbers_add(&values->amounts, amount);
	numbers_add(&values->uids, uid);
	numbers_add(&values->units, unit);
}

static void free_values(struct values *values)
{
	numbers_free(&values->amounts);
	numbers_free(&values->uids);
	numbers_free(&values->units);
	*values = (struct values){0};
}

static void add_failure(struct reading *reading, const char *name, size_t length)
{
	if (reading->failures++ == 0)
		reading->first_failure = perun_strndup(name, length);
	if (strncmp(name, "Benchmark", 9) != 0)
		return;
	PERUN_GROW(reading->failed, reading->failed_count, reading->failed_capacity);
	reading->failed[reading->failed_count++] = perun_strndup(name, length);
}

static bool read_amount(const char *word, double *amount)
{
	char *end;

	if (perun_json_parse_double(word, strlen(word), amount)) /* the fast way of most */
		return true;
	*amount = perun_strtod(word, &end);
	return end != word && !*end;
}

/* "BenchmarkSort-8  1000  1234 ns/op  12 B/op"; anything else after the name is output of a test. */
static int read_result(struct reading *reading, char *line)
{
	char *name = next_word(&line), *word = next_word(&line);
	perun_id id;

	if (word && strcmp(word, "panic:") == 0) {
		add_failure(reading, name, strlen(name));
		reading->end = reading->end ? reading->end : perun_format("panic: %s", line);
	}
	if (!word || word[strspn(word, "0123456789")] != '\0')
		return PERUN_OK;
	id = perun_builder_text(reading->builder, name_benchmark(reading, reading->package, name));
	word = next_word(&line);
	if (!word)
		return fail_at(reading, "a value such as 12.5 ns/op", NULL);
	for (; word; word = next_word(&line)) {
		double amount;
		char *unit;

		if (!read_amount(word, &amount))
			return fail_at(reading, "a number", word);
		unit = next_word(&line);
		if (!unit)
			return fail_at(reading, "a unit such as ns/op", NULL);
		/* It ended before its first iteration did. */
		if (isnan(amount))
			add_failure(reading, name, strlen(name));
		else
			add_value(&reading->values, id, perun_builder_text(reading->builder, unit),
				  amount);
	}
	return PERUN_OK;
}

/* "Unit widgets/op better=higher assume=exact" */
static void read_unit(struct reading *reading, char *line)
{
	char *unit, *word;
	struct direction *stated;

	next_word(&line);
	unit = next_word(&line);
	if (!unit)
		return;
	PERUN_GROW(reading->directions, reading->direction_count, reading->direction_capacity);
	stated = &reading->directions[reading->direction_count++];
	*stated = (struct direction){.unit = perun_builder_text(reading->builder, unit),
				     .number = (uint32_t)reading->direction_count & 0x1fffffff};
	while ((word = next_word(&line))) {
		if (strncmp(word, "better=", 7) == 0) {
			stated->says = true;
			stated->higher = strcmp(word + 7, "higher") == 0;
		}
		stated->exact |= strcmp(word, "assume=exact") == 0;
	}
}

static void read_setting(struct reading *reading, const char *line)
{
	static const char *const keys[] = {"goos", "goarch", "pkg", "cpu"};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t length = strlen(keys[i]);
		const char *value = line + length + 1;

		if (strncmp(line, keys[i], length) != 0 || line[length] != ':')
			continue;
		value += strspn(value, " \t");
		if (strcmp(keys[i], "pkg") == 0) {
			perun_id package = perun_builder_text(reading->builder, value);

			reading->packages |=
				value_count(&reading->values) && package != reading->package;
			reading->package = package;
		}
		benchmark_fact(reading->benchmark, keys[i], perun_json_text(value));
		if (strcmp(keys[i], "cpu") == 0)
			benchmark_machine(reading->benchmark, "cpu", "model", value);
		if (strcmp(keys[i], "goarch") == 0)
			benchmark_machine(reading->benchmark, "architecture", NULL, value);
	}
}

/* Whether a line says that the whole program ended: what comes after it did not run. */
static bool is_end(const char *line)
{
	return strncmp(line, "panic: ", 7) == 0 || strncmp(line, "fatal error: ", 13) == 0 ||
	       strncmp(line, "signal: ", 8) == 0;
}

/*
 * The benchmarks that failed so far are of a package. Their names may lack the number of processors, and of one that
 * has others in it these may be missing.
 */
static void name_failures(struct reading *reading, perun_id package)
{
	for (size_t i = 0; i < reading->failed_count; i++) {
		char *all = perun_format("%s*", reading->failed[i]);

		benchmark_failed(reading->benchmark, name_benchmark(reading, package, all), "");
		perun_free(all);
		perun_free(reading->failed[i]);
	}
	reading->failed_count = 0;
}

/* "FAIL <tab> p/q <tab> 0.2s", "FAIL <tab> p/q [build failed]": the end of a package. */
static void end_package(struct reading *reading, char *line)
{
	const char *why = reading->end, *name;
	perun_id package;

	next_word(&line);
	name = next_word(&line);
	if (!name)
		return;
	package = perun_builder_text(reading->builder, name);
	name_failures(reading, package);
	if (strstr(line, "[build failed]") || strstr(line, "[setup failed]"))
		why = "it does not build";
	if (why) {
		benchmark_failed(reading->benchmark, name_benchmark(reading, package, "*"), why);
		add_failure(reading, name, strlen(name));
	}
	perun_free(reading->end);
	reading->end = NULL;
}

static int read_line(struct reading *reading, char *line)
{
	if (strncmp(line, "Benchmark", 9) == 0)
		return read_result(reading, line);
	if (strncmp(line, "--- FAIL: ", 10) == 0)
		add_failure(reading, line + 10, strcspn(line + 10, " "));
	else if (strncmp(line, "FAIL\t", 5) == 0)
		end_package(reading, line);
	else if (is_end(line) && !reading->end)
		reading->end = perun_strdup(line);
	else if (strncmp(line, "Unit ", 5) == 0)
		read_unit(reading, line);
	else
		read_setting(reading, line);
	return PERUN_OK;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void enter_package(struct reading *reading, const char *name)
{
	perun_id package = perun_builder_text(reading->builder, name);

	reading->packages |= (value_count(&reading->values) || value_count(&reading->tests)) &&
			     package != reading->package;
	reading->package = package;
}

static int read_output(void *data, const char *package, char *line)
{
	struct reading *reading = data;

	/* Events of several packages are mixed: each line is of its own. */
	if (strncmp(line, "Benchmark", 9) == 0 || strncmp(line, "--- FAIL: ", 10) == 0)
		enter_package(reading, package);
	return read_line(reading, line);
}

static void read_test(void *data, const char *package, const char *test, double seconds)
{
	struct reading *reading = data;
	perun_id uid;

	enter_package(reading, package);
	uid = perun_builder_text(reading->builder, name_benchmark(reading, reading->package, test));
	add_value(&reading->tests, uid, perun_builder_text(reading->builder, "ns/op"),
		  seconds * 1e9);
}

static void choose_tests(struct reading *reading)
{
	if (value_count(&reading->values))
		return;
	free_values(&reading->values);
	reading->values = reading->tests;
	reading->tests = (struct values){0};
}

/* ---- all ------------------------------------------------------------------------------------ */

/* What whole lines end in: results, and what go says of a package. */
static const char *const endings[] = {"/op", "/s", "PASS", "FAIL", "ok", "#s", ")", "]", NULL};

static int read_lines(struct reading *reading)
{
	const struct events_listener listener = {reading, read_output, read_test};
	struct perun_lines *lines = perun_lines_new(reading->input, 0);
	struct events *events = NULL;
	bool cut = false;
	size_t length;
	char *line;
	int status;

	while (!(status = perun_lines_next(reading->ctx, lines, &line, &length)) && line) {
		reading->line = perun_lines_number(lines);
		if (reading->line == 1 && line[0] == '{')
			events = events_new(&listener);
		cut = perun_lines_is_open(lines) && length && !events &&
		      !line_ends_in(line, length, endings);
		status = events ? events_take(reading->ctx, events, line, length, reading->line)
				: read_line(reading, line);
		if (status)
			break;
	}
	if (events) {
		events_free(events);
		choose_tests(reading);
	}
	if (!status && cut)
		warn_cut_line(reading->ctx, lines);
	perun_lines_free(lines);
	return status;
}

/* ---- values --------------------------------------------------------------------------------- */

static int by_unit(const void *one, const void *other)
{
	const struct direction *a = one, *b = other;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* One of each unit: which values are better is what the last line that says so says. */
static void sort_directions(struct reading *reading)
{
	struct direction *all = reading->directions;
	size_t count = 0;

	if (reading->direction_count)
		qsort(all, reading->direction_count, sizeof *all, by_unit);
	for (size_t i = 0; i < reading->direction_count; i++) {
		struct direction *last = count ? &all[count - 1] : NULL;

		if (!last || last->unit != all[i].unit) {
			all[count++] = all[i];
			continue;
		}
		last->exact |= all[i].exact;
		last->higher = all[i].says ? all[i].higher : last->higher;
		last->says |= all[i].says;
	}
	reading->direction_count = count;
}

/* What lines state of a unit. */
static struct direction stated_of(const struct reading *reading, perun_id unit)
{
	const struct direction *all = reading->directions;
	size_t first = 0, end = reading->direction_count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (all[middle].unit == unit)
			return all[middle];
		if (all[middle].unit < unit)
			first = middle + 1;
		else
			end = middle;
	}
	return (struct direction){.unit = unit};
}

/* Rates are better higher, unless a line says otherwise. */
static bool is_rate(const struct direction *stated, const char *unit)
{
	size_t length = strlen(unit);

	if (stated->says)
		return stated->higher;
	return length > 2 && strcmp(unit + length - 2, "/s") == 0;
}

/*
 * "5 ms/frame" and "5000 us/frame" are values of one metric, "time/frame"; "70 build-ns/op" and "9 p99-us" are of
 * "build-time/op" and "p99-time". What the amount is measured in: the unit, or what follows its own name.
 */
static const char *name_metric(const char *unit, struct perun_buffer *metric)
{
	const char *slash = strchr(unit, '/'), *last = slash ? slash : unit + strlen(unit);
	char *above = perun_strndup(unit, (size_t)(last - unit));
	const char *dash = strrchr(above, '-');
	size_t own = dash ? (size_t)(dash + 1 - above) : 0;
	enum perun_unit_kind kind = perun_unit_of(above + own).kind;

	if ((slash || dash) && kind == PERUN_UNIT_TIME)
		perun_buffer_printf(metric, "%.*stime%s", (int)own, unit, last);
	else
		perun_buffer_add_text(metric, unit);
	if (kind != PERUN_UNIT_TIME && kind != PERUN_UNIT_BYTES)
		own = 0;
	perun_free(above);
	return unit + own;
}

/* Units of the last values, by what is left of the number of their text: rows have the same ones again and again. */
enum { KNOWN_UNITS = 64 };

static const struct known_unit *know_unit(struct known_unit known[KNOWN_UNITS],
					  const struct reading *reading, perun_id text)
{
	struct known_unit *unit = &known[text % KNOWN_UNITS];
	struct perun_buffer metric = {0};
	struct direction stated;

	if (unit->text == text) /* no unit is the empty text, which is number 0 */
		return unit;
	stated = stated_of(reading, text);
	perun_free(unit->metric);
	*unit = (struct known_unit){.text = text,
				    .unit = perun_builder_string_at(reading->builder, text, NULL)};
	unit->own = name_metric(unit->unit, &metric);
	unit->rate = is_rate(&stated, unit->unit);
	unit->lower = stated.says && !stated.higher;
	unit->exact = stated.exact;
	unit->metric = metric.data;
	return unit;
}

/* What came before a value has been added. */
static void drop_values(struct values *values, size_t i)
{
	numbers_drop(&values->amounts, i);
	numbers_drop(&values->uids, i);
	numbers_drop(&values->units, i);
}

static perun_id id_at(const struct numbers *ids, size_t i)
{
	return (perun_id)numbers_at(ids, i);
}

/* A value in another unit than nanoseconds. */
static void add_other(struct benchmark *benchmark, const struct known_unit *known, const char *uid,
		      double amount)
{
	if (!benchmark_value(benchmark, uid, known->metric, known->own, known->rate, amount))
		return;
	/* What lines say of a unit besides. */
	if (known->lower)
		benchmark_lower(benchmark, known->metric);
	if (known->exact)
		benchmark_exact(benchmark, known->metric);
}

static void add_values(struct reading *reading)
{
	perun_id time = perun_builder_text(reading->builder, "ns/op");
	struct known_unit known[KNOWN_UNITS] = {{0}};

	for (size_t i = 0; i < value_count(&reading->values); i++) {
		const double amount = numbers_at(&reading->values.amounts, i);
		const perun_id unit = id_at(&reading->values.units, i);
		const char *uid = perun_builder_string_at(reading->builder,
							  id_at(&reading->values.uids, i), NULL);

		if (i % NUMBERS_BLOCK == 0)
			drop_values(&reading->values, i);

		if (unit == time)
			benchmark_time(reading->benchmark, uid, "real", amount / 1e9);
		else
			add_other(reading->benchmark, know_unit(known, reading, unit), uid, amount);
	}
	for (size_t i = 0; i < KNOWN_UNITS; i++)
		perun_free(known[i].metric);
	free_values(&reading->values);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .input = input, .builder = builder};
	int status;

	(void)instance;
	if (perun_input_is_directory(input))
		return perun_fail(ctx, PERUN_INPUT, "expected a file, found a directory");
	reading.benchmark = benchmark_begin(ctx, builder, "go-bench", input);
	status = read_lines(&reading);
	name_failures(&reading, reading.package);
	sort_directions(&reading);
	if (!status)
		add_values(&reading);
	if (reading.package && !reading.packages)
		benchmark_header(reading.benchmark, "package",
				 perun_builder_string_at(builder, reading.package, NULL));
	if (!status && reading.failures)
		perun_warn(ctx, "%s: %zu test%s or benchmark%s failed, first %s",
			   perun_input_name(input), reading.failures,
			   reading.failures == 1 ? "" : "s", reading.failures == 1 ? "" : "s",
			   reading.first_failure);
	perun_free(reading.first_failure);
	perun_free(reading.failed);
	perun_free(reading.end);
	perun_free(reading.directions);
	free_values(&reading.values);
	free_values(&reading.tests);
	perun_buffer_free(&reading.uid);
	return benchmark_end(reading.benchmark, status);
}

/* "BenchmarkSort-8  1000  1234 ns/op": a number of iterations, a value and its unit. */
static bool is_result(const char *text, const char *end)
{
	int numbers = 0;

	if (end - text < 10 || memcmp(text, "Benchmark", 9) != 0)
		return false;
	for (text += 9; text < end && *text != ' ' && *text != '\t';)
		text++;
	for (; text < end && numbers < 2; numbers++) {
		while (text < end && (*text == ' ' || *text == '\t'))
			text++;
		if (text == end || !isdigit((unsigned char)*text))
			return false;
		while (text < end && (isdigit((unsigned char)*text) || *text == '.' ||
				      *text == 'e' || *text == '+' || *text == '-'))
			text++;
		if (text == end || (*text != ' ' && *text != '\t'))
			return false;
	}
	return numbers == 2;
}

/* An event of go test -json, the settings of a package, or a line that begins with "Benchmark" and holds a value. */
static int probe_format(const struct perun_probe *probe)
{
	const char *text = probe->data, *end = text + probe->size;

	if (!probe->directory && probe->size && text[0] == '{') {
		const char *line = memchr(text, '\n', probe->size);
		size_t length = line ? (size_t)(line - text) : probe->size;

		if (memmem(text, length, "\"Action\":\"", 10) &&
		    (memmem(text, length, "\"Package\":", 10) ||
		     memmem(text, length, "\"ImportPath\":", 13)))
			return 92;
	}
	/* What tests print may come before the first result. */
	if (!probe->directory && probe_starts(probe, "goos: "))
		return 92;
	while (!probe->directory && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);

		if (length > 19 && memcmp(text, "--- FAIL: Benchmark", 19) == 0)
			return 92;
		if (length > 5 && memcmp(text, "FAIL\t", 5) == 0 &&
		    (memmem(text, length, " failed]", 8) || probe_has(probe, "exit status ")))
			return 80;
		if (is_result(text, text + length))
			return 92;
		text += length + 1;
	}
	return 0;
}

static const char *const marks[] = {
	"\"Action\":\"", "--- FAIL: Benchmark", "FAIL\t", "Benchmark", "goos: ", NULL};

FORMAT_PLUGIN(go_bench, "go-bench", "results of go test -bench", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
