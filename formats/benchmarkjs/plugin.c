/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * benchmarkjs: what benchmark.js prints, a line each: "fib(20) x 12,146 ops/sec ±0.32% (96 runs sampled)". bench-node aligns
 * the names, and prints the extremes instead of a margin. Also the tables of Deno and mitata.
 */
#include <math.h>
#include <string.h>

#include "formats/benchmarkjs/deno.h"
#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"

/* Takes the name, the rate and half of its 95 % interval in percent (NaN = none); false: it is another line. */
static bool take_line(char *line, double *rate, double *percent)
{
	char *end = line_find(line, " ops/sec", 4), *at;
	size_t length;

	if (!end || !line_find(end, "sampled)", 7))
		return false;
	for (at = end; at > line && at[-1] != ' '; at--)
		;
	length = benchmark_grouped(at, rate);
	if (!length || at + length != end || at - line < 4 || strncmp(at - 3, " x ", 3) != 0)
		return false;
	for (at -= 3; at > line && at[-1] == ' '; at--)
		;
	*at = '\0';
	at = line_find(end, "\xc2\xb1", 0);
	if (!at || !benchmark_grouped(at + 2, percent))
		*percent = NAN;
	return true;
}

/* A benchmark that throws an error has nothing after its name: "fib(20): ". */
static void note_failed(struct benchmark *benchmark, char *line)
{
	size_t length = strlen(line);

	if (length > 2 && strcmp(line + length - 2, ": ") == 0) {
		line[length - 2] = '\0';
		benchmark_failed(benchmark, line, "");
	}
}

struct reading {
	struct benchmark *benchmark;
	struct deno deno;
};

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;
	double rate, percent;

	if (length && line[length - 1] == '\r')
		line[--length] = '\0';
	if (deno_line(&reading->deno, reading->benchmark, line))
		return PERUN_OK;
	line += strspn(line, " \t");
	if (!take_line(line, &rate, &percent)) {
		note_failed(reading->benchmark, line);
		return PERUN_OK;
	}
	benchmark_value(reading->benchmark, line, "throughput", "ops/s", true, rate);
	benchmark_deviation(reading->benchmark, "throughput", line,
			    percent / 100 / BENCHMARK_INTERVAL_Z);
	return PERUN_OK;
}

/* What whole lines of results end in. */
static const char *const endings[] = {"sampled)", "s)", NULL};

static int read_text(struct perun_ctx *ctx, struct perun_input *input, struct benchmark *benchmark)
{
	struct reading reading = {.benchmark = benchmark};
	struct perun_lines *lines = perun_lines_new(input, 0);
	int status = read_each_log_line(ctx, lines, read_line, &reading, endings);

	perun_lines_free(lines);
	deno_free(&reading.deno);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct benchmark *benchmark = benchmark_begin(ctx, builder, "benchmarkjs", input);
	char first;
	int status = benchmark_first_byte(ctx, input, &first);

	(void)instance;
	if (!status)
		status = first == '{' ? deno_read_json(ctx, input, benchmark)
				      : read_text(ctx, input, benchmark);
	return benchmark_end(benchmark, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_has(probe, "\"benches\"") && probe_has(probe, "\"runtime\""))
		return 92;
	if (probe_has(probe, DENO_MARK) && probe_has(probe, "benchmark "))
		return 92;
	return probe_has(probe, " ops/sec ") && (probe_has(probe, " runs sampled)") ||
						 probe_has(probe, " run sampled)"))
		       ? 92
		       : 0;
}

static const char *const marks[] = {" ops/sec ", DENO_MARK, "\"benches\"", NULL};

FORMAT_PLUGIN(benchmarkjs, "benchmarkjs", "what benchmark.js, Deno and mitata print", NULL,
	      .contains = marks, .probe = probe_format, .read = read_format);
