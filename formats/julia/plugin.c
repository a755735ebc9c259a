/* SPDX-License-Identifier: BSD-3-Clause */
/* julia: the JSON of Julia's BenchmarkTools.save(): trials and estimates in groups; times are nanoseconds. */
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/json-source.h"

enum { DEPTH = 100 };

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
	struct perun_json_reader *json;
};

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

static int read_value(struct reading *reading, const char *name, int depth);

/* The groups and trials of an object, whose keys name them. */
static int read_members(struct reading *reading, const char *name, int depth)
{
	int status = PERUN_OK;

	while (!status && perun_json_next(reading->json) == PERUN_JSON_KEY) {
		const struct perun_json_token *token = perun_json_token(reading->json);
		char *key = perun_strndup(token->text, token->length);
		char *inner = perun_format("%s%s%s", name, *name ? "/" : "", key);

		perun_free(key);
		perun_json_next(reading->json);
		status = read_value(reading, inner, depth + 1);
		perun_free(inner);
	}
	return status;
}

/* {"tags": [], "data": {"name": ["Trial", {…}]}} */
static int read_group(struct reading *reading, const char *name, int depth)
{
	int status = PERUN_OK;

	while (!status && perun_json_next(reading->json) == PERUN_JSON_KEY) {
		bool data = perun_json_token_is(perun_json_token(reading->json), "data");

		if (data && perun_json_next(reading->json) == PERUN_JSON_OBJECT_START)
			status = read_members(reading, name, depth);
		else
			status = perun_json_skip(reading->json);
	}
	return status;
}

static int read_body(struct reading *reading, const char *kind, const char *name, int depth)
{
	struct perun_json *body;
	int status;

	if (strcmp(kind, "BenchmarkGroup") == 0 &&
	    perun_json_token(reading->json)->event == PERUN_JSON_OBJECT_START)
		return read_group(reading, name, depth);
	status = perun_json_read_value(reading->json, &body);
	if (!status && (strcmp(kind, "Trial") == 0 || strcmp(kind, "TrialEstimate") == 0))
		read_trial(reading, body, *name ? name : "benchmark");
	perun_json_free(body);
	return status;
}

/* "BenchmarkTools.Trial", as versions before 1.0 write it: "Trial". */
static void copy_kind(const struct perun_json_token *token, char *kind, size_t size)
{
	static const char package[] = "BenchmarkTools.";
	const char *text = token->text;
	size_t length = token->length, skipped = sizeof package - 1;

	if (length > skipped && strncmp(text, package, skipped) == 0)
		text += skipped, length -= skipped;
	if (length < size)
		perun_snprintf(kind, size, "%.*s", (int)length, text);
}

/* The value that the reader is at: [kind, body]; anything else is passed over. */
static int read_value(struct reading *reading, const char *name, int depth)
{
	const struct perun_json_token *token = perun_json_token(reading->json);
	char kind[32] = "";
	int status = PERUN_OK;

	if (depth > DEPTH)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "more than %d groups within each other", DEPTH);
	if (token->event != PERUN_JSON_ARRAY_START)
		return perun_json_skip(reading->json);
	for (size_t i = 0; !status && perun_json_next(reading->json) != PERUN_JSON_ARRAY_END; i++) {
		if (i == 0 && token->event == PERUN_JSON_STRING)
			copy_kind(token, kind, sizeof kind);
		status = i == 1 ? read_body(reading, kind, name, depth)
				: perun_json_skip(reading->json);
	}
	return status;
}

/* {"Julia": "1.7.0", "BenchmarkTools": "1.0.0"} */
static int read_versions(struct reading *reading)
{
	struct perun_json *versions;
	int status = perun_json_read_value(reading->json, &versions);

	benchmark_machine(reading->benchmark, "toolchain", NULL,
			  perun_json_as_string(perun_json_get(versions, "Julia"), NULL));
	perun_json_free(versions);
	return status;
}

/* [versions, [values]] */
static int read_document(struct reading *reading)
{
	int status = PERUN_OK;

	if (perun_json_next(reading->json) != PERUN_JSON_ARRAY_START)
		return perun_json_skip(reading->json);
	for (size_t i = 0; !status && perun_json_next(reading->json) != PERUN_JSON_ARRAY_END; i++) {
		bool list = perun_json_token(reading->json)->event == PERUN_JSON_ARRAY_START;

		if (i == 0)
			status = read_versions(reading);
		else if (i > 1 || !list)
			status = perun_json_skip(reading->json);
		while (i == 1 && list && !status &&
		       perun_json_next(reading->json) != PERUN_JSON_ARRAY_END)
			status = read_value(reading, "", 0);
	}
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct json_source source = {.ctx = ctx, .input = input};
	struct reading reading = {.ctx = ctx};
	int status;

	(void)instance;
	if (perun_input_is_directory(input))
		return perun_fail(ctx, PERUN_INPUT, "expected a file, found a directory");
	reading.json = perun_json_reader_new(ctx, json_source_read, &source, NULL);
	reading.benchmark = benchmark_begin(ctx, builder, "julia", input);
	status = read_document(&reading);
	if (!status && perun_json_next(reading.json) != PERUN_JSON_END)
		status = perun_json_fail(reading.json, "expected the end of the document");
	perun_json_reader_free(reading.json);
	return benchmark_end(reading.benchmark, status);
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
