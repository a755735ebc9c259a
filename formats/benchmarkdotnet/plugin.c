/* SPDX-License-Identifier: BSD-3-Clause */
/* benchmarkdotnet: the JSON of BenchmarkDotNet's exporters, brief, compressed or full. */
#include <string.h>

#include "formats/common/benchmark.h"

static const char *text_of(const struct perun_json *object, const char *key)
{
	const char *text = perun_json_as_string(perun_json_get(object, key), NULL);

	return text ? text : "";
}

/* "Namespace.Type.Method(N: 10)": older versions have the parts alone. */
static char *name_of(const struct perun_json *result)
{
	const char *space = text_of(result, "Namespace"), *type = text_of(result, "Type"),
		   *parameters = text_of(result, "Parameters");

	if (*text_of(result, "FullName"))
		return perun_strdup(text_of(result, "FullName"));
	return perun_format("%s%s%s%s%s%s%s%s", space, *space ? "." : "", type, *type ? "." : "",
			    text_of(result, "Method"), *parameters ? "(" : "", parameters,
			    *parameters ? ")" : "");
}

/* Results of the iterations, in nanoseconds for each operation. */
static void read_measurements(struct benchmark *benchmark, const struct perun_json *list,
			      const char *uid)
{
	double nanoseconds, operations;

	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *one = perun_json_at(list, i);

		if (strcmp(text_of(one, "IterationStage"), "Result") == 0 &&
		    perun_json_as_double(perun_json_get(one, "Nanoseconds"), &nanoseconds) &&
		    perun_json_as_double(perun_json_get(one, "Operations"), &operations) &&
		    operations > 0)
			benchmark_time(benchmark, uid, "real", nanoseconds / operations / 1e9);
	}
}

/* Metrics of diagnosers, such as memory: {"Value": 184, "Descriptor": {"Id", "Unit", "TheGreaterTheBetter"}}. */
static void read_metrics(struct benchmark *benchmark, const struct perun_json *result,
			 const char *uid)
{
	const struct perun_json *metrics = perun_json_get(result, "Metrics");
	double value;
	bool greater = false;

	for (size_t i = 0; i < perun_json_count(metrics); i++) {
		const struct perun_json *metric = perun_json_at(metrics, i);
		const struct perun_json *about = perun_json_get(metric, "Descriptor");

		perun_json_as_bool(perun_json_get(about, "TheGreaterTheBetter"), &greater);
		if (*text_of(about, "Id") &&
		    perun_json_as_double(perun_json_get(metric, "Value"), &value))
			benchmark_value(benchmark, uid, text_of(about, "Id"),
					strcmp(text_of(about, "Unit"), "Count") == 0
						? ""
						: text_of(about, "Unit"),
					greater, value);
	}
	if (!metrics &&
	    perun_json_as_double(perun_json_path(result, "/Memory/BytesAllocatedPerOperation"),
				 &value))
		benchmark_value(benchmark, uid, "Allocated Memory", "B", false, value);
}

static int read_result(struct perun_ctx *ctx, struct benchmark *benchmark,
		       const struct perun_json *result, size_t at)
{
	const struct perun_json *statistics = perun_json_get(result, "Statistics");
	const struct perun_json *values = perun_json_get(statistics, "OriginalValues");
	size_t before = benchmark_count(benchmark);
	char *uid;
	double value, error;

	if (!*text_of(result, "Method") && !*text_of(result, "FullName"))
		return perun_fail(ctx, PERUN_INPUT,
				  "expected Benchmarks[%zu].FullName to be a string", at);
	uid = name_of(result);
	if (perun_json_type(statistics) != PERUN_JSON_TYPE_OBJECT) {
		perun_warn(ctx, "%s is left out: it failed", uid);
		benchmark_failed(benchmark, uid, "");
		perun_free(uid);
		return PERUN_OK;
	}
	for (size_t i = 0; i < perun_json_count(values); i++)
		if (perun_json_as_double(perun_json_at(values, i), &value))
			benchmark_time(benchmark, uid, "real", value / 1e9);
	if (benchmark_count(benchmark) == before)
		read_measurements(benchmark, perun_json_get(result, "Measurements"), uid);
	if (benchmark_count(benchmark) == before &&
	    perun_json_as_double(perun_json_get(statistics, "Mean"), &value)) {
		benchmark_time(benchmark, uid, "real", value / 1e9);
		if (perun_json_as_double(perun_json_get(statistics, "StandardError"), &error))
			benchmark_deviation(benchmark, "time(real)", uid, error / value);
	}
	read_metrics(benchmark, result, uid);
	perun_free(uid);
	return PERUN_OK;
}

static void read_host(struct benchmark *benchmark, const struct perun_json *host)
{
	const struct perun_json *processor = perun_json_get(host, "ProcessorName");
	const char *name = perun_json_as_string(processor, NULL);

	if (!host)
		return;
	benchmark_machine(benchmark, "cpu", "model", name ? name : text_of(processor, "Value"));
	benchmark_machine(benchmark, "architecture", NULL, text_of(host, "Architecture"));
	benchmark_machine(benchmark, "build", NULL, text_of(host, "Configuration"));
	benchmark_fact(benchmark, "host", perun_json_clone(host));
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	const struct perun_json *results;
	struct benchmark *benchmark;
	struct perun_json *document;
	int status = benchmark_document(ctx, input, &document);

	(void)instance;
	if (status)
		return status;
	benchmark = benchmark_begin(ctx, builder, "benchmarkdotnet", input);
	status = benchmark_member(ctx, document, "", "Benchmarks", PERUN_JSON_TYPE_ARRAY, &results);
	for (size_t i = 0; !status && i < perun_json_count(results); i++)
		status = read_result(ctx, benchmark, perun_json_at(results, i), i);
	read_host(benchmark, perun_json_get(document, "HostEnvironmentInfo"));
	status = benchmark_end(benchmark, status);
	perun_json_free(document);
	return status;
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && probe_has(probe, "\"HostEnvironmentInfo\"") &&
			       (probe_has(probe, "\"BenchmarkDotNet") ||
				probe_has(probe, "\"Benchmarks\""))
		       ? 95
		       : 0;
}

FORMAT_PLUGIN(benchmarkdotnet, "benchmarkdotnet", "results of BenchmarkDotNet", NULL,
	      .probe = probe_format, .read = read_format);
