/* SPDX-License-Identifier: BSD-3-Clause */
/* cargo-bench: what `cargo bench` prints: libtest's lines, as text or JSON, criterion's estimates and divan's trees. */
#include <math.h>
#include <string.h>

#include "formats/cargo-bench/divan.h"
#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
	struct perun_lines *lines;
	char *name;   /* of criterion's benchmark, whose values are on the next lines */
	char *target; /* the program that runs, "benches/sort.rs"; NULL where nothing says so */
	struct divan divan;
};

/* ---- programs -------------------------------------------------------------------------------- */

/*
 * "     Running benches/sort.rs (target/release/deps/sort-0123456789abcdef)"; before 1.54 only what is between parentheses,
 * of which the hash is left out. False: it is something else.
 */
static bool read_target(struct reading *reading, const char *line)
{
	static const char running[] = "Running ";
	const char *text = line + strspn(line, " "), *end, *slash;
	size_t length;

	if (text == line || strncmp(text, running, sizeof running - 1) != 0)
		return false;
	text += sizeof running - 1;
	end = strstr(text, " (");
	slash = strrchr(text, '/');
	if (end) {
		length = (size_t)(end - text);
	} else {
		text = slash ? slash + 1 : text;
		end = strrchr(text, '-');
		length = end ? (size_t)(end - text) : strlen(text);
	}
	perun_free(reading->target);
	reading->target = perun_strndup(text, length);
	return true;
}

/* Programs may have benchmarks of one name. */
static const char *name_in_target(struct reading *reading, const char *name)
{
	return reading->target ? benchmark_apart(reading->benchmark, name, reading->target) : name;
}

/* ---- libtest --------------------------------------------------------------------------------- */

/* " = 120 MB/s" */
static void read_rate(struct reading *reading, const char *name, const char *text)
{
	double rate;
	size_t length;

	text = strstr(text, "= ");
	if (!text)
		return;
	length = benchmark_grouped(text + 2, &rate);
	if (length && strcmp(text + 2 + length, " MB/s") == 0)
		benchmark_value(reading->benchmark, name, "rate", "MB/s", true, rate);
}

static void add_range(struct reading *reading, const char *name, double range, double value)
{
	benchmark_samples(reading->benchmark, "time(real)");
	benchmark_deviation(reading->benchmark, "time(real)", name,
			    range * BENCHMARK_ERROR_OF_RANGE / value);
}

/* "test a::b ... FAILED" */
static void read_failed_test(struct reading *reading, char *name)
{
	char *end = strstr(name, " ... FAILED");

	if (end) {
		*end = '\0';
		benchmark_failed(reading->benchmark, name_in_target(reading, name), "");
	}
}

/* "test a::b ... bench:  3,161 ns/iter (+/- 975) = 120 MB/s" */
static int read_test(struct reading *reading, char *line)
{
	char *name = line + 5, *end = strstr(name, " ... bench:"), *unit, *stop;
	const char *uid;
	double value, range;
	size_t length;

	if (!end) {
		read_failed_test(reading, name);
		return PERUN_OK; /* it is not a benchmark */
	}
	unit = end + 11 + strspn(end + 11, " ");
	length = benchmark_grouped(unit, &value);
	stop = unit + length;
	if (!length || *stop != ' ')
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "line %llu: expected a time such as 1,234 ns/iter",
				  (unsigned long long)perun_lines_number(reading->lines));
	while (end > name && end[-1] == ' ')
		end--;
	*end = '\0';
	unit = stop + 1;
	stop = unit + strcspn(unit, " ");
	if (*stop)
		*stop++ = '\0';
	uid = name_in_target(reading, name);
	if (benchmark_in_unit(reading->benchmark, uid, "real", NULL, unit, value) &&
	    strncmp(stop, "(+/- ", 5) == 0 && benchmark_grouped(stop + 5, &range))
		add_range(reading, uid, range, value);
	read_rate(reading, uid, stop);
	return PERUN_OK;
}

/* {"type": "bench", "name": "a::b", "median": 3161, "deviation": 975, "mib_per_second": 5}: nanoseconds */
static int read_event(struct reading *reading, const char *line, size_t length)
{
	struct perun_json *event;
	const char *type, *name, *what;
	double value = 0, range;
	int status = perun_json_parse(reading->ctx, line, length, NULL, &event);

	if (status)
		return perun_fail(reading->ctx, PERUN_OK, "line %llu of the file",
				  (unsigned long long)perun_lines_number(reading->lines));
	type = perun_json_as_string(perun_json_get(event, "type"), NULL);
	name = perun_json_as_string(perun_json_get(event, "name"), NULL);
	if (type && strcmp(type, "bench") == 0 && name) {
		if (perun_json_as_double(perun_json_get(event, "median"), &value))
			benchmark_time(reading->benchmark, name, "real", value / 1e9);
		if (perun_json_as_double(perun_json_get(event, "deviation"), &range))
			add_range(reading, name, range, value);
		if (perun_json_as_double(perun_json_get(event, "mib_per_second"), &value))
			benchmark_value(reading->benchmark, name, "rate", "MiB/s", true, value);
	}
	what = perun_json_as_string(perun_json_get(event, "event"), NULL);
	if (type && strcmp(type, "test") == 0 && name && what && strcmp(what, "failed") == 0)
		benchmark_failed(reading->benchmark, name, "");
	perun_json_free(event);
	return PERUN_OK;
}

