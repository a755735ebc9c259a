/* SPDX-License-Identifier: BSD-3-Clause */
/* jmh: results of JMH, Java's microbenchmark harness; each iteration of each fork is a repeat. */
#include <string.h>

#include <perun/lib/statistics.h>

#include "formats/jmh/results.h"

/* The benchmark with its parameters: "a.B.get (size=10, kind=x)". */
static const char *name_of(struct jmh_reading *reading, const struct perun_json *result,
			   const char *name)
{
	const struct perun_json *parameters = perun_json_get(result, "params");
	struct perun_buffer *out = &reading->uid;

	perun_buffer_clear(out);
	perun_buffer_add_text(out, name);
	for (size_t i = 0; i < perun_json_count(parameters); i++) {
		const char *key,
			*value = perun_json_as_string(perun_json_pass(parameters, i, &key), NULL);

		perun_buffer_add_text(out, i ? ", " : " (");
		perun_buffer_add_text(out, key);
		perun_buffer_add_char(out, '=');
		perun_buffer_add_text(out, value ? value : "");
	}
	if (perun_json_count(parameters))
		perun_buffer_add_char(out, ')');
	perun_buffer_add_char(out, '\0');
	return out->data;
}

/* Modes that measure times differently are not repeats of each other. */
static const char *subtype_of(const struct perun_json *result)
{
	const char *mode = perun_json_as_string(perun_json_get(result, "mode"), NULL);

	if (mode && strcmp(mode, "sample") == 0)
		return "sample";
	return mode && strcmp(mode, "ss") == 0 ? "single shot" : "real";
}

/*
 * The score alone, with its error: half of a 99.9 % interval of Student's distribution over the measurements. How many
 * they were is in the metric (of a table) or follows from the settings.
 */
static void read_score(struct jmh_reading *reading, const struct perun_json *result,
		       const struct perun_json *metric, const char *uid, const char *subtype,
		       const char *name)
{
	const char *unit = perun_json_as_string(perun_json_get(metric, "scoreUnit"), NULL);
	double score, error, samples = 0, forks, iterations;
	size_t before = benchmark_count(reading->benchmark);

	if (!perun_json_as_double(perun_json_get(metric, "score"), &score))
		return;
	benchmark_in_unit(reading->benchmark, uid, subtype, name, unit, score);
	if (perun_json_as_double(perun_json_get(result, "forks"), &forks) &&
	    perun_json_as_double(perun_json_get(result, "measurementIterations"), &iterations))
		samples = forks * iterations;
	perun_json_as_double(perun_json_get(metric, "samples"), &samples);
	if (benchmark_count(reading->benchmark) == before || samples < 2 ||
	    !perun_json_as_double(perun_json_get(metric, "scoreError"), &error))
		return;
	benchmark_deviation_in_unit(reading->benchmark, uid, subtype, name, unit,
				    error / perun_student_quantile(0.9995, samples - 1) / score);
}

/* "rawData": [[1.5, 1.6], [1.4, 1.5]]: a list for each fork. Without it the score is all there is. */
static int read_metric(struct jmh_reading *reading, const struct perun_json *result,
		       const struct perun_json *metric, const char *uid, const char *subtype,
		       const char *name, const char *where)
{
	const struct perun_json *raw = perun_json_get(metric, "rawData"), *unit;
	double value;
	size_t before = benchmark_count(reading->benchmark);
	const char *text;
	int status = benchmark_member(reading->ctx, metric, where, "scoreUnit",
				      PERUN_JSON_TYPE_STRING, &unit);

	if (status)
		return status;
	text = perun_json_as_string(unit, NULL);
	for (size_t i = 0; i < perun_json_count(raw); i++) {
		const struct perun_json *fork = perun_json_pass(raw, i, NULL);

		for (size_t k = 0; k < perun_json_count(fork); k++)
			if (perun_json_as_double(perun_json_pass(fork, k, NULL), &value))
				benchmark_in_unit(reading->benchmark, uid, subtype, name, text,
						  value);
	}
	if (benchmark_count(reading->benchmark) == before)
		read_score(reading, result, metric, uid, subtype, name);
	return PERUN_OK;
}

