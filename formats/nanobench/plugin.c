/* SPDX-License-Identifier: BSD-3-Clause */
/* nanobench: the JSON of ankerl::nanobench's template json(); each measurement is a repeat. */
#include <string.h>

#include "formats/common/benchmark.h"

static const char *text_of(const struct perun_json *object, const char *key)
{
	const char *text = perun_json_as_string(perun_json_get(object, key), NULL);

	return text ? text : "";
}

/* Measurements are seconds for each iteration, of a batch of operations. */
static void read_result(struct benchmark *benchmark, const struct perun_json *result)
{
	const struct perun_json *list = perun_json_get(result, "measurements");
	const char *title = text_of(result, "title");
	char *uid = perun_format("%s%s%s", title, *title ? "/" : "", text_of(result, "name"));
	size_t before = benchmark_count(benchmark);
	double batch = 1, value;

	if (!perun_json_as_double(perun_json_get(result, "batch"), &batch) || !(batch > 0))
		batch = 1;
	for (size_t i = 0; i < perun_json_count(list); i++)
		if (perun_json_as_double(perun_json_get(perun_json_at(list, i), "elapsed"), &value))
			benchmark_time(benchmark, uid, "real", value / batch);
	if (benchmark_count(benchmark) == before &&
	    perun_json_as_double(perun_json_get(result, "median(elapsed)"), &value))
		benchmark_time(benchmark, uid, "real", value / batch);
	perun_free(uid);
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
	benchmark = benchmark_begin(ctx, builder, "nanobench", input);
	status = benchmark_member(ctx, document, "", "results", PERUN_JSON_TYPE_ARRAY, &results);
	for (size_t i = 0; !status && i < perun_json_count(results); i++)
		read_result(benchmark, perun_json_at(results, i));
	status = benchmark_end(benchmark, status);
	perun_json_free(document);
	return status;
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && probe_has(probe, "\"results\"") &&
			       probe_has(probe, "\"median(elapsed)\"")
		       ? 95
		       : 0;
}

static const struct perun_format_ops ops = {
	.probe = probe_format,
	.read = read_format,
};

PERUN_PLUGIN(format, nanobench) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "nanobench", "results of nanobench"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(ops),
};