/* ---- criterion ------------------------------------------------------------------------------- */

/*
 * "[320.62 ps 323.90 ps 327.55 ps]": the estimate is in the middle of its 95 % interval, whose half is a share of it
 * where the units are the same (else NaN). False: it is something else.
 */
static bool take_estimate(char *text, double *value, char **unit, double *share)
{
	char *units[3];
	double bounds[3];
	size_t length;

	text += strspn(text, " ");
	if (*text++ != '[')
		return false;
	for (int i = 0; i < 3; i++) {
		length = benchmark_grouped(text, &bounds[i]);
		if (!length || text[length] != ' ')
			return false;
		units[i] = text + length + 1;
		text = units[i] + strcspn(units[i], " ]");
		if (*text != (i < 2 ? ' ' : ']'))
			return false;
		*text++ = '\0';
	}
	*value = bounds[1];
	*unit = units[1];
	*share = strcmp(units[0], units[2]) == 0 && strcmp(units[0], units[1]) == 0
			 ? (bounds[2] - bounds[0]) / 2 / bounds[1]
			 : NAN;
	return true;
}

/* "Gelem/s", "Kelem/s", "elem/s" are elements; bytes keep their unit. */
static void add_rate(struct reading *reading, double value, const char *unit)
{
	const char *uid = name_in_target(reading, reading->name);
	static const struct {
		const char *unit;
		double factor;
	} elements[] = {{"elem/s", 1}, {"Kelem/s", 1e3}, {"Melem/s", 1e6}, {"Gelem/s", 1e9}};

	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
		if (strcmp(elements[i].unit, unit) == 0) {
			benchmark_value(reading->benchmark, uid, "elements", "elem/s", true,
					value * elements[i].factor);
			return;
		}
	}
	benchmark_value(reading->benchmark, uid, "rate", unit, true, value);
}

static void set_name(struct reading *reading, const char *name, size_t length)
{
	while (length && name[length - 1] == ' ')
		length--;
	if (!length)
		return;
	perun_free(reading->name);
	reading->name = perun_strndup(name, length);
}

/* "file   time:   [320.62 ps 323.90 ps 327.55 ps]"; a long name has a line of its own. */
static bool read_estimate(struct reading *reading, char *line)
{
	char *time = strstr(line, " time:"), *rate = strstr(line, " thrpt:"), *unit;
	const char *uid;
	double value, share;

	if (time && take_estimate(time + 6, &value, &unit, &share)) {
		set_name(reading, line, (size_t)(time - line));
		if (!reading->name)
			return true;
		uid = name_in_target(reading, reading->name);
		benchmark_in_unit(reading->benchmark, uid, "real", NULL, unit, value);
		benchmark_deviation(reading->benchmark, "time(real)", uid,
				    share / BENCHMARK_INTERVAL_Z);
		return true;
	}
	if (rate && line[strspn(line, " ")] == 't' &&
	    take_estimate(rate + 7, &value, &unit, &share) && reading->name && !strchr(unit, '%')) {
		add_rate(reading, value, unit);
		return true;
	}
	return false;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	while (length && strchr(" \r\t", line[length - 1]))
		line[--length] = '\0';
	if (strncmp(line, "test ", 5) == 0)
		return read_test(reading, line);
	if (*line == '{')
		return read_event(reading, line, length);
	if (divan_line(&reading->divan, reading->benchmark, line) || read_target(reading, line))
		return PERUN_OK;
	if (!read_estimate(reading, line) && length && *line != ' ' &&
	    strncmp(line, "Benchmarking ", 13) != 0 && strncmp(line, "Found ", 6) != 0)
		set_name(reading, line, length);
	return PERUN_OK;
}

/* What whole lines of results end in. */
static const char *const endings[] = {")", "B/s", "]", "... ok", "ignored", "FAILED", "#s", NULL};

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	(void)instance;
	reading.benchmark = benchmark_begin(ctx, builder, "cargo-bench", input);
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, endings);
	perun_lines_free(reading.lines);
	perun_free(reading.name);
	perun_free(reading.target);
	divan_free(&reading.divan);
	return benchmark_end(reading.benchmark, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || memchr(probe->data, '\0', probe->size))
		return 0;
	if (probe_has(probe, "{ \"type\": \"bench\"") || probe_has(probe, "{\"type\":\"bench\""))
		return 92;
	if (probe_has(probe, " ... bench:") || probe_has(probe, " time:   ["))
		return 92;
	if (probe_has(probe, "fastest ") && probe_has(probe, DIVAN_MARK))
		return 92;
	return probe_has(probe, "\ntest result: ") ? 70 : 0;
}

static const char *const marks[] = {"{ \"type\": \"bench\"",
				    "{\"type\":\"bench\"",
				    " ... bench:",
				    " time:   [",
				    DIVAN_MARK,
				    "\ntest result: ",
				    NULL};

FORMAT_PLUGIN(cargo_bench, "cargo-bench", "what cargo bench prints", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
