/* SPDX-License-Identifier: BSD-3-Clause */
/* console: times that programs print: time, timeit, Ruby's Benchmark and benchmark-ips, Dart, Luau, console.time of JavaScript. */
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"
#include "formats/console/timed.h"

struct reading {
	struct benchmark *benchmark;
	struct timed timed;
	bool table; /* of Ruby's Benchmark: the headings were read */
	char *name; /* of benchmark-ips: a long name has a line of its own */
};

/* A measurement of a line; `name` is in the line. */
struct time {
	const char *name, *unit;
	double value;
};

/* Cut the ending off a line of that length. */
static bool ends_in(char *line, size_t *length, const char *ending)
{
	size_t size = strlen(ending);

	if (*length < size || line[*length - 1] != ending[size - 1] ||
	    memcmp(line + *length - size, ending, size) != 0)
		return false;
	*length -= size;
	line[*length] = '\0';
	return true;
}

static void trim(char *text)
{
	size_t length = strlen(text);

	while (length &&
	       (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == '\r'))
		text[--length] = '\0';
}

/* ---- console.time ---------------------------------------------------------------------------- */

/* "name: 12.5ms", "name: 1:02.125 (m:ss.mmm)", "name: 8827ms - timer ended": the name may have colons. */
static bool take_timer(char *line, struct time *time)
{
	char *colon = NULL;
	double seconds;
	size_t length = strlen(line);
	bool clock;

	ends_in(line, &length, " - timer ended");
	clock = ends_in(line, &length, " (m:ss.mmm)") || ends_in(line, &length, " (h:mm:ss)");
	for (char *at = line; (at = line_find(at, ": ", 0)); at++)
		colon = at;
	/* The rule above the table of a rehearsal has its total. */
	if (!colon || colon == line || strncmp(line, "--", 2) == 0)
		return false;
	time->name = line;
	*colon = '\0';
	colon += 2;
	if (clock) {
		time->unit = "s";
		length = timed_clock(colon, &time->value);
		return length && !colon[length];
	}
	length = benchmark_grouped(colon, &time->value);
	time->unit = colon + length;
	seconds = time->value;
	return length && *time->unit && benchmark_to_seconds(&seconds, time->unit);
}

/* ---- Dart, Luau ------------------------------------------------------------------------------ */

/* "Template(RunTime): 1.5 us." of benchmark_harness */
static bool take_dart(char *line, struct time *time)
{
	char *kind = line_find(line, "(RunTime", 0), *value = kind ? strstr(kind, "): ") : NULL;
	size_t length = value ? benchmark_grouped(value + 3, &time->value) : 0, rest;

	if (!length || kind == line || value[3 + length] != ' ')
		return false;
	*kind = '\0';
	time->name = line;
	time->unit = value + 3 + length + 1;
	rest = strlen(value);
	ends_in(value, &rest, ".");
	return true;
}

/* "SUCCESS: base64   :   15.041ms +/-  0.636% on luau" */
static bool take_luau(char *line, struct time *time)
{
	char *end = strncmp(line, "SUCCESS: ", 9) == 0 ? strstr(line, " +/- ") : NULL, *value;
	size_t length;

	if (!end)
		return false;
	*end = '\0';
	value = strrchr(line + 9, ':');
	if (!value)
		return false;
	*value++ = '\0';
	value += strspn(value, " ");
	length = benchmark_grouped(value, &time->value);
	trim(line);
	time->name = line + 9;
	time->unit = value + length;
	return length && *time->unit;
}

/* ---- Ruby ------------------------------------------------------------------------------------ */

/* "sort!   1.460000   0.000000   1.460000 (  1.460465)": user, system, their sum and real seconds */
static bool take_row(struct benchmark *benchmark, char *line)
{
	char *real = strrchr(line, '('), *end = real;
	double seconds[4];
	size_t length;

	if (!real)
		return false;
	length = benchmark_grouped(real + 1 + strspn(real + 1, " "), &seconds[3]);
	if (!length || line[strlen(line) - 1] != ')')
		return false;
	for (int i = 2; i >= 0; i--) {
		*end = '\0';
		trim(line);
		for (end = line + strlen(line); end > line && end[-1] != ' '; end--)
			;
		if (end == line || benchmark_grouped(end, &seconds[i]) != strlen(end))
			return false;
	}
	*end = '\0';
	trim(line);
	if (!*line)
		return false;
	benchmark_time(benchmark, line, "real", seconds[3]);
	benchmark_time(benchmark, line, "user", seconds[0]);
	benchmark_time(benchmark, line, "sys", seconds[1]);
	return true;
}

