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
}

static int read_benchmark(struct perun_ctx *ctx, struct benchmark *benchmark,
			  const struct perun_json *measures, const char *name)
{
	double value;

	for (size_t i = 0; i < perun_json_count(measures); i++) {
		const char *measure = perun_json_key_at(measures, i, NULL);

		if (!perun_json_as_double(perun_json_get(perun_json_at(measures, i), "value"),
					  &value))
			return perun_fail(ctx, PERUN_INPUT, "expected %s.%s.value to be a number",
					  name, measure);
		add_value(benchmark, name, measure, value);
	}
	return PERUN_OK;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct benchmark *benchmark;
	struct perun_json *document;
	int status = benchmark_document(ctx, input, &document);

	(void)instance;
	if (status)
		return status;
	benchmark = benchmark_begin(ctx, builder, "bencher", input);
	for (size_t i = 0; !status && i < perun_json_count(document); i++)
		status = read_benchmark(ctx, benchmark, perun_json_at(document, i),
					perun_json_key_at(document, i, NULL));
	status = benchmark_end(benchmark, status);
	perun_json_free(document);
	return status;
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
