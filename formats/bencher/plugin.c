/* SPDX-License-Identifier: BSD-3-Clause */
/* bencher: Bencher's metric format: {benchmark: {measure: {value, lower_value, upper_value}}}. */
#include <string.h>

#include "formats/common/benchmark.h"

/*
 * Bencher's own measures have units (https://bencher.dev/docs/explanation/benchmarking/#measure): latency is nanoseconds,
 * throughput operations per second.
 */
static void add_value(struct benchmark *benchmark, const char *uid, const char *measure,
		      double value)
{
	/* What its adapters for DHAT and for valgrind's simulation of a processor count. */
	static const char *const exact[] = {
		"Total Blocks",     "Total Bytes", "Max Blocks",  "Max Bytes",    "Final Blocks",
		"Final Bytes",      "L1 Accesses", "L2 Accesses", "RAM Accesses", "Total Accesses",
		"Estimated Cycles", "L1 Hits",     "L2 Hits",     "LL Hits",      "RAM Hits"};

	if (strcmp(measure, "latency") == 0 || strcmp(measure, "Latency") == 0)
		benchmark_time(benchmark, uid, "real", value / 1e9);
	else if (strcmp(measure, "throughput") == 0 || strcmp(measure, "Throughput") == 0)
		benchmark_value(benchmark, uid, "throughput", "ops/s", true, value);
	else if (strcmp(measure, "file-size") == 0)
		benchmark_value(benchmark, uid, measure, "B", false, value);
	else if (strcmp(measure, "build-time") == 0)
		benchmark_value(benchmark, uid, measure, "s", false, value);
	else
		benchmark_value(benchmark, uid, measure, "", false, value);
	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
		if (*measure != *exact[i] || strcmp(measure, exact[i]) != 0)
			continue;
		benchmark_exact(benchmark, measure);
		if (!strstr(measure, "Hits"))
			benchmark_lower(benchmark, measure);
	}
}

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
};

static int read_benchmark(void *data, const struct perun_json *measures, const char *name,
			  size_t at)
{
	const struct reading *reading = data;
	double value;

	(void)at;
	if (!name)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "line 1, column 1: expected an object, found an array");

	for (size_t i = 0; i < perun_json_count(measures); i++) {
		const char *measure;
		const struct perun_json *one = perun_json_pass(measures, i, &measure);

		if (!perun_json_as_double(perun_json_get(one, "value"), &value))
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "expected %s.%s.value to be a number", name, measure);
		add_value(reading->benchmark, name, measure, value);
	}
	return PERUN_OK;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	struct perun_json *document;
	int status;

	(void)instance;
	reading.benchmark = benchmark_begin(ctx, builder, "bencher", input);
	status = benchmark_read(ctx, input, NULL, read_benchmark, &reading, &document);
	perun_json_free(document);
	return benchmark_end(reading.benchmark, status);
}

/* Two levels of objects, then the value. */
static int probe_format(const struct perun_probe *probe)
{
	static const enum perun_json_event start[] = {PERUN_JSON_OBJECT_START, PERUN_JSON_KEY,
						      PERUN_JSON_OBJECT_START, PERUN_JSON_KEY,
						      PERUN_JSON_OBJECT_START, PERUN_JSON_KEY};
	struct perun_json_reader *json;
	const struct perun_json_token *token;
	bool found = true;

	if (probe->directory || !probe_has(probe, "\"value\""))
		return 0;
	json = perun_json_reader_new_text(NULL, probe->data, probe->size, NULL);
	token = perun_json_token(json);
	for (size_t i = 0; found && i < sizeof start / sizeof *start; i++)
		found = perun_json_next(json) == start[i];
	found = found &&
		(perun_json_token_is(token, "value") || perun_json_token_is(token, "lower_value") ||
		 perun_json_token_is(token, "upper_value"));
	perun_json_reader_free(json);
	return found ? 90 : 0;
}

static const char *const marks[] = {"\"value\"", NULL};

FORMAT_PLUGIN(bencher, "bencher", "results in Bencher's metric format", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