/* "addition   36.014M (± 4.2%) i/s  (27.77 ns/i) - 181.4M in 5.04s" of benchmark-ips: operations in a second */
static bool take_ips(struct reading *reading, char *line)
{
	static const char suffixes[] = "kMBTQ";
	char *end = line_find(line, "(\xc2\xb1", 0), *suffix;
	double rate;
	size_t length;

	if (!end || !strstr(end, "%) i/s"))
		return false;
	*end = '\0';
	trim(line);
	for (end = line + strlen(line); end > line && end[-1] != ' '; end--)
		;
	length = benchmark_grouped(end, &rate);
	if (!length)
		return false;
	suffix = end[length] ? strchr(suffixes, end[length]) : NULL;
	for (const char *at = suffixes; suffix && at <= suffix; at++)
		rate *= 1e3;
	*end = '\0';
	trim(line);
	if (!*line && !reading->name)
		return false;
	benchmark_value(reading->benchmark, *line ? line : reading->name, "throughput", "ops/s",
			true, rate);
	return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_heading(const char *line)
{
	const char *at = line;

	for (size_t i = 0; i < 4; i++) {
		static const char *const words[] = {"user", "system", "total", "real"};

		at += strspn(at, " \t");
		if (strncmp(at, words[i], strlen(words[i])) != 0)
			return false;
		at += strlen(words[i]);
	}
	return !*at;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	struct time time;

	trim(line);
	length = strspn(line, " \t");
	/* Of bmbm the rehearsal has no headings. */
	if (is_heading(line)) {
		reading->table = true;
		return PERUN_OK;
	}
	if (!line[length] || (reading->table && take_row(reading->benchmark, line + length)))
		return PERUN_OK;
	if (take_ips(reading, line + length) || timed_take(&reading->timed, line + length))
		return PERUN_OK;
	perun_free(reading->name);
	reading->name = perun_strdup(line + length);
	if (take_dart(line + length, &time) || take_luau(line + length, &time) ||
	    take_timer(line + length, &time))
		benchmark_in_unit(reading->benchmark, time.name, "real", NULL, time.unit,
				  time.value);
	return PERUN_OK;
}

/* What whole lines of results end in. */
static const char *const endings[] = {"ns",    "us",  "µs",        "ms",  "#s",    "us.",
				      "ended", ")",   "%",         "i/s", "total", "swaps",
				      "loop",  "sys", "status: #", NULL};

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.benchmark = benchmark_begin(ctx, builder, "console", input)};
	struct perun_lines *lines = perun_lines_new(input, 0);
	int status;

	(void)instance;
	reading.timed.benchmark = reading.benchmark;
	status = read_each_log_line(ctx, lines, read_line, &reading, endings);
	timed_end(&reading.timed);
	perun_lines_free(lines);
	perun_free(reading.name);
	return benchmark_end(reading.benchmark, status);
}

/* Whether the first line that has text is a timer of JavaScript. */
static bool begins_with_timer(const struct perun_probe *probe)
{
	const char *text = probe->data, *end = text + probe->size, *stop;
	char line[256];
	struct time time;

	while (text < end && *text && strchr(" \t\r\n", *text))
		text++;
	stop = memchr(text, '\n', (size_t)(end - text));
	if (!stop)
		stop = end;
	if ((size_t)(stop - text) >= sizeof line || memchr(text, '\0', (size_t)(stop - text)))
		return false;
	memcpy(line, text, (size_t)(stop - text));
	line[stop - text] = '\0';
	trim(line);
	return take_timer(line, &time);
}

static int probe_format(const struct perun_probe *probe)
{
	int sureness;

	if (probe->directory || memchr(probe->data, '\0', probe->size))
		return 0;
	if (probe_has(probe, "user     system      total        real"))
		return 90;
	if (probe_has(probe, "(RunTime): ") || probe_has(probe, "(RunTimeRaw): ") ||
	    probe_has(probe, " - timer ended") ||
	    (probe_has(probe, "SUCCESS: ") && probe_has(probe, "ms +/- ")) ||
	    (probe_has(probe, "%) i/s") && probe_has(probe, "Calculating -----")))
		return 85;
	sureness = timed_probe(probe);
	return sureness ? sureness : begins_with_timer(probe) ? 40 : 0;
}

FORMAT_PLUGIN(console, "console", "times that programs print", NULL, .probe = probe_format,
	      .read = read_format);
