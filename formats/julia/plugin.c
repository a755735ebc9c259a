/* SPDX-License-Identifier: BSD-3-Clause */
/* julia: the JSON of Julia's BenchmarkTools.save(): trials and estimates in groups; times are nanoseconds. */
#include <string.h>

#include "formats/common/benchmark.h"

enum { DEPTH = 100 };

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
};

static const char *kind_of(const struct perun_json *value)
{
	const char *kind = perun_json_type(value) == PERUN_JSON_TYPE_ARRAY
				   ? perun_json_as_string(perun_json_at(value, 0), NULL)
				   : NULL;

	return kind ? kind : "";
}

/* ["Trial", {"times": […], "memory": 0, "allocs": 0}], ["TrialEstimate", {"time": 5.0, …}] */
static void read_trial(struct reading *reading, const struct perun_json *trial, const char *uid)
{
	const struct perun_json *times = perun_json_get(trial, "times");
	double value;

	benchmark_times(reading->benchmark, uid, "real", times, 1e9);
	if (times)
		benchmark_samples(reading->benchmark, "time(real)");
	else if (perun_json_as_double(perun_json_get(trial, "time"), &value))
		benchmark_time(reading->benchmark, uid, "real", value / 1e9);
	if (perun_json_as_double(perun_json_get(trial, "memory"), &value))
		benchmark_value(reading->benchmark, uid, "memory", "B", false, value);
	if (perun_json_as_double(perun_json_get(trial, "allocs"), &value))
		benchmark_value(reading->benchmark, uid, "allocs", "", false, value);
}

static int read_value(struct reading *reading, const struct perun_json *value, const char *name,
		      int depth)
{
	const struct perun_json *body = perun_json_at(value, 1), *data;
	int status = PERUN_OK;

	if (depth > DEPTH)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "more than %d groups within each other", DEPTH);
	if (strcmp(kind_of(value), "Trial") == 0 || strcmp(kind_of(value), "TrialEstimate") == 0)
		read_trial(reading, body, *name ? name : "benchmark");
	if (strcmp(kind_of(value), "BenchmarkGroup") != 0)
		return PERUN_OK;
	data = perun_json_get(body, "data");
	for (size_t i = 0; !status && i < perun_json_count(data); i++) {
		char *inner = perun_format("%s%s%s", name, *name ? "/" : "",
					   perun_json_key_at(data, i, NULL));

		status = read_value(reading, perun_json_at(data, i), inner, depth + 1);
		perun_free(inner);
	}
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	const struct perun_json *values;
	struct perun_json *document;
	int status = benchmark_any_document(ctx, input, &document);

	(void)instance;
	if (status)
		return status;
	reading.benchmark = benchmark_begin(ctx, builder, "julia", input);
	values = perun_json_at(document, 1);
	for (size_t i = 0; !status && i < perun_json_count(values); i++)
		status = read_value(&reading, perun_json_at(values, i), "", 0);
	if (!status)
		benchmark_machine(
			reading.benchmark, "toolchain", NULL,
			perun_json_as_string(perun_json_path(document, "/0/Julia"), NULL));
	status = benchmark_end(reading.benchmark, status);
	perun_json_free(document);
	return status;
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && probe_has(probe, "\"Julia\"") &&
			       probe_has(probe, "\"BenchmarkTools\"")
		       ? 95
		       : 0;
}

static const char *const marks[] = {"\"BenchmarkTools\"", NULL};

FORMAT_PLUGIN(julia, "julia", "results of Julia's BenchmarkTools", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