/* "·gc.alloc.rate.norm": the dot represents a metric of a profiler. */
static const char *plain(const char *name)
{
	return strncmp(name, "\xc2\xb7", 2) == 0 ? name + 2 : name;
}

int jmh_take_metric(struct jmh_reading *reading, const struct perun_json *result, const char *name,
		    const struct perun_json *metric)
{
	const char *benchmark = perun_json_as_string(perun_json_get(result, "benchmark"), NULL);

	name = plain(name);
	return read_metric(reading, result, metric, name_of(reading, result, benchmark), name, name,
			   name);
}

int jmh_take_result(struct jmh_reading *reading, const struct perun_json *result, size_t at)
{
	const struct perun_json *name, *primary, *secondary;
	const char *uid = NULL;
	char where[32];
	size_t count;
	int status;

	perun_snprintf(where, sizeof where, "[%zu]", at);
	status = benchmark_member(reading->ctx, result, where, "benchmark", PERUN_JSON_TYPE_STRING,
				  &name);
	if (!status)
		status = benchmark_member(reading->ctx, result, where, "primaryMetric",
					  PERUN_JSON_TYPE_OBJECT, &primary);
	if (!status) {
		uid = name_of(reading, result, perun_json_as_string(name, NULL));
		count = benchmark_count(reading->benchmark);
		status = read_metric(reading, result, primary, uid, subtype_of(result), "score",
				     "primaryMetric");
		/* Its score is "NaN". */
		if (!status && benchmark_count(reading->benchmark) == count)
			benchmark_failed(reading->benchmark, uid, "it has no score");
	}
	secondary = perun_json_get(result, "secondaryMetrics");
	for (size_t i = 0; !status && i < perun_json_count(secondary); i++) {
		const char *key, *metric;
		const struct perun_json *one = perun_json_pass(secondary, i, &key);

		metric = plain(key);
		status = read_metric(reading, result, one, uid, metric, metric, metric);
	}
	return status;
}

static int take_element(void *data, const struct perun_json *result, const char *key, size_t at)
{
	struct jmh_reading *reading = data;

	if (key)
		return perun_fail(reading->ctx, PERUN_INPUT, "expected a list of results");
	if (at == 0)
		benchmark_machine(reading->benchmark, "toolchain", NULL,
				  perun_json_as_string(perun_json_get(result, "jdkVersion"), NULL));
	return jmh_take_result(reading, result, at);
}

static int read_json(struct jmh_reading *reading, struct perun_input *input)
{
	struct perun_json *document;
	int status = benchmark_read(reading->ctx, input, NULL, take_element, reading, &document);

	if (!status && perun_json_type(document) != PERUN_JSON_TYPE_ARRAY)
		status = perun_fail(reading->ctx, PERUN_INPUT, "expected a list of results");
	perun_json_free(document);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct jmh_reading reading = {.ctx = ctx};
	char first;
	int status = benchmark_first_byte(ctx, input, &first);

	(void)instance;
	if (status)
		return status;
	reading.benchmark = benchmark_begin(ctx, builder, "jmh", input);
	if (first == '[' || first == '{')
		status = read_json(&reading, input);
	else if (first == '"')
		status = jmh_read_csv(&reading, input);
	else
		status = jmh_read_console(&reading, input);
	perun_buffer_free(&reading.uid);
	return benchmark_end(reading.benchmark, status);
}

/* What JMH prints begins with its version, or with the headings where only the table was kept. */
static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_starts(probe, "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\"") ||
	    probe_has(probe, "# JMH version: "))
		return 95;
	if (probe_starts(probe, "Benchmark ") && probe_has(probe, " Mode ") &&
	    probe_has(probe, " Cnt ") && probe_has(probe, " Score "))
		return 95;
	return probe_has(probe, "\"primaryMetric\"") && probe_has(probe, "\"benchmark\"") ? 95 : 0;
}

static const char *const marks[] = {"\"Benchmark\",\"Mode\"", "# JMH version: ", " Mode ",
				    "\"primaryMetric\"", NULL};

FORMAT_PLUGIN(jmh, "jmh", "results of JMH", NULL, .contains = marks, .probe = probe_format,
	      .read = read_format);
